//! The probe's marks: what their codes mean, and the numbers that they spell in bits.

/// What a mark says. The codes are those of the probe's `mark.rs`; others are another program's business.
pub enum Mark {
    /// The samples of a request begin, or with 0, end.
    Series(u64),
    /// What a sample is divided by beside its operations.
    Per(f64),
    /// The next batch's term, and whether it is subtracted.
    Term(u32, bool),
    /// The next batch's operations.
    Ops(u64),
    /// The operations of the batch that has ended.
    Close(u64),
    /// A batch begins.
    Begin,
    /// A batch ends.
    End,
    /// Fresh pages are touched from here on.
    Learn,
    /// They have been touched.
    Learned,
}

/// A number that is being spelled, lowest bit first.
#[derive(Default)]
pub struct Spelling {
    value: u64,
    bit: u32,
}

impl Spelling {
    /// Reads the next mark's code: a bit of the number, or what the number so far is for.
    pub fn read(&mut self, code: u16) -> Option<Mark> {
        match code {
            0x0000 => return self.add(0),
            0x0001 => return self.add(1),
            _ => {}
        }
        let value = std::mem::take(self).value;
        Some(match code {
            0x0100 => Mark::Series(value),
            0x0101 => Mark::Per(f64::from_bits(value)),
            0x0102 => Mark::Term((value >> 1) as u32, value & 1 == 1),
            0x0103 => Mark::Ops(value),
            0x0104 => Mark::Close(value),
            0x0200 => Mark::Begin,
            0x0201 => Mark::End,
            0x0300 => Mark::Learn,
            0x0301 => Mark::Learned,
            _ => return None,
        })
    }

    fn add(&mut self, one: u64) -> Option<Mark> {
        self.value |= one.checked_shl(self.bit).unwrap_or(0);
        self.bit += 1;
        None
    }
}
