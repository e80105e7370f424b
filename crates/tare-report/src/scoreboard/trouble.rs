//! What differs besides the layer, what the campaign warns of, boots that failed, and layers that cannot run here.

use crate::clean::clean;
use crate::document::{Block, Ink, Item, Place, Section};
use crate::words::{name, reason, which};
use tare_board::{FailedBoot, LayerSummary, Scoreboard};
use tare_proto::Untrusted;
use tare_store::Warning;

/// Most warnings and failed boots that a terminal shows, and last lines of a console that any form does.
const WARNINGS: usize = 20;
const FAILED_BOOTS: usize = 8;
const CONSOLE: usize = 40;

/// Items below a heading, if there are any.
fn listed(
    place: Place,
    heading: impl Into<String>,
    items: Vec<Item>,
    most: usize,
) -> Option<Section> {
    (!items.is_empty()).then(|| Section::new(place, heading, vec![Block::List(items, most)]))
}

/// How layers differ from the baseline in what should be the same.
pub(super) fn differences(board: &Scoreboard) -> Option<Section> {
    let item = |layer: &LayerSummary| {
        let texts: Vec<String> = layer.notes.iter().map(|note| reason(&note.text)).collect();
        Item::new(Some(name(&layer.name)), vec![(Ink::Plain, texts.join(" · "))])
    };
    let layers = board.layers.iter().filter(|layer| !layer.notes.is_empty());
    listed(Place::Differences, "What else differs", layers.map(item).collect(), usize::MAX)
}

pub(super) fn warnings(board: &Scoreboard) -> Option<Section> {
    let item = |warning: &Warning| {
        let about = [&warning.layer, &warning.benchmark].into_iter().flatten();
        let about: Vec<String> = about.map(name).collect();
        let about = (!about.is_empty()).then(|| about.join(", "));
        Item::new(about, vec![(Ink::Caution, reason(&warning.text))])
    };
    listed(Place::Trouble, "Warnings", board.warnings.iter().map(item).collect(), WARNINGS)
}

pub(super) fn failed_boots(board: &Scoreboard) -> Option<Section> {
    let item = |boot: &FailedBoot| {
        let why = format!("{}: {}", which(boot), reason(&boot.why));
        let console: Vec<&str> = boot.console.as_ref().map_or("", Untrusted::raw).lines().collect();
        let end = &console[console.len().saturating_sub(CONSOLE)..];
        Item {
            joint: ", ",
            console: end.iter().map(clean).collect(),
            ..Item::new(Some(name(&boot.layer)), vec![(Ink::Plain, why)])
        }
    };
    let counts = &board.counts;
    let heading = format!("Failed boots: {} of {}", counts.failed_boots, counts.boots);
    let boots = board.failed_boots.iter().map(item).collect();
    listed(Place::Trouble, heading, boots, FAILED_BOOTS)
}

pub(super) fn unavailable(board: &Scoreboard) -> Option<Section> {
    let item = |layer: &LayerSummary| {
        let unavailable = layer.unavailable.as_ref()?;
        let remedy = format!("→ {}", reason(&unavailable.remedy));
        let said = vec![(Ink::Plain, reason(&unavailable.why)), (Ink::Better, remedy)];
        Some(Item::new(Some(name(&layer.name)), said))
    };
    let layers = board.layers.iter().filter_map(item).collect();
    listed(Place::Unavailable, "Cannot run here", layers, usize::MAX)
}
