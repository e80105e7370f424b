//! KVM on this host, and tare's own virtual machine monitor on it.

pub(crate) mod hardware;
pub(crate) mod monitor;
