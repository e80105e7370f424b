//! Two kernels on one machine: Xen's first domain, and the measured one beside it. Both are the same image at the same
//! addresses, so that only the memory behind an address says whose it is.

use crate::place::Place;
use std::ops::Range;

/// The text of a 64-bit Linux kernel, without its modules. Xen puts the first domain's into one piece of memory.
const TEXT: Range<u64> = 0xffff_ffff_8000_0000..0xffff_ffff_c000_0000;

/// Xen's own text, which is in one piece, too (Xen, xen/arch/x86/include/asm/config.h: `XEN_VIRT_START`). Its stubs, in the upper half of
/// these addresses, are not.
const XEN_TEXT: Range<u64> = 0xffff_82d0_4000_0000..0xffff_82d0_6000_0000;

pub struct Domains {
    /// How far the first domain's text lies behind its addresses, in QEMU's own memory: what a machine that has just started
    /// executes of a kernel is the first domain's.
    first: Option<u64>,
    /// How far Xen's does.
    xen: Option<u64>,
    /// By how much the former is more, of a machine that is the copy of another one: wherever QEMU has put its memory, that is the same.
    more: Option<u64>,
    /// Whose text was executed last. A module lies anywhere, and is called by the text of its own kernel.
    last: Place,
}

impl Domains {
    /// Of a machine that has just started, or of the copy of one that has told this much ([`Domains::told`]).
    pub fn new(more: Option<u64>) -> Domains {
        Domains { first: None, xen: None, more, last: Place::Kernel }
    }

    /// Something at `address`, which is `host` in QEMU's memory, is translated before anything is measured.
    pub fn starts(&mut self, address: u64, host: u64) {
        let behind = host.wrapping_sub(address);
        match self.more {
            _ if host == 0 => {}
            _ if XEN_TEXT.contains(&address) => {
                self.xen = Some(behind); // Xen moves once, when it starts
                self.first = self.first.or(self.more.map(|more| behind.wrapping_add(more)));
            }
            None if TEXT.contains(&address) => self.first = self.first.or(Some(behind)),
            _ => {}
        }
    }

    /// What a copy of this machine has to know.
    pub fn told(&self) -> Option<u64> {
        Some(self.first?.wrapping_sub(self.xen?))
    }

    pub fn kernel(&self, address: u64, host: u64) -> Place {
        match self.first {
            _ if !TEXT.contains(&address) => self.last,
            Some(first) if first == host.wrapping_sub(address) => Place::Dom0,
            _ => Place::Kernel,
        }
    }

    #[inline(always)]
    pub fn executes(&mut self, place: Place) {
        if place.is_kernel() {
            self.last = place;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_tells_the_text_of_two_kernels_apart_and_the_caller_their_modules() {
        let (text, module) = (0xffff_ffff_8100_0000, 0xffff_ffff_c010_0000);
        let (first, second) = (0x7f00_0000_0000, 0x7f00_3000_0000);
        let mut domains = Domains::new(None);
        domains.starts(XEN_TEXT.start, first - 0x1000);
        domains.starts(text, first);
        domains.starts(text + 0x1000, second + 0x1000);
        assert_eq!(domains.kernel(text + 0x2345, first + 0x2345), Place::Dom0);
        assert_eq!(domains.kernel(text + 0x2345, second + 0x2345), Place::Kernel);
        assert_eq!(domains.kernel(module, first + 0x9000_0000), Place::Kernel);
        domains.executes(Place::Dom0);
        domains.executes(Place::Hypervisor);
        assert_eq!(domains.kernel(module, first + 0x9000_0000), Place::Dom0);
    }

    #[test]
    fn a_copy_knows_the_first_domain_from_where_xen_is() {
        let (xen, text) = (XEN_TEXT.start + 0x20_0000, TEXT.start + 0x100_0000);
        let mut saved = Domains::new(None);
        assert_eq!(saved.told(), None);
        saved.starts(xen, 0x7f00_2000_0000);
        saved.starts(xen, 0x7f00_0000_0000);
        saved.starts(text, 0x7f00_1000_0000);
        let mut copy = Domains::new(saved.told());
        copy.starts(text, 0x7e00_5000_0000); // the other domain's, scattered
        copy.starts(XEN_TEXT.end, 0x7e00_6000_0000); // a stub
        assert_eq!(copy.kernel(text, 0x7e00_5000_0000), Place::Kernel);
        copy.starts(xen + 0x77, 0x7e00_0000_0077);
        assert_eq!(copy.kernel(text + 1, 0x7e00_1000_0001), Place::Dom0);
        assert_eq!(copy.kernel(text + 1, 0x7e00_5000_0001), Place::Kernel);
    }

    #[test]
    fn without_a_first_domain_every_kernel_is_the_measured_one() {
        let mut domains = Domains::new(None);
        domains.starts(TEXT.start, 0); // nowhere in memory
        domains.starts(TEXT.end, 0x7f00_0000_0000); // a module
        assert_eq!(domains.kernel(TEXT.start, 0x7f00_0000_0000), Place::Kernel);
        domains.starts(TEXT.start, 0x7f00_0000_0000);
        assert_eq!(domains.kernel(TEXT.end - 1, 0x7f00_3fff_ffff), Place::Dom0);
        assert_eq!(domains.kernel(TEXT.start + 1, 0x7f00_0000_0000), Place::Kernel);
    }
}
