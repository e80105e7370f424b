//! `tare-import`: what other tools printed and what others published, as figures and campaigns.
//!
//! A [`Format`] turns one file's text into [`Figure`]s: one file each in `formats/`, one row in [`FORMATS`].
//! [`Import`] makes a campaign of them: the n-th figure of a name on a layer goes into the n-th block, so repeats
//! give intervals and a lone figure gives a ratio without one.

mod assemble;
mod fault;
mod figure;
mod format;
mod formats;
mod hints;
mod index;
mod json;
mod lines;
mod names;
mod papers;
mod systems;
mod trace;

pub use assemble::{Import, KIND, Origin};
pub use fault::Fault;
pub use figure::{Figure, Quantity, Sink};
pub use format::{Format, Parsed, parse};
pub use formats::{FORMATS, find, recognise};
pub use hints::hint;
pub use papers::{Claim, FindingState, Paper, Row, Table, findings, papers};
pub use trace::{Trace, trace};
