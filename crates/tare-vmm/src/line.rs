//! The probe's line on its way out: whole lines, and before each series what was counted meanwhile.

use crate::exits::{Totals, between};
use std::io::{self, Write};
use tare_proto::{Counter, FromProbe, MAX_LINE, decode, encode};

/// Passes lines on to `out`.
pub struct CountingLine<W, C> {
    out: W,
    /// Reads the totals.
    count: C,
    /// What has not been passed on yet of the line.
    pending: Vec<u8>,
    /// The totals when the series began, and when the first byte after that came: the line's own way out is not in them.
    begun: Option<Totals>,
    ended: Option<Totals>,
    /// What the turns of the series so far have counted; what happens between them is not its doing.
    turns: Vec<Counter>,
}

impl<W: Write, C: FnMut() -> Totals> CountingLine<W, C> {
    /// A line to `out`.
    pub fn new(out: W, count: C) -> CountingLine<W, C> {
        CountingLine {
            out,
            count,
            pending: Vec::new(),
            begun: None,
            ended: None,
            turns: Vec::new(),
        }
    }

    /// The line is whole, or as long as any may be.
    fn pass(&mut self) -> io::Result<()> {
        match decode::<FromProbe>(&String::from_utf8_lossy(&self.pending)) {
            Ok(FromProbe::Begin { .. }) => {
                self.begun = Some((self.count)());
                self.ended = None;
            }
            Ok(FromProbe::Waiting { .. }) => self.end_turn(),
            Ok(FromProbe::Series(_)) => {
                self.end_turn();
                let counters = std::mem::take(&mut self.turns);
                if !counters.is_empty() {
                    self.out.write_all(encode(&FromProbe::Counted { counters }).as_bytes())?;
                }
            }
            Ok(FromProbe::Unavailable { .. } | FromProbe::Failed { .. }) => self.turns.clear(),
            _ => {}
        }
        self.out.write_all(&self.pending)?;
        self.out.flush()?;
        self.pending.clear();
        Ok(())
    }

    /// Adds what was counted since the last `Begin`.
    fn end_turn(&mut self) {
        let Some((begun, ended)) = self.begun.take().zip(self.ended.take()) else { return };
        for counter in between(&begun, &ended) {
            match self.turns.iter_mut().find(|sum| sum.name == counter.name) {
                Some(sum) => sum.value += counter.value,
                None => self.turns.push(counter),
            }
        }
    }
}

impl<W: Write, C: FnMut() -> Totals> Write for CountingLine<W, C> {
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
        let mut line = CountingLine::new(&mut out, totals);
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
    fn turns_add_up_and_what_lies_between_them_does_not_count() {
        let begin = encode(&FromProbe::Begin { id: 1 });
        let waiting = encode(&FromProbe::Waiting { id: 1, sample_ns: 0 });
        let series = encode(&FromProbe::Series(Series { id: 1, ..Series::default() }));
        let counted =
            encode(&FromProbe::Counted { counters: vec![Counter::new("kvm/exits", 2.0)] });
        let out = passed(format!("{begin}{waiting}{begin}{series}").as_bytes());
        let expected = format!("{begin}{waiting}{begin}{counted}{series}");
        assert_eq!(String::from_utf8(out).unwrap(), expected);
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
