//! What the layers' figures hang on: each geometric mean once more under the other options of the choices that were made for it.

use super::analysis::Analysis;
use super::geomean::{Group, costs, groups};
use super::weigh::Logs;
use crate::board::{Choice, ChoiceOf, Chosen, Geomean, HangsOn, Ratio};
use crate::format::count;
use crate::value::measured::{Operation, block_log_ratio};
use crate::value::values::BlockResult;
use tare_stats::suite_geomean_sparse;
use tare_store::Role;

/// Rows that end with this start their program with a C library, and have one without it beside them.
pub const C_LIBRARY: &str = "_libc";

/// Series of a layer that the scoreboard does not show.
#[derive(Clone, Copy)]
enum Other {
    /// Those on one CPU.
    OneCpu,
    /// Those that were taken once more, all samples at once.
    AtOnce,
}

/// Of every layer with a mean over several rows.
pub(crate) fn hangs_on(analysis: &Analysis, means: &[Geomean]) -> Vec<HangsOn> {
    let several = means.iter().filter(|mean| mean.rows > 1 && mean.cost.low.is_some());
    several.filter_map(|mean| Means::of(analysis, mean)?.hangs_on()).collect()
}

/// A geometric mean, and the rows that are in it.
struct Means<'a> {
    analysis: &'a Analysis<'a>,
    mean: &'a Geomean,
    /// The layer's index, and its place among the others.
    layer: usize,
    column: usize,
    rows: Vec<usize>,
}

