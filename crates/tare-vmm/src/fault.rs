//! Why a machine did not run, and what to do about it.

use std::io;
use std::path::PathBuf;

#[derive(Debug, thiserror::Error)]
pub enum Fault {
    /// The command line is not one of ours; the reason, and how it is called.
    #[error("{0}")]
    Usage(String),
    /// A file cannot be read.
    #[error("{0}: {1}")]
    File(PathBuf, io::Error),
    /// A file is not what it should be.
    #[error("{0}: {1}; give a bzImage, or an ELF image with a PVH entry (CONFIG_PVH)")]
    Kernel(PathBuf, String),
    /// Memory for the guest cannot be had, or is too little.
    #[error("{0}; give another amount of memory (--memory MIB)")]
    Memory(String),
    /// KVM refuses a request.
    #[error("{request}: {error}; {remedy}")]
    Kvm { request: &'static str, error: io::Error, remedy: &'static str },
    /// The machine around this one cannot be told where to stop.
    #[error("a page to stop at: {0}")]
    Fork(io::Error),
    /// The guest ran into something that KVM or this monitor cannot do.
    #[error("KVM_RUN ended with {0}; {NESTED}")]
    Exit(String),
}

/// What helps when KVM runs badly inside another virtual machine.
pub const NESTED: &str = "use a machine with hardware virtualization, or switch nested virtualization on in the \
                          machine below (kvm_intel or kvm_amd: nested=1)";

/// For `map_err`: KVM has refused `request`.
pub fn refused(request: &'static str) -> impl Fn(kvm_ioctls::Error) -> Fault {
    move |error| Fault::Kvm { request, error: error.into(), remedy: NESTED }
}
