//! Trials before a campaign: a layer is available only if it boots the probe within a deadline.

pub(crate) mod all;
pub(crate) mod made;
pub(crate) mod one;
pub(crate) mod remembered;
