//! A series of continuous activity, cut into samples of equal time.

use crate::bench::Own;
use crate::clock::now_ns;
use crate::watch::Watch;

/// The samples so far. The first is the warm-up and thrown away.
pub struct Slices<'a> {
    watch: &'a Watch,
    /// Amount of one operation.
    operation: u64,
    slice: u64,
    wanted: usize,
    begin: u64,
    amount: u64,
    all: u64,
    rates: Vec<f64>,
}

impl<'a> Slices<'a> {
    /// Begins now, with the time that `own` gives; an operation's amount is `operation`.
    pub fn begin(own: &Own<'a>, operation: u64) -> Slices<'a> {
        let wanted = own.samples as usize + 1;
        let slice = (own.limit.as_nanos() as u64 / wanted as u64).max(1);
        let rates = Vec::with_capacity(wanted);
        let watch = own.watch;
        Slices { watch, operation, slice, wanted, begin: now_ns(), amount: 0, all: 0, rates }
    }

    /// Whether what ends now counts.
    pub fn warm(&self) -> bool {
        !self.rates.is_empty()
    }

    /// Notes that `amount` has been done; a sample ends with the first that is done after its time.
    pub fn add(&mut self, amount: u64, now: u64) {
        self.amount += amount;
        let took = now.saturating_sub(self.begin);
        if took >= self.slice {
            self.rates.push(self.amount as f64 * 1e9 / took as f64);
            self.all += self.amount;
            if self.rates.len() > 1 {
                self.watch.end(self.amount / self.operation);
            }
            if !self.full() {
                self.watch.begin();
            }
            (self.begin, self.amount) = (now, 0);
        }
    }

    /// Whether there are enough samples.
    pub fn full(&self) -> bool {
        self.rates.len() >= self.wanted
    }

    /// What was done in all, and how much of it a second in each sample.
    pub fn end(mut self) -> (u64, Vec<f64>) {
        let samples = self.rates.split_off(1.min(self.rates.len()));
        (self.all + self.amount, samples)
    }
}
