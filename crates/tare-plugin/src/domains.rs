//! Two kernels on one machine: Xen's first domain, and the measured one beside it. Both are the same image at the same
//! addresses, so that only the memory behind an address says whose it is.

use crate::place::Place;

/// The text of a 64-bit Linux kernel, without its modules. Xen puts the first domain's into one piece of memory.
const TEXT: std::ops::Range<u64> = 0xffff_ffff_8000_0000..0xffff_ffff_c000_0000;

pub struct Domains {
    /// How far the text of the kernel that was seen first lies behind its addresses, in QEMU's own memory.
    first: Option<u64>,
    /// Whose that is.
    whose: Place,
    /// Whose text was executed last. A module lies anywhere, and is called by the text of its own kernel.
    last: Place,
}

impl Domains {
    /// What a machine that has just started executes of a kernel is the first domain's. A copy of one in which the probe waits goes on
    /// with that, and its first call is to the measured kernel.
    pub fn of(copied: bool) -> Domains {
        let whose = if copied { Place::Kernel } else { Place::Dom0 };
        Domains { first: None, whose, last: Place::Kernel }
    }

    /// Something at `address`, which is `host` in QEMU's memory, is translated before anything is measured.
    pub fn starts(&mut self, address: u64, host: u64) {
        if TEXT.contains(&address) && host != 0 {
            self.first.get_or_insert(host.wrapping_sub(address));
        }
    }

    pub fn kernel(&self, address: u64, host: u64) -> Place {
        match self.first {
            _ if !TEXT.contains(&address) => self.last,
            Some(first) if first == host.wrapping_sub(address) => self.whose,
            Some(_) if self.whose == Place::Kernel => Place::Dom0,
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
        let mut domains = Domains::of(false);
        domains.starts(0xffff_82d0_4020_0000, first - 0x1000); // Xen's own
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
    fn in_a_copy_the_kernel_that_is_called_first_is_the_measured_one() {
        let (text, dom0, measured) = (0xffff_ffff_8100_0000, 0x7f00_0000_0000, 0x7f00_3000_0000);
        let mut domains = Domains::of(true);
        assert_eq!(domains.kernel(text, dom0), Place::Kernel);
        domains.starts(text, measured);
        assert_eq!(domains.kernel(text + 1, measured + 1), Place::Kernel);
        assert_eq!(domains.kernel(text + 1, dom0 + 1), Place::Dom0);
    }

    #[test]
    fn without_a_first_domain_every_kernel_is_the_measured_one() {
        let mut domains = Domains::of(false);
        domains.starts(TEXT.start, 0); // nowhere in memory
        domains.starts(TEXT.end, 0x7f00_0000_0000); // a module
        assert_eq!(domains.kernel(TEXT.start, 0x7f00_0000_0000), Place::Kernel);
        domains.starts(TEXT.start, 0x7f00_0000_0000);
        assert_eq!(domains.kernel(TEXT.end - 1, 0x7f00_3fff_ffff), Place::Dom0);
        assert_eq!(domains.kernel(TEXT.start + 1, 0x7f00_0000_0000), Place::Kernel);
    }
}
