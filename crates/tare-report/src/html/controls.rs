//! What the table can be asked: search, verdict, layers, range, raw values. Without a script only the last works.

use super::summary::swatch;
use crate::words;
use maud::{Markup, html};
use tare_board::Scoreboard;

/// Verdicts to choose from: value and word.
const VERDICTS: [(&str, &str); 6] = [
    ("", "every verdict"),
    ("worse", "costs more"),
    ("better", "costs less"),
    ("equivalent", "equivalent"),
    ("undecided", "undecided"),
    ("absent", "without a number"),
];

/// Ranges of the plots: lowest and highest cost.
const RANGES: [(&str, &str); 4] =
    [("", "all costs"), ("0.5 2", "½ to 2"), ("0.9 1.1", "±10%"), ("0.97 1.03", "±3%")];

pub(super) fn controls(board: &Scoreboard) -> Markup {
    html! {
        div.controls role="group" aria-label="What the table shows" {
            label.scripted { "Find " input #find type="search" placeholder="name, suite …" autocomplete="off"; }
            label.scripted { "Show " select #verdict { @for (value, word) in VERDICTS { option value=(value) { (word) } } } }
            label.scripted { "Plots " select #range { @for (value, word) in RANGES { option value=(value) { (word) } } } }
            label { input #raw type="checkbox"; " raw pairs, interval widths, remarks" }
            fieldset.scripted {
                legend { "Layers" }
                @for (at, layer) in super::table::shown(board) {
                    label { input type="checkbox" data-layer=(at) checked; (swatch(at + 1)) bdi { (words::name(&layer.name)) } }
                }
            }
            p #shown role="status" aria-live="polite" {}
        }
    }
}
