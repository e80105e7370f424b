//! Both figures of every ratio, the best case and the mean, and where they say different things.

use crate::Comment;
use crate::board::{Figures, Geomean, Ratio};
use crate::options::Options;
use crate::ratio::analysis::Analysis;
use crate::value::measured::Figure;
use tare_stats::{Estimator, RatioInterval};

/// A campaign analysed by the figure that its verdicts are about, and by the other one.
pub(crate) struct BothFigures<'a> {
    main: &'a Analysis<'a>,
    /// None of a campaign whose figures another tool took, and with an estimator of the reader's own.
    other: Option<Analysis<'a>>,
}

impl<'a> BothFigures<'a> {
    pub(crate) fn new(main: &'a Analysis<'a>) -> BothFigures<'a> {
        let estimator = match main.options.estimator {
            None => Some(Some(Estimator::Mean)),
            Some(Estimator::Mean) => Some(None),
            Some(_) => None,
        };
        let in_turns = main.campaign.series.iter().any(|row| !row.turns.is_empty());
        let other = estimator
            .filter(|_| in_turns)
            .map(|estimator| Analysis::new(main.campaign, &Options { estimator, ..main.options }));
        BothFigures { main, other }
    }

    /// Both ratios of a cell.
    pub(crate) fn of_cell(&self, benchmark: usize, column: usize) -> Figures {
        let ratio = |analysis: &Analysis| analysis.weighed[benchmark][column].ratio();
        self.figures(ratio(self.main), self.other.as_ref().and_then(ratio))
    }

    /// The geometric means, each by both figures.
    pub(crate) fn means(&self) -> Vec<Geomean> {
        let others: Vec<Geomean> =
            self.other.iter().flat_map(|other| other.means()).map(|(mean, _)| mean).collect();
        let same = |mean: &Geomean, other: &Geomean| {
            mean.suite == other.suite && mean.measure == other.measure && mean.layer == other.layer
        };
        let with_both = |(mut mean, _): (Geomean, Option<RatioInterval>)| {
            let other = others.iter().find(|other| same(&mean, other)).map(|other| other.cost);
            mean.figures = self.figures(Some(mean.cost), other);
            mean
        };
        self.main.means().map(with_both).collect()
    }

    /// What to say of a cell whose figures are apart by more than their intervals and the noise floors of both.
    pub(crate) fn apart(&self, benchmark: usize, column: usize) -> Option<Comment> {
        let other = self.other.as_ref()?;
        let of = |analysis: &Analysis| {
            let weighed = &analysis.weighed[benchmark][column];
            let floor = analysis.floors.log_bound(benchmark, weighed.bases);
            weighed.interval.filter(|_| weighed.whole.is_none()).map(|interval| (interval, floor))
        };
        let (main, main_floor) = of(self.main)?;
        let (second, second_floor) = of(other)?;
        let between = (second.log_ratio - main.log_ratio).abs();
        let disjoint = second.low > main.high || second.high < main.low;
        let is_apart = disjoint && between > main_floor.max(second_floor);
        is_apart.then(|| Comment::Apart { other: other.values.figure, ratio: (&second).into() })
    }

    fn figures(&self, main: Option<Ratio>, other: Option<Ratio>) -> Figures {
        if self.other.is_none() {
            return Figures::default();
        }
        match self.main.values.figure {
            Figure::Best => Figures { best: main, mean: other },
            Figure::Mean => Figures { best: other, mean: main },
        }
    }
}
