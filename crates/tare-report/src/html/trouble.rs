//! "Can I trust it?": what differs besides the layer, warnings, failed boots with their consoles, what could not run.

use super::document::section as written;
use crate::document::{Document, Place};
use maud::{Markup, html};

pub(super) fn section(said: &Document, floor: &str) -> Markup {
    let all = |place: Place| said.sections.iter().filter(move |section| section.place == place);
    let none = |place: Place| all(place).next().is_none();
    html! {
        section #trouble aria-labelledby="h-trouble" {
            h2 #h-trouble { "Can I trust it?" }
            p { (floor) }
            @if none(Place::Differences) { p.quiet { "The probes could see no other differences between the layers." } }
            @if none(Place::Trouble) { p.quiet { "There are no warnings, and no boot failed." } }
            @for place in [Place::Differences, Place::Trouble, Place::Unavailable] { @for one in all(place) { (written(one)) } }
        }
    }
}
