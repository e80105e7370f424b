//! What a layer is divided by in a block: the baseline's boots, each by the series that was taken like the layer's.

use crate::value::measured::{Measured, Operation, block_log_ratio, log_ratio, of_both};
use crate::value::values::{BlockResult, Values};
use tare_store::Role;

/// Which of the baseline's series a layer is divided by in a row.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Bases {
    /// In some block the one that every layer of the campaign is divided by.
    pub(crate) usual: bool,
    /// In some block the one that was taken once more, all samples at once, because the layer takes no turns.
    pub(crate) again: bool,
    /// In some block only ones that took turns although the layer took none, or the other way round: older versions measured
    /// no others.
    pub(crate) unlike: bool,
}

impl FromIterator<Bases> for Bases {
    fn from_iter<T: IntoIterator<Item = Bases>>(all: T) -> Bases {
        all.into_iter().fold(Bases::default(), |all, one| Bases {
            usual: all.usual || one.usual,
            again: all.again || one.again,
            unlike: all.unlike || one.unlike,
        })
    }
}

impl<'a> Values<'a> {
    /// The log ratio of `layer` to the baseline in `block`: what a ratio and its interval are made of.
    pub(crate) fn log_ratio(
        &self,
        block: u32,
        layer: usize,
        benchmark: usize,
        operation: Operation,
    ) -> Option<f64> {
        let of = |found: &BlockResult| self.measured(found, benchmark, operation);
        let base = self.base(block, layer, benchmark).map(|found| of(found?));
        let own = of(self.at(block, layer, Role::Weigh, benchmark)?)?;
        block_log_ratio(&own, base.each_ref().map(Option::as_ref))
    }

    /// The same of every block that the campaign has.
    pub(crate) fn log_ratios(
        &self,
        layer: usize,
        benchmark: usize,
        operation: Operation,
    ) -> Vec<Option<f64>> {
        let blocks = self.blocks.iter();
        blocks.map(|&block| self.log_ratio(block, layer, benchmark, operation)).collect()
    }

    /// The log ratio of the baseline's second boot in `block` to its first: by the usual series, or by those that were taken
    /// `again`. None where only one of the two took turns.
    pub(crate) fn floor_log(&self, block: u32, benchmark: usize, again: bool) -> Option<f64> {
        let of = |role| {
            let found = match again {
                true => self.again.get(&(block, self.baseline?, role, benchmark)),
                false => self.at(block, self.baseline?, role, benchmark),
            };
            self.measured(found?, benchmark, Operation::Corrected)
        };
        let (second, first) = (of(Role::Floor)?, of(Role::Weigh)?);
        second.is_like(&first).then(|| log_ratio(&second, &first))
    }

    /// The baseline's value that `layer` is divided by in `block`: that of both boots.
    pub(crate) fn below(&self, block: u32, layer: usize, benchmark: usize) -> Option<f64> {
        let value = |found: Option<&BlockResult>| match found {
            Some(BlockResult::Value(value, _)) => Some(*value),
            _ => None,
        };
        let [first, second] = self.base(block, layer, benchmark);
        of_both(value(first), value(second))
    }

    /// The series of the baseline's two boots that `layer` is divided by in `block`: those that were taken again, where the
    /// layer took all samples at once.
    pub(crate) fn base(
        &self,
        block: u32,
        layer: usize,
        benchmark: usize,
    ) -> [Option<&BlockResult<'a>>; 2] {
        let roles = [Role::Weigh, Role::Floor];
        let own = self.at(block, layer, Role::Weigh, benchmark);
        let at_once = matches!(own, Some(BlockResult::Value(_, row)) if row.turns.is_empty());
        let again = |role| self.again.get(&(block, self.baseline?, role, benchmark));
        let again = roles.map(|role| again(role).filter(|_| at_once && !self.is_base(layer)));
        if again.iter().any(Option::is_some) {
            return again;
        }
        roles.map(|role| self.at(block, self.baseline?, role, benchmark))
    }

    fn is_base(&self, layer: usize) -> bool {
        Some(layer) == self.baseline
    }

    /// Which of the baseline's series `layer` is divided by.
    pub(crate) fn bases(&self, layer: usize, benchmark: usize) -> Bases {
        let mut bases = Bases::default();
        for &block in &self.blocks {
            let own = self.at(block, layer, Role::Weigh, benchmark);
            let Some(BlockResult::Value(_, own)) = own else { continue };
            let base = self.base(block, layer, benchmark);
            let taken = base.iter().flatten().filter_map(|found| match found {
                BlockResult::Value(_, row) => Some(!row.turns.is_empty()),
                _ => None,
            });
            let turns: Vec<bool> = taken.collect();
            let again = [Role::Weigh, Role::Floor].into_iter().zip(&base).any(|(role, found)| {
                let key = self.baseline.map(|base| (block, base, role, benchmark));
                let again = key.and_then(|key| self.again.get(&key));
                again.zip(*found).is_some_and(|(again, found)| std::ptr::eq(again, found))
            });
            bases.again |= again;
            bases.usual |= !again;
            let like = |turns: &bool| *turns != own.turns.is_empty();
            bases.unlike |= !turns.is_empty() && !turns.iter().any(like);
        }
        bases
    }

    /// What a ratio is made of, if there is a value.
    pub(crate) fn measured(
        &self,
        found: &BlockResult,
        benchmark: usize,
        operation: Operation,
    ) -> Option<Measured> {
        let BlockResult::Value(value, row) = found else { return None };
        Some(Measured::of(*value, row, self.best[benchmark], operation, self.figure))
    }
}
