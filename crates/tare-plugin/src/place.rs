//! The place (probe, user, kernel, dom0, hypervisor) that an address belongs to.

pub use tare_proto::counter::Place;
use tare_proto::counter::XEN;

#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Map {
    /// The probe's text.
    pub probe: (u64, u64),
    pub kernel: u64,
    /// Xen's range.
    pub hypervisor: (u64, u64),
}

impl Default for Map {
    fn default() -> Map {
        Map { probe: (0x5000_0000, 0x5100_0000), kernel: 1 << 47, hypervisor: (XEN.start, XEN.end) }
    }
}

impl Map {
    /// Of the guests that QEMU's `target` emulates: a 32-bit Linux has its kernel in the last gigabyte.
    pub fn of(target: &str) -> Map {
        let kernel = if target == "i386" { 0xc000_0000 } else { Map::default().kernel };
        Map { kernel, ..Map::default() }
    }

    #[inline(always)]
    pub fn place(&self, address: u64) -> Place {
        let within = |(from, to): (u64, u64)| from <= address && address < to;
        match () {
            _ if within(self.hypervisor) => Place::Hypervisor,
            _ if address >= self.kernel => Place::Kernel,
            _ if within(self.probe) => Place::Probe,
            _ => Place::User,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_belongs_to_one_place() {
        let map = Map::default();
        let rows = [
            (0x5000_9050, Place::Probe),
            (0x40_0000, Place::User),
            (0x6000_0000, Place::User),
            (0x7fff_f7fc_d000, Place::User),
            (0xffff_ffff_8100_0000, Place::Kernel),
            (0xffff_8880_0000_0000, Place::Kernel),
            (0xffff_82d0_4020_0000, Place::Hypervisor),
        ];
        for (address, wanted) in rows {
            assert_eq!(map.place(address), wanted, "{address:x}");
        }
        let of_32_bits = Map::of("i386");
        assert_eq!(of_32_bits.place(0xc100_0000), Place::Kernel);
        assert_eq!(of_32_bits.place(0xb7ff_0000), Place::User);
        assert_eq!(Map::of("x86_64"), map);
    }

    #[test]
    fn ranges_hold_their_first_address_and_not_their_end() {
        let map = Map::default();
        let borders = [
            (map.probe.0, Place::User, Place::Probe),
            (map.probe.1, Place::Probe, Place::User),
            (map.kernel, Place::User, Place::Kernel),
            (map.hypervisor.0, Place::Kernel, Place::Hypervisor),
            (map.hypervisor.1, Place::Hypervisor, Place::Kernel),
        ];
        for (border, below, at) in borders {
            assert_eq!((map.place(border - 1), map.place(border)), (below, at), "{border:x}");
        }
    }
}
