//! What a layer is given beside the probe.

pub(crate) mod balloon;
pub(crate) mod disk;
pub(crate) mod net;
pub(crate) mod pages;
pub(crate) mod root;
