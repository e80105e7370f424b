//! Boots of the baseline before a campaign, whose measurements decide only what is asked: loads of a curve, runs of a program.

pub(crate) mod loads;
pub(crate) mod rehearsal;
