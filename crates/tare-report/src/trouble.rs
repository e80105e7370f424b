//! What else differs between the layers, and what the campaign warns of, for every written form.

use crate::clean::{clean, fit};
use crate::document::{Ink, Item};
use crate::words::name;
use tare_board::Scoreboard;
use tare_proto::Foreign;
use tare_store::Warning;

/// Longest text of the campaign's that is printed in one place.
const REASON: usize = 400;

/// A sentence from the campaign, harmless and of bearable length.
pub(crate) fn reason(text: &(impl Foreign + ?Sized)) -> String {
    fit(&clean(text), REASON)
}

/// How layers differ from the baseline in what should be the same.
pub(crate) fn notes(board: &Scoreboard) -> Vec<Item> {
    let layers = board.layers.iter().filter(|layer| !layer.notes.is_empty());
    let item = layers.map(|layer| {
        let texts: Vec<String> = layer.notes.iter().map(|note| reason(&note.text)).collect();
        let said = vec![(Ink::Plain, texts.join(" · "))];
        Item { about: Some(name(&layer.name)), series: None, said }
    });
    item.collect()
}

/// The first warnings, so many at most.
pub(crate) fn warnings(board: &Scoreboard, most: usize) -> Vec<Item> {
    let item = |warning: &Warning| {
        let about = [&warning.layer, &warning.benchmark].into_iter().flatten();
        let about: Vec<String> = about.map(name).collect();
        let about = (!about.is_empty()).then(|| about.join(", "));
        Item { about, series: None, said: vec![(Ink::Caution, reason(&warning.text))] }
    };
    board.warnings.iter().take(most).map(item).collect()
}
