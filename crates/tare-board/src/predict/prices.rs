//! What operations cost on a layer and on the baseline: the rows of the suite `operations`.

use super::Profile;
use super::busy::Of;
use crate::board::{Cell, Row, Scoreboard};
use tare_proto::{CODE, COMPUTE, OPERATION_ROW, Operation, RESUMED, Untrusted, Work};
use tare_stats::CostTerm;
use tare_stats::dist::t_factor;

/// The group of user time, after those of the kinds of work.
pub(super) const USER: usize = Work::ALL.len();

/// Groups of costs.
pub(super) const GROUPS: usize = USER + 1;

/// How sure the intervals of rows are.
const ROWS_CONFIDENCE: f64 = 0.95;

/// The usual standard error of the logarithm of a ratio from one block.
const ONE_BLOCK: f64 = 0.1;

/// The prices of one layer.
pub(super) struct Prices<'a> {
    board: &'a Scoreboard,
    layer: &'a str,
    /// What they are in.
    of: Of<'a>,
}

/// Why a price is not known.
pub(super) enum NoPrice {
    /// The campaign has no such row.
    NotInCampaign,
    /// The layer has no number, and why.
    NotOnLayer(Untrusted),
}

impl<'a> Prices<'a> {
    pub fn new(board: &'a Scoreboard, layer: &'a str, of: Of<'a>) -> Prices<'a> {
        Prices { board, layer, of }
    }

    /// What `times` operations cost.
    pub fn operation(&self, operation: &Operation, times: f64) -> Result<CostTerm, NoPrice> {
        let one = self.one(&format!("{OPERATION_ROW}{}", operation.name))?;
        let group = Work::ALL.iter().position(|work| *work == operation.work).unwrap_or(0);
        Ok(CostTerm { group, native: one.native * times, layer: one.layer * times, ..one })
    }

    /// How often a program that does `times` of `operation` comes back from the kernel of this layer: once for each call, and for each
    /// fault or clock that is at least half as dear here as a call, since nothing else can be the reason.
    pub fn returns(&self, operation: &Operation, times: f64) -> f64 {
        let added = |name: &str| {
            let one = self.one(&format!("{OPERATION_ROW}{name}")).ok()?;
            Some(one.layer - one.native)
        };
        let is_dear = || {
            let (own, call) = added(operation.name).zip(added("null"))?;
            Some(call > 0.0 && own >= call / 2.0)
        };
        match operation.may_enter() && is_dear().unwrap_or(false) {
            true => times,
            false => f64::from(operation.calls) * times,
        }
    }

    /// What `returns` from the kernel add to `ns` of user time that they are spread over, because code after them finds cold caches.
    ///
    /// One price is known, of a piece of code of the length of the row [`CODE`]. It grows with the length as the footprint does, the
    /// number of different cache lines: about with the square root (Thiebaut and Stone, "Footprints in the cache", ACM TOCS 5(4), 1987;
    /// Hartstein et al., "Cache miss behavior: is it √2?", CF 2006), and no more beyond [`LONGEST`] pieces, since code comes back to
    /// where it was.
    pub fn resume(&self, returns: f64, ns: f64) -> Result<CostTerm, NoPrice> {
        let (code, resumed) = (self.one(CODE)?, self.one(RESUMED)?);
        let call = self.one(&format!("{OPERATION_ROW}null"))?;
        let pieces = (ns / returns / code.native).min(LONGEST).sqrt() * returns;
        let more = |of: fn(&CostTerm) -> f64| (of(&resumed) - of(&code) - of(&call)).max(0.0);
        let (native, layer) = (more(|term| term.native), more(|term| term.layer));
        let error =
            [code, resumed, call].iter().map(|t| t.layer * t.log_error).fold(0.0, f64::hypot);
        let log_error = if layer > 0.0 { (error / layer).min(1.0) } else { 0.0 };
        Ok(CostTerm { group: USER, native: native * pieces, layer: layer * pieces, log_error })
    }

    /// What a time of row `name` costs, in group 0.
    fn one(&self, name: &str) -> Result<CostTerm, NoPrice> {
        let (row, cell) = self.row(name)?;
        let native = row.baseline.as_ref().map(|mean| mean.mean);
        let (native, (layer, log_error)) = native.zip(cost(cell)).ok_or_else(|| none(cell))?;
        let ratio = beyond_noise(row, cell, layer / native);
        let (here, there) = self.of.cpus(row.benchmark.raw());
        Ok(CostTerm { group: 0, native: native * here, layer: native * ratio * there, log_error })
    }

    /// What a run of `program` takes on the baseline. Of what runs on several CPUs at once, costs are shares of all their time.
    pub fn native(&self, program: &Profile) -> f64 {
        let used = program.user_ns + program.system_ns;
        match self.of {
            Of::Time => program.native_ns.max(used),
            Of::Cpu(_) => used,
        }
    }

    /// What user time of `ns` natively costs.
    pub fn user(&self, ns: f64) -> Result<CostTerm, NoPrice> {
        let (row, cell) = self.row(COMPUTE)?;
        let known = cell.ratio.as_ref().zip(cost(cell));
        let (ratio, (_, log_error)) = known.ok_or_else(|| none(cell))?;
        let (here, there) = self.of.cpus(COMPUTE);
        let ratio = beyond_noise(row, cell, ratio.value) * there / here;
        Ok(CostTerm { group: USER, native: ns, layer: ns * ratio, log_error })
    }

    fn row(&self, name: &str) -> Result<(&'a Row, &'a Cell), NoPrice> {
        let row = self.board.rows.iter().find(|row| row.benchmark == name);
        let row = row.ok_or(NoPrice::NotInCampaign)?;
        let cell = row.cells.iter().find(|cell| cell.layer == self.layer);
        Ok((row, cell.ok_or(NoPrice::NotInCampaign)?))
    }
}

/// Pieces of code after a call, in the length of row [`CODE`], beyond which few cache lines are new.
const LONGEST: f64 = 4.0;

fn none(cell: &Cell) -> NoPrice {
    NoPrice::NotOnLayer(cell.why.clone().unwrap_or_else(|| "it has no value".into()))
}

/// A ratio that is no further from 1 than the baseline's second boot is from its first is no difference.
fn beyond_noise(row: &Row, cell: &Cell, ratio: f64) -> f64 {
    let noise = cell.floor.or(row.floor).map_or(0.0, |floor| floor.ratio.value.ln().abs());
    if ratio.ln().abs() <= noise { 1.0 } else { ratio }
}

/// What an operation costs on the layer, and the standard error of the logarithm. Blocks show it by the ratio, whose noise the layer and
/// the baseline may have in common, and by the layer's own mean, where the baseline's noise is not; the more certain one is taken. A
/// layer that takes no turns is divided by other series of the baseline than those of the row's mean, so a ratio is multiplied by what it
/// is a ratio to. An interval from few blocks is many standard errors wide; what is usual counts as one block more.
fn cost(cell: &Cell) -> Option<(f64, f64)> {
    let ratio = cell.ratio.as_ref().filter(|ratio| ratio.value > 0.0)?;
    let by_ratio = ratio.value * cell.pair?.baseline;
    let blocks = ratio.blocks.max(1) as f64;
    let usual = ONE_BLOCK / blocks.sqrt();
    let bounds = ratio.low.zip(ratio.high).filter(|(low, _)| *low > 0.0);
    let of_ratio = bounds.map(|(low, high)| (by_ratio, (high / low).ln() / 2.0));
    let of_mean = cell.mean.filter(|own| own.mean > 0.0);
    let of_mean = of_mean.and_then(|own| Some((own.mean, (own.ci_width_percent? / 200.0).asinh())));
    let surest = of_ratio.into_iter().chain(of_mean).min_by(|a, b| a.1.total_cmp(&b.1));
    let Some((cost, reach)) = surest.filter(|_| blocks > 1.0) else {
        return Some((by_ratio, usual));
    };
    let own = reach / t_factor(ROWS_CONFIDENCE, blocks - 1.0);
    let error = (((blocks - 1.0) * own.powi(2) + usual.powi(2)) / blocks).sqrt();
    Some((cost, error))
}
