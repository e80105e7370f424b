//! The probe's line on its way out: whole lines, and before each series what was counted meanwhile.

use crate::exits::{Totals, between};
use std::io::{self, Write};
use tare_proto::{FromProbe, MAX_LINE, decode, encode};

/// Passes lines on to `out`.
pub struct Line<W, C> {
    out: W,
    /// Reads the totals.
    count: C,
    /// What has not been passed on yet of the line.
    pending: Vec<u8>,
    /// The totals when the series began, and when the first byte after that came: the line's own way out is not in them.
    begun: Option<Totals>,
    ended: Option<Totals>,
}

impl<W: Write, C: FnMut() -> Totals> Line<W, C> {
    /// A line to `out`.
    pub fn new(out: W, count: C) -> Line<W, C> {
        Line { out, count, pending: Vec::new(), begun: None, ended: None }
    }

    /// The line is whole, or as long as any may be.
    fn pass(&mut self) -> io::Result<()> {
        match decode::<FromProbe>(&String::from_utf8_lossy(&self.pending)) {
            Ok(FromProbe::Begin { .. }) => {
                self.begun = Some((self.count)());
                self.ended = None;
            }
            Ok(FromProbe::Series(_)) => {
                if let (Some(begun), Some(ended)) = (self.begun.take(), self.ended.take()) {
                    let counters = between(&begun, &ended);
                    self.out.write_all(encode(&FromProbe::Counted { counters }).as_bytes())?;
                }
            }
            _ => {}
        }
        self.out.write_all(&self.pending)?;
        self.out.flush()?;
        self.pending.clear();
        Ok(())
    }
}

impl<W: Write, C: FnMut() -> Totals> Write for Line<W, C> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        for byte in bytes {
            if self.begun.is_some() && self.ended.is_none() {
                self.ended = Some((self.count)());
            }
            self.pending.push(*byte);
            if *byte == b'\n' || self.pending.len() == MAX_LINE {
                self.pass()?;
            }
        }
        Ok(bytes.len())
    }

    /// The port flushes after each byte; what matters is the line.
    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use tare_proto::{Counter, Series};

    /// What comes out of a line whose count grows by one each time that it is read.
    fn passed(bytes: &[u8]) -> Vec<u8> {
        let (mut out, mut count) = (Vec::new(), 0);
        let totals = || {
            count += 1;
            Totals::from([("exits".to_owned(), count)])
        };
        let mut line = Line::new(&mut out, totals);
        line.write_all(bytes).unwrap();
        out
    }

    #[test]
    fn a_series_comes_after_its_counts() {
        let begin = encode(&FromProbe::Begin { id: 1 });
        let series = encode(&FromProbe::Series(Series { id: 1, ..Series::default() }));
        let counters = vec![Counter::new("kvm/exits", 1.0)];
        let counted = encode(&FromProbe::Counted { counters });
        let out = passed(format!("{begin}{series}{series}").as_bytes());
        assert_eq!(String::from_utf8(out).unwrap(), format!("{begin}{counted}{series}{series}"));
    }

    #[test]
    fn what_has_no_end_is_passed_on_all_the_same() {
        assert_eq!(passed(&vec![b'x'; MAX_LINE + 5]).len(), MAX_LINE);
    }

    proptest! {
        #[test]
        fn noise_passes_unchanged(mut bytes in prop::collection::vec(any::<u8>(), 0..500)) {
            bytes.push(b'\n');
            prop_assert_eq!(passed(&bytes), bytes);
        }
    }
}
