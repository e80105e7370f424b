//! What layers are made of: kernels and their modules, programs out of packages, initramfs and bundles.

pub(crate) mod bundle;
pub(crate) mod foreign;
pub(crate) mod initramfs;
pub(crate) mod kernel;
pub(crate) mod kernel_packages;
pub(crate) mod modules;
pub(crate) mod package;
pub(crate) mod program;
pub(crate) mod unpack;

use crate::Unavailable;

/// The architecture that guests are made for.
const GUESTS: &str = "x86_64";

/// Refuses `what` unless the probe is of the architecture that guests are made for.
pub(crate) fn guests_run_here(what: &str) -> Result<(), Unavailable> {
    guests_run_on(std::env::consts::ARCH, what)
}

fn guests_run_on(architecture: &str, what: &str) -> Result<(), Unavailable> {
    if architecture == GUESTS {
        return Ok(());
    }
    Err(Unavailable::new(
        format!("{what} exists only for {GUESTS}, not for this architecture ({architecture})"),
        "weigh native, runc, crun or runsc here",
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_made_for_one_architecture_says_so_on_others() {
        assert_eq!(guests_run_on(GUESTS, "tare's own monitor"), Ok(()));
        let refused = guests_run_on("aarch64", "tare's own monitor").unwrap_err().to_string();
        assert_eq!(
            refused,
            "tare's own monitor exists only for x86_64, not for this architecture (aarch64); weigh native, runc, \
             crun or runsc here"
        );
    }
}
