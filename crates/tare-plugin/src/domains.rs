//! Two kernels on one machine: Xen's first domain, and the measured one beside it. Both are the same image at the same
//! addresses, so that only the memory behind an address says whose it is.

use crate::place::Place;

/// The text of a 64-bit Linux kernel, without its modules. Xen puts the first domain's into one piece of memory.
const TEXT: std::ops::Range<u64> = 0xffff_ffff_8000_0000..0xffff_ffff_c000_0000;

/// Whose kernel is executed.
pub struct Domains {
    /// How far the first domain's text lies behind its addresses, in QEMU's own memory: what a machine that has just started
    /// executes of a kernel is the first domain's.
    first: Option<u64>,
    /// Whose text was executed last. A module lies anywhere, and is called by the text of its own kernel.
    last: Place,
}

impl Default for Domains {
    fn default() -> Domains {
        Domains { first: None, last: Place::Kernel }
    }
}

impl Domains {
    /// Something at `address`, which is `host` in QEMU's memory, is translated before anything is measured.
    pub fn starts(&mut self, address: u64, host: u64) {
        if TEXT.contains(&address) && host != 0 {
            self.first.get_or_insert(host.wrapping_sub(address));
        }
    }

    /// Whose kernel is at `address`.
    pub fn kernel(&self, address: u64, host: u64) -> Place {
        match self.first {
            _ if !TEXT.contains(&address) => self.last,
            Some(first) if first == host.wrapping_sub(address) => Place::Dom0,
            _ => Place::Kernel,
        }
    }

    /// Code of `place` is executed.
    #[inline(always)]
    pub fn executes(&mut self, place: Place) {
        if place.is_kernel() {
            self.last = place;
        }
    }
}
