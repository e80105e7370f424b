//! The probe's marks: numbers spelled in bits, and the limits of what is timed.

use crate::STATE;
use crate::counts::{self, Kind};
use crate::region::State;
use std::collections::HashMap;
use std::ffi::{c_uint, c_void};

/// What QEMU calls before a mark executes; `data` is its code.
pub extern "C" fn executed(_cpu: c_uint, data: *mut c_void) {
    STATE.with(|state| {
        if let Some(state) = state {
            state.mark(data.addr() as u16);
        }
    });
}

/// A number that is being spelled, lowest bit first.
#[derive(Default)]
pub struct Spelling {
    value: u64,
    bit: u32,
}

impl Spelling {
    fn add(&mut self, one: u64) {
        self.value |= one.checked_shl(self.bit).unwrap_or(0);
        self.bit += 1;
    }
}

impl State {
    /// The codes are those of the probe's `mark.rs`; others are another program's business.
    fn mark(&mut self, code: u16) {
        match code {
            0x0000 => return self.spelling.add(0),
            0x0001 => return self.spelling.add(1),
            0x0200 => self.begin(),
            0x0201 => self.end(),
            0x0300 => self.learning = Some(HashMap::new()),
            0x0301 => self.learned(),
            _ => {}
        }
        let value = std::mem::take(&mut self.spelling).value;
        match code {
            0x0100 => self.series(value),
            0x0101 => self.next.per = f64::from_bits(value),
            0x0102 => (self.next.term, self.next.negative) = ((value >> 1) as u32, value & 1 == 1),
            0x0103 => self.next.ops = value,
            0x0104 => self.close(value),
            _ => {}
        }
    }

    /// The entry that was seen most while fresh pages were touched is the page fault's.
    fn learned(&mut self) {
        let Some(seen) = self.learning.take() else { return };
        if let Some((&address, _)) = seen.iter().max_by_key(|(_, times)| **times) {
            self.entries.insert(address, Kind::PageFaults);
        }
    }

    fn begin(&mut self) {
        let host = self.guest.inside.then(|| self.guest.host.clone()).flatten();
        self.counting = true;
        self.open = Some((Box::new(counts::copy()), host));
    }
}
