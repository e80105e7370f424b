//! The probe's marks: what their codes mean, and the numbers that they spell in bits.

use tare_proto::mark as code;

/// What a mark says. Codes that are not the probe's are another program's business.
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
    /// The name of a module, as a number.
    Module(u64),
    /// Where its code begins.
    At(u64),
    /// The same in the kernel of a machine inside which the layer runs.
    AtOutside(u64),
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
            code::ZERO => return self.add(0),
            code::ONE => return self.add(1),
            _ => {}
        }
        let value = std::mem::take(self).value;
        Some(match code {
            code::SERIES => Mark::Series(value),
            code::PER => Mark::Per(f64::from_bits(value)),
            code::TERM => Mark::Term((value >> 1) as u32, value & 1 == 1),
            code::OPS => Mark::Ops(value),
            code::DONE => Mark::Close(value),
            code::BEGIN => Mark::Begin,
            code::END => Mark::End,
            code::LEARN => Mark::Learn,
            code::LEARNED => Mark::Learned,
            code::MODULE => Mark::Module(value),
            code::AT => Mark::At(value),
            code::AT_OUTSIDE => Mark::AtOutside(value),
            _ => return None,
        })
    }

    fn add(&mut self, one: u64) -> Option<Mark> {
        self.value |= one.checked_shl(self.bit).unwrap_or(0);
        self.bit += 1;
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What is read of `value`, spelled bit by bit, and then `code`.
    fn spelled(value: u64, code: u16) -> Option<Mark> {
        let mut spelling = Spelling::default();
        for bit in 0..u64::BITS - value.leading_zeros() {
            assert!(spelling.read((value >> bit & 1) as u16).is_none());
        }
        spelling.read(code)
    }

    #[test]
    fn numbers_are_spelled_from_their_lowest_bit() {
        assert!(matches!(spelled(0, code::SERIES), Some(Mark::Series(0))));
        assert!(matches!(spelled(11, code::SERIES), Some(Mark::Series(11))));
        assert!(matches!(spelled(u64::MAX, code::OPS), Some(Mark::Ops(u64::MAX))));
        assert!(matches!(spelled(2.5f64.to_bits(), code::PER), Some(Mark::Per(per)) if per == 2.5));
        assert!(matches!(spelled(0b111, code::TERM), Some(Mark::Term(3, true))));
        assert!(matches!(spelled(0b110, code::TERM), Some(Mark::Term(3, false))));
        assert!(matches!(spelled(1 << 63, code::AT), Some(Mark::At(at)) if at == 1 << 63));
    }

    #[test]
    fn what_another_program_says_spoils_no_number_after_it() {
        let mut spelling = Spelling::default();
        (0..100).for_each(|_| assert!(spelling.read(1).is_none())); // more bits than there are
        assert!(spelling.read(0x7777).is_none());
        spelling.read(1);
        assert!(matches!(spelling.read(code::DONE), Some(Mark::Close(1))));
    }
}