impl<'a> Means<'a> {
    fn of(analysis: &'a Analysis<'a>, mean: &'a Geomean) -> Option<Means<'a>> {
        let Analysis { campaign, others, weighed, values, .. } = analysis;
        let column = others.iter().position(|&at| campaign.layers[at].name == mean.layer)?;
        let groups = groups(&campaign.benchmarks, &values.by_host);
        let is_own =
            |group: &Group| group.suite == mean.suite.raw() && group.measure == mean.measure;
        let mut rows = groups.into_iter().find(is_own)?.rows;
        rows.retain(|row| {
            let cell = &weighed[*row][column];
            let is_paired = matches!(cell.logs, Logs::Paired(_));
            is_paired && cell.whole.is_none() && cell.interval.is_some()
        });
        Some(Means { analysis, mean, layer: others[column], column, rows })
    }

    fn hangs_on(&self) -> Option<HangsOn> {
        let all = [self.figure(), self.cpus(), self.turns(), self.c_library(), self.rows()];
        let mut choices: Vec<Choice> = all.into_iter().flatten().collect();
        choices.sort_by(|a, b| b.factor().total_cmp(&a.factor()));
        let shown = self.mean.cost.value;
        let moved = |choice: &Choice, option: &Chosen| {
            shown * option.cost.value / choice.options[0].cost.value
        };
        let costs = || {
            choices
                .iter()
                .flat_map(|choice| choice.options.iter().map(|option| moved(choice, option)))
        };
        let low = costs().fold(shown, f64::min);
        let high = costs().fold(shown, f64::max);
        let Geomean { layer, suite, measure, .. } = self.mean;
        (!choices.is_empty()).then(|| HangsOn {
            layer: layer.clone(),
            suite: suite.clone(),
            measure: *measure,
            low,
            high,
            choices,
        })
    }

    /// By the other figure of the same series.
    fn figure(&self) -> Option<Choice> {
        let (best, mean) = (self.mean.figures.best?, self.mean.figures.mean?);
        let rows = self.mean.rows;
        let option = |option: &str, cost| Chosen { option: option.into(), cost, rows };
        let mut options = vec![option("the best case", best), option("the mean", mean)];
        if best != self.mean.cost {
            options.reverse();
        }
        Some(Choice { by: ChoiceOf::Figure, options })
    }

    /// On one CPU, where the layer has several.
    fn cpus(&self) -> Option<Choice> {
        let several = count(self.analysis.campaign.plan.all_cpus().len(), "CPU");
        self.other_series(ChoiceOf::Cpus, Other::OneCpu, [&several, "one CPU"])
    }

    /// All samples at once, where the layer takes turns.
    fn turns(&self) -> Option<Choice> {
        let words = ["short turns beside the others", "a whole series at once"];
        self.other_series(ChoiceOf::Turns, Other::AtOnce, words)
    }

    /// The rows that are measured both as shown and by `other` series.
    fn other_series(
        &self,
        by: ChoiceOf,
        other: Other,
        [shown, second]: [&str; 2],
    ) -> Option<Choice> {
        let has = |row: &usize| self.costs(*row, Some(other)).iter().flatten().count() > 1;
        let rows: Vec<usize> = self.rows.iter().copied().filter(has).collect();
        let options = vec![self.over(shown, &rows, None)?, self.over(second, &rows, Some(other))?];
        Some(Choice { by, options })
    }

    /// The programs that rows start, with and without a C library.
    fn c_library(&self) -> Option<Choice> {
        let benches = &self.analysis.campaign.benchmarks;
        let find = |name: &str| benches.iter().position(|bench| bench.name == name);
        let pair = |row: &usize| Some((*row, find(&format!("{}{C_LIBRARY}", benches[*row].name))?));
        let (without, with): (Vec<usize>, Vec<usize>) = self.rows.iter().filter_map(pair).unzip();
        let options = vec![
            self.over("programs without a C library", &without, None)?,
            self.over("the same with one", &with, None)?,
        ];
        Some(Choice { by: ChoiceOf::CLibrary, options })
    }

    /// Over the rows that all layers have, and without the row that moves the mean most up or down.
    fn rows(&self) -> Option<Choice> {
        let all = self.over("all its rows", &self.rows, None)?;
        let mut options = vec![all];
        options.extend(self.mean.shared.map(|shared| Chosen {
            option: "the rows that all layers have".into(),
            cost: shared.cost,
            rows: shared.rows,
        }));
        let without = |row: &usize| {
            let others: Vec<usize> =
                self.rows.iter().copied().filter(|other| other != row).collect();
            let name = &self.analysis.campaign.benchmarks[*row].name;
            self.over(&format!("all but {name}"), &others, None)
        };
        let mut fewer: Vec<Chosen> = self.rows.iter().filter_map(without).collect();
        fewer.sort_by(|a, b| a.cost.value.total_cmp(&b.cost.value));
        options.extend(fewer.pop());
        if !fewer.is_empty() {
            options.push(fewer.swap_remove(0));
        }
        (options.len() > 1).then_some(Choice { by: ChoiceOf::Rows, options })
    }

    /// The mean over `rows`, as shown or from `other` series.
    fn over(&self, option: &str, rows: &[usize], other: Option<Other>) -> Option<Chosen> {
        let costs: Vec<Vec<Option<f64>>> = rows.iter().map(|row| self.costs(*row, other)).collect();
        let suite = suite_geomean_sparse(&costs, self.analysis.options.confidence).ok()?;
        let cost = Ratio::from(&suite.interval);
        Some(Chosen { option: option.into(), cost, rows: suite.rows })
    }

    /// The logarithm of a row's cost in each block, as shown or from `other` series.
    fn costs(&self, row: usize, other: Option<Other>) -> Vec<Option<f64>> {
        let Analysis { values, campaign, weighed, .. } = self.analysis;
        let by_other = |other| {
            let blocks = values.blocks.iter();
            blocks.map(|block| self.other_log(*block, row, other)).collect()
        };
        let logs = match (other, &weighed[row][self.column].logs) {
            (Some(other), _) => by_other(other),
            (None, Logs::Paired(logs)) => logs.clone(),
            (None, Logs::Unpaired(_)) => Vec::new(),
        };
        costs(&logs, campaign.benchmarks[row].better)
    }

    /// The log ratio of a block whose layer is measured by other `series` than the scoreboard shows.
    fn other_log(&self, block: u32, row: usize, other: Other) -> Option<f64> {
        let values = &self.analysis.values;
        let at_once = |layer: usize, role| values.again.get(&(block, layer, role, row));
        let measured =
            |found: Option<&BlockResult>| values.measured(found?, row, Operation::Corrected);
        let own = match other {
            Other::OneCpu => values.at(block, self.layer, Role::OneCpu, row),
            Other::AtOnce => at_once(self.layer, Role::Weigh),
        };
        let baseline = values.baseline?;
        let base = [Role::Weigh, Role::Floor].map(|role| measured(at_once(baseline, role)));
        block_log_ratio(&measured(own)?, base.each_ref().map(Option::as_ref))
    }
}
