//! The parts of the plugin that need no guest: decoding, places, sizes, replacement.

#[allow(dead_code)]
#[path = "../src/decode.rs"]
mod decode;
#[allow(dead_code)]
#[path = "../src/domains.rs"]
mod domains;
#[allow(dead_code)]
#[path = "../src/lru.rs"]
mod lru;
#[allow(dead_code)]
#[path = "../src/place.rs"]
mod place;
#[allow(dead_code)]
#[path = "../src/shape.rs"]
mod shape;

use decode::{Special, special};
use domains::Domains;
use lru::Lru;
use place::{Map, Place};
use shape::Shape;

#[test]
fn special_instructions_are_told_from_others() {
    let rows: &[(&[u8], Option<Special>)] = &[
        (&[0x0f, 0x1f, 0x80, 0x01, 0x02, 0x4b, 0x4d], Some(Special::Mark(0x0201))),
        (&[0x0f, 0x1f, 0x80, 0, 0, 0, 0], None), // a compiler's own long NOP
        (&[0x0f, 0x05], Some(Special::SystemCall)),
        (&[0xcd, 0x80], Some(Special::SystemCall)),
        (&[0x0f, 0x01, 0xd9], Some(Special::VmCall)),
        (&[0x0f, 0x01, 0xd8], Some(Special::EnterGuest)),
        (&[0x0f, 0x22, 0xd8], Some(Special::Cr3Write)),
        (&[0x0f, 0x22, 0xe0], Some(Special::Cr4Write)),
        (&[0x0f, 0x20, 0xd8], None), // a read of CR3
        (&[0x0f, 0x01, 0x38], Some(Special::Invlpg)),
        (&[0x0f, 0x01, 0xf8], None), // swapgs
        (&[0x0f, 0x30], Some(Special::Msr)),
        (&[0x66, 0xef], Some(Special::PortIo)),
        (&[0xf4], Some(Special::Halt)),
        (&[0xb8, 0x1a, 0, 0, 0], Some(Special::SetAx(26))),
        (&[0x48, 0xc7, 0xc0, 0x1a, 0, 0, 0], Some(Special::SetAx(26))),
        (&[0x31, 0xc0], Some(Special::SetAx(0))),
        (&[0x89, 0xc8], None),
        (&[0x48], None),
        (&[], None),
    ];
    for (bytes, wanted) in rows {
        assert_eq!(special(bytes), *wanted, "{bytes:x?}");
    }
}

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
fn the_least_recent_of_a_set_goes_first() {
    let mut cache = Lru::new((4, 2)); // two sets
    assert!(!cache.touch(0, 10));
    assert!(!cache.touch(2, 20)); // the same set
    assert!(cache.touch(0, 10)); // 20 is the older one now
    assert!(!cache.touch(4, 30));
    assert!(cache.touch(0, 10));
    assert!(!cache.touch(2, 20), "20 was replaced");
    assert!(!cache.touch(1, 40), "the other set is untouched");
    cache.drop_unless(|tag| tag == 10);
    assert!(!cache.touch(2, 20));
    assert!(cache.touch(0, 10));
}

#[test]
fn sizes_are_read_and_checked() {
    let mut shape = Shape::default();
    shape.set("l1d", "48K:12").unwrap();
    shape.set("dtlb", "96:6").unwrap();
    assert_eq!((shape.of("l1d"), shape.of("dtlb")), ((768, 12), (96, 6)));
    assert!(shape.describe().contains("l1d 48 KiB 12 ways"), "{}", shape.describe());
    for (key, value) in [("l1d", "48K:0"), ("l1d", "48K:7"), ("l2", "x:8"), ("l3", "99999999K:16")]
    {
        let refused = shape.set(key, value).unwrap_err();
        assert!(refused.contains(key) && refused.contains(value), "{refused}");
    }
    assert!(shape.set("l4", "1M:8").unwrap_err().contains("l4"));
}

#[test]
fn memory_tells_the_text_of_two_kernels_apart_and_the_caller_their_modules() {
    let (text, module) = (0xffff_ffff_8100_0000, 0xffff_ffff_c010_0000);
    let (first, second) = (0x7f00_0000_0000, 0x7f00_3000_0000);
    let mut domains = Domains::default();
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
