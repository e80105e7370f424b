//! The figures of every ratio, the best case, the mean and the 99th percentile, and where the first two say different things.

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
    /// By the 99th percentile, where there is another.
    slowest: Option<Analysis<'a>>,
}

/// The percentile that every ratio is also given by.
const SLOWEST: Estimator = Estimator::Percentile { percent: 99.0 };

impl<'a> BothFigures<'a> {
    pub(crate) fn new(main: &'a Analysis<'a>) -> BothFigures<'a> {
        let estimator = match main.options.estimator {
            None => Some(Some(Estimator::Mean)),
            Some(Estimator::Mean) => Some(None),
            Some(_) => None,
        };
        let in_turns = main.campaign.series.iter().any(|row| !row.turns.is_empty());
        let by = |estimator| Analysis::new(main.campaign, &Options { estimator, ..main.options });
        let other = estimator.filter(|_| in_turns).map(by);
        let slowest = other.is_some().then(|| by(Some(SLOWEST)));
        BothFigures { main, other, slowest }
    }

    /// The ratios of a cell.
    pub(crate) fn of_cell(&self, benchmark: usize, column: usize) -> Figures {
        let ratio = |analysis: &Analysis| analysis.weighed[benchmark][column].ratio();
        let p99 = self.slowest.as_ref().and_then(ratio);
        Figures { p99, ..self.figures(ratio(self.main), self.other.as_ref().and_then(ratio)) }
    }

    /// The geometric means, each by all figures.
    pub(crate) fn means(&self) -> Vec<Geomean> {
        let all = |analysis: &Option<Analysis>| -> Vec<Geomean> {
            analysis.iter().flat_map(|it| it.means()).map(|(mean, _)| mean).collect()
        };
        let [others, slowest] = [all(&self.other), all(&self.slowest)];
        let of = |all: &[Geomean], mean: &Geomean| {
            let same = |other: &&Geomean| {
                let measures = mean.suite == other.suite && mean.measure == other.measure;
                measures && mean.layer == other.layer
            };
            all.iter().find(same).map(|other| other.cost)
        };
        let with_all = |(mut mean, _): (Geomean, Option<RatioInterval>)| {
            let p99 = of(&slowest, &mean);
            mean.figures = Figures { p99, ..self.figures(Some(mean.cost), of(&others, &mean)) };
            mean
        };
        self.main.means().map(with_all).collect()
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
            Figure::Mean => Figures { best: other, mean: main, p99: None },
            _ => Figures { best: main, mean: other, p99: None },
        }
    }
}
