//! The table's controls: search, verdict, layers, range, raw values. Without a script only the last works.

use super::common::swatch;
use crate::clean::{clean, fit};
use crate::words;
use maud::{Markup, html};
use tare_board::{LayerSummary, Scoreboard};
use tare_proto::Untrusted;

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
            label.scripted { "Find " input #find type="search" placeholder="name, description, layer …" autocomplete="off"; }
            label.scripted { "Show " select #verdict { @for (value, word) in VERDICTS { option value=(value) { (word) } } } }
            label.scripted { "Plots " select #range { @for (value, word) in RANGES { option value=(value) { (word) } } } }
            label { input #raw type="checkbox"; " raw pairs, interval widths, remarks" }
            fieldset.scripted {
                legend { "Layers" }
                @for (at, layer) in super::common::shown(board) {
                    label { input type="checkbox" data-layer=(at) data-find=(found_by(layer)) data-name=(words::name(&layer.name)) checked; (swatch(at + 1)) bdi { (words::name(&layer.name)) } }
                }
            }
            p #shown role="status" aria-live="polite" {}
        }
    }
}

/// What people call a kind of layer beside its own name.
const CALLED: [(&str, &str); 8] = [
    ("runsc", "gvisor sandbox"),
    ("runc", "oci container"),
    ("crun", "oci container"),
    ("uml", "user-mode-linux"),
    ("qemu", "emulation virtual machine"),
    ("kvm", "virtual machine"),
    ("xen", "hypervisor virtual machine"),
    ("native", "host bare metal"),
];

/// The words by which the search finds a layer.
fn found_by(layer: &LayerSummary) -> String {
    let own =
        [&layer.name, &layer.kind, &layer.settings, &layer.what].map(Untrusted::raw).join(" ");
    let called = CALLED.iter().filter(|(kind, _)| own.contains(kind)).map(|(_, called)| *called);
    let all: Vec<&str> = std::iter::once(own.as_str()).chain(called).collect();
    fit(&clean(&all.join(" ")), 300).to_lowercase()
}
