//! Ratios that are judged together: everything that is said of one is corrected for all.

use super::board::{FleetCell, FleetLayer, FleetMean, FleetRow, PooledRatio};
use super::differ::{conclude, spread};
use super::merged::{Merged, MergedCell, Subject};
use super::pooled::{interval, pooled_cell};
use crate::board::{Measure, Verdict};
use crate::options::Options;
use crate::ratio::judge::verdict;
use crate::ratio::support::Support;
use crate::suite::load::plain;
use crate::value::measured::best;
use tare_proto::Better;
use tare_stats::{
    Best, RowInput, VarianceModel, VerdictRules, benjamini_hochberg, holm, verdicts_with,
};

/// Ratios that are judged together.
pub(super) struct Family<'a> {
    pub(super) members: Vec<Member<'a>>,
}

pub(super) struct Member<'a> {
    subject: &'a Subject,
    pub(super) cell: FleetCell,
}

impl<'a> Family<'a> {
    /// Pools each ratio, then corrects verdicts, differences of hosts, their causes and outliers over all of them.
    pub(super) fn new(
        merged: &'a Merged,
        options: &Options,
        floor: impl Fn(&Subject) -> Option<f64>,
        cells: impl Iterator<Item = &'a MergedCell>,
    ) -> Family<'a> {
        let member = |cell: &'a MergedCell| Member {
            subject: &cell.subject,
            cell: pooled_cell(merged, cell, options),
        };
        let mut family = Family { members: cells.map(member).collect() };
        family.correct_spreads(options);
        family.correct_outliers(options);
        family.judge(merged, options, floor);
        family
    }

    fn correct_spreads(&mut self, options: &Options) {
        let mut pooled: Vec<&mut PooledRatio> =
            self.members.iter_mut().filter_map(|member| member.cell.pooled.as_mut()).collect();
        let same = holm(&pooled.iter().map(|pooled| pooled.p_same).collect::<Vec<_>>());
        pooled.iter_mut().zip(same).for_each(|(pooled, p)| pooled.p_same = p);
        for Member { cell, .. } in &mut self.members {
            cell.spread = spread(cell.pooled.as_ref(), options);
        }
        let all = self.members.iter().flat_map(|member| &member.cell.properties);
        let mut p = holm(&all.map(|property| property.p).collect::<Vec<_>>()).into_iter();
        for Member { cell: FleetCell { properties, spread, .. }, .. } in &mut self.members {
            for property in properties.iter_mut() {
                conclude(property, p.next().unwrap_or(1.0), *spread, options);
            }
            properties
                .sort_by(|a, b| b.explains.cmp(&a.explains).then(b.share.total_cmp(&a.share)));
        }
    }

    /// Of the hosts that are named in a row, one in twenty is expected to be so by chance.
    fn correct_outliers(&mut self, options: &Options) {
        let hosts = || self.members.iter().flat_map(|member| &member.cell.hosts);
        let p: Vec<f64> = hosts().map(|host| host.outlier.unwrap_or(1.0)).collect();
        let mut p = benjamini_hochberg(&p).into_iter();
        for host in self.members.iter_mut().flat_map(|member| &mut member.cell.hosts) {
            host.outlier = p.next().filter(|p| *p <= 1.0 - options.confidence);
        }
    }

    fn judge(
        &mut self,
        merged: &Merged,
        options: &Options,
        floor: impl Fn(&Subject) -> Option<f64>,
    ) {
        let input = |member: &Member| {
            let best = match member.subject {
                Subject::Row { benchmark, .. } => best(merged.benchmarks[*benchmark].better),
                _ => Best::Lowest,
            };
            let interval = interval(member.cell.pooled.as_ref()?, options)?;
            let floor = floor(member.subject).map_or(0.0, f64::ln);
            Some(RowInput { interval, margin: options.margin, floor, best, layer: 0 })
        };
        let inputs: Vec<Option<RowInput>> = self.members.iter().map(input).collect();
        let rules = VerdictRules {
            correction: options.correction,
            alpha: 1.0 - options.confidence,
            // What differs between hosts in one row says nothing of another.
            variance: VarianceModel::PerRow,
        };
        let usable: Vec<RowInput> = inputs.iter().flatten().copied().collect();
        let mut answers = verdicts_with(&usable, &rules).into_iter();
        for (Member { cell, .. }, _) in
            self.members.iter_mut().zip(&inputs).filter(|(_, input)| input.is_some())
        {
            let Some(answer) = answers.next() else { break };
            let (said, more) = verdict(answer.verdict);
            let open = cell.subtracted > 0 && said != Verdict::None;
            (cell.verdict, cell.more_hosts) =
                if open { (Verdict::Undecided, None) } else { (said, more) };
            cell.p_difference = Some(answer.p_difference);
            cell.p_equivalence = Some(answer.p_equivalence);
            cell.shown = answer.shown.filter(|_| cell.verdict == Verdict::Equivalent);
        }
    }

    /// Bounds what is said of geometric means by what is said of their `rows`.
    pub(super) fn bound_by(&mut self, merged: &Merged, rows: &Family) {
        let plain = plain(merged.benchmarks.iter().map(|bench| bench.name.as_str()));
        for Member { subject, cell } in &mut self.members {
            let Subject::Mean { suite, measure, layer } = *subject else { continue };
            let of_row = |row: &Member| match row.subject {
                Subject::Row { benchmark, layer: own } if own == layer && plain[*benchmark] => {
                    let info = &merged.benchmarks[*benchmark];
                    let same = info.suite == *suite && Measure::of(info.unit) == *measure;
                    let pooled = row.cell.pooled.as_ref();
                    let log = pooled.filter(|_| same && row.cell.subtracted == 0)?.value.ln();
                    Some((if info.better == Better::Higher { -log } else { log }, row.cell.verdict))
                }
                _ => None,
            };
            cell.verdict = Support::of(rows.members.iter().filter_map(of_row)).bound(cell.verdict);
        }
    }

    /// A benchmark's row; `others` are the layers that are weighed.
    pub(super) fn row(
        &self,
        merged: &Merged,
        bench: usize,
        others: &[usize],
        floor: Option<f64>,
    ) -> FleetRow {
        let info = &merged.benchmarks[bench];
        let cell = |&layer: &usize| {
            let wanted = Subject::Row { benchmark: bench, layer };
            let found = self.members.iter().find(|member| *member.subject == wanted);
            found.map_or_else(FleetCell::empty, |member| member.cell.clone())
        };
        FleetRow {
            benchmark: info.name.clone().into(),
            about: info.about.clone().into(),
            suite: info.suite.clone().into(),
            unit: info.unit,
            better: info.better,
            floor,
            cells: others.iter().map(cell).collect(),
        }
    }

    /// A layer with its geometric means.
    pub(super) fn layer(&self, merged: &Merged, layer: usize) -> FleetLayer {
        let mean = |member: &Member| match member.subject {
            Subject::Mean { suite, measure, layer: own } if *own == layer => {
                let cost = member.cell.clone();
                Some(FleetMean { suite: suite.clone(), measure: *measure, cost })
            }
            _ => None,
        };
        let row = &merged.layers[layer];
        FleetLayer {
            name: row.name.clone(),
            kind: row.kind.clone(),
            settings: row.settings.clone(),
            means: self.members.iter().filter_map(mean).collect(),
        }
    }
}
