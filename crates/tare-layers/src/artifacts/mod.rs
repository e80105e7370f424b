//! What layers are made of: kernels and their modules, programs out of packages, initramfs and bundles.

pub(crate) mod bundle;
pub(crate) mod foreign;
pub(crate) mod initramfs;
pub(crate) mod kernel;
pub(crate) mod modules;
pub(crate) mod package;
pub(crate) mod unpack;
pub(crate) mod version;
pub(crate) mod versions;
