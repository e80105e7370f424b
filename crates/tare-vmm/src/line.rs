//! The probe's line on its way out: whole lines, and before each series what was counted meanwhile.

use crate::exits::{Totals, between};
use std::io::{self, Write};
use tare_proto::{Counter, FromProbe, MAX_LINE, decode, encode};

pub struct CountingLine<W, C> {
    out: W,
    count: C,
    /// What has not been passed on yet of the line.
    pending: Vec<u8>,
    /// The probe waits to be told that it may go on.
    waiting: bool,
    /// The totals when the series or turn began, and when the first byte after that came: the line's own way out is not in
    /// them.
    begun: Option<Totals>,
    ended: Option<Totals>,
    /// What the turns of the series so far have counted; what happens between them is not its doing.
    turns: Vec<Counter>,
}

impl<W: Write, C: FnMut() -> Totals> CountingLine<W, C> {
    pub fn new(out: W, count: C) -> CountingLine<W, C> {
        CountingLine {
            out,
            count,
            pending: Vec::new(),
            waiting: false,
            begun: None,
            ended: None,
            turns: Vec::new(),
        }
    }

    /// The guest has taken all that the host has said: if the probe waited for that, a turn begins now.
    pub fn heard(&mut self) {
        if self.waiting {
            self.begin();
        }
    }

    fn begin(&mut self) {
        self.begun = Some((self.count)());
        self.ended = None;
    }

    /// The line is whole, or as long as any may be.
    fn pass(&mut self) -> io::Result<()> {
        match decode::<FromProbe>(&String::from_utf8_lossy(&self.pending)) {
            Ok(FromProbe::Begin { .. }) => self.begin(),
            Ok(FromProbe::Waiting { .. }) => {
                self.end_turn();
                self.waiting = true;
            }
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

    /// Adds what was counted since the turn began.
    fn end_turn(&mut self) {
        self.waiting = false;
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
        for part in bytes.split_inclusive(|byte| *byte == HEARD) {
            line.write_all(part.strip_suffix(&[HEARD]).unwrap_or(part)).unwrap();
            if part.ends_with(&[HEARD]) {
                line.heard();
            }
        }
        out
    }

    /// Stands for the host's words, which the guest has taken.
    const HEARD: u8 = 1;

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
        // In two pieces, of which the last one counts; before the probe waits there is nothing to begin.
        let out = passed(format!("{begin}\x01{waiting}\x01\x01{series}").as_bytes());
        let expected = format!("{begin}{waiting}{counted}{series}");
        assert_eq!(String::from_utf8(out).unwrap(), expected);
    }

    #[test]
    fn what_has_no_end_is_passed_on_all_the_same() {
        assert_eq!(passed(&vec![b'x'; MAX_LINE + 5]).len(), MAX_LINE);
    }

    proptest! {
        #[test]
        fn noise_passes_unchanged(mut bytes in prop::collection::vec(2..=u8::MAX, 0..500)) {
            bytes.push(b'\n');
            prop_assert_eq!(passed(&bytes), bytes);
        }
    }
}
