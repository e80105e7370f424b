//! `--fail-if 'slower > 3%'`: conditions that fail a comparison, on corrected evidence only.

use crate::board::{Measure, Verdict};
use serde::Serialize;
use std::fmt;
use std::str::FromStr;
use tare_stats::dist::t_upper;
use tare_stats::{Correction, benjamini_hochberg, holm};

/// What must not be.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Condition {
    claim: Claim,
    /// Beyond this, in percent.
    percent: f64,
}

/// What a condition is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Claim {
    Slower,
    Faster,
    Heavier,
    Lighter,
    Costlier,
    Cheaper,
    Different,
}

/// The words of a condition and what they mean; the only list of them.
const CLAIMS: &[(&str, Claim)] = &[
    ("slower", Claim::Slower),
    ("faster", Claim::Faster),
    ("heavier", Claim::Heavier),
    ("lighter", Claim::Lighter),
    ("costlier", Claim::Costlier),
    ("instructions", Claim::Costlier),
    ("cheaper", Claim::Cheaper),
    ("different", Claim::Different),
];

/// Why a condition cannot be read; its text names the grammar.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ConditionError {
    wrong: String,
}

impl fmt::Display for ConditionError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let words: Vec<&str> = CLAIMS.iter().map(|(word, _)| *word).collect();
        write!(
            f,
            "{}; a condition is WORD > NUMBER%, for example 'slower > 3%', WORD being {} (times and rates are \
             slower or faster, memory is heavier or lighter, instructions are costlier or cheaper)",
            self.wrong,
            words.join(", ")
        )
    }
}

impl std::error::Error for ConditionError {}

impl FromStr for Condition {
    type Err = ConditionError;

    fn from_str(text: &str) -> Result<Condition, ConditionError> {
        let wrong = |what: String| ConditionError { wrong: what };
        let (word, rest) =
            text.split_once('>').ok_or_else(|| wrong("there is no '>' in it".into()))?;
        let word = word.trim();
        let claim = CLAIMS.iter().find(|(known, _)| *known == word);
        let (_, claim) = claim.ok_or_else(|| wrong(format!("'{word}' is no such word")))?;
        // The sign may be written: `instructions > +0.5%`.
        let number = rest.trim().trim_start_matches('+').strip_suffix('%');
        let number = number.ok_or_else(|| wrong(format!("'{}' has no '%'", rest.trim())))?;
        let percent: f64 = number.trim().parse().unwrap_or(f64::NAN);
        if !(percent.is_finite() && percent >= 0.0) {
            return Err(wrong(format!("'{}' is not a number of 0 or more", number.trim())));
        }
        if matches!(claim, Claim::Lighter | Claim::Cheaper) && percent >= 100.0 {
            return Err(wrong(format!("nothing can be {word} by 100%")));
        }
        Ok(Condition { claim: *claim, percent })
    }
}

impl fmt::Display for Condition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let word = CLAIMS.iter().find(|(_, claim)| *claim == self.claim).map_or("", |(w, _)| w);
        write!(f, "{word} > {}%", self.percent)
    }
}

/// What came of all conditions.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Gate {
    /// No condition is met.
    pub passed: bool,
    /// Rows that the conditions were tested on.
    pub tested: usize,
    /// Rows of the comparison that have no interval, and so were not tested.
    pub untested: usize,
    /// Rows among the tested that are undecided, which is no reason to fail.
    pub undecided: usize,
    /// Every condition as written, and what meets it.
    pub conditions: Vec<Judged>,
}

/// A condition and the rows that meet it.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Judged {
    /// The condition.
    pub condition: String,
    /// The rows that fail it.
    pub failing: Vec<Failing>,
}

/// A row that meets a condition.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Failing {
    /// The layer.
    pub layer: String,
    /// The benchmark.
    pub benchmark: String,
    /// Its cost, after / before: above 1 is worse.
    pub cost: f64,
    /// p-value of "the cost is no further from 1 than the condition's bound", corrected.
    pub p: f64,
}

/// A row as a gate needs it.
pub(crate) struct Candidate<'a> {
    pub(crate) layer: &'a str,
    pub(crate) benchmark: &'a str,
    pub(crate) measure: Measure,
    /// Logarithm of the cost: above 0 is worse.
    pub(crate) log_cost: f64,
    pub(crate) std_error: f64,
    /// Infinite when the rows' variances are alike.
    pub(crate) df: f64,
    pub(crate) verdict: Verdict,
}

/// Tests every condition on every row that it is about.
///
/// A row fails a condition when both hold: its corrected verdict says so (it is called worse, or better), and the
/// shifted null "its cost is no further from 1 than the bound" is rejected by a one-sided t test with the verdict's
/// own standard error, corrected over the condition's rows in the same way. A point estimate beyond the bound is
/// never enough.
pub(crate) fn gate(
    conditions: &[Condition],
    rows: &[Candidate],
    correction: Correction,
    alpha: f64,
) -> Gate {
    let conditions: Vec<Judged> = conditions
        .iter()
        .map(|condition| Judged {
            condition: condition.to_string(),
            failing: failing(*condition, rows, correction, alpha),
        })
        .collect();
    Gate {
        passed: conditions.iter().all(|judged| judged.failing.is_empty()),
        tested: rows.len(),
        untested: 0,
        undecided: rows.iter().filter(|row| row.verdict == Verdict::Undecided).count(),
        conditions,
    }
}

fn failing(
    condition: Condition,
    rows: &[Candidate],
    correction: Correction,
    alpha: f64,
) -> Vec<Failing> {
    let about: Vec<&Candidate> = rows.iter().filter(|row| condition.concerns(row)).collect();
    let p: Vec<f64> = about.iter().map(|row| condition.p_value(row)).collect();
    let adjusted = match correction {
        Correction::Holm => holm(&p),
        Correction::BenjaminiHochberg => benjamini_hochberg(&p),
        Correction::None => p,
    };
    let met = about.iter().zip(adjusted).filter(|(row, p)| condition.agrees(row) && *p <= alpha);
    met.map(|(row, p)| Failing {
        layer: row.layer.to_owned(),
        benchmark: row.benchmark.to_owned(),
        cost: row.log_cost.exp().clamp(f64::MIN_POSITIVE, f64::MAX),
        p,
    })
    .collect()
}

impl Condition {
    /// The bound as a fraction: 0.005 for 0.5%.
    #[must_use]
    pub fn fraction(self) -> f64 {
        self.percent / 100.0
    }

    fn concerns(self, row: &Candidate) -> bool {
        match self.claim {
            Claim::Slower | Claim::Faster => row.measure == Measure::Speed,
            Claim::Heavier | Claim::Lighter => row.measure == Measure::Size,
            Claim::Costlier | Claim::Cheaper => row.measure == Measure::Path,
            Claim::Different => true,
        }
    }

    /// Whether the row's own verdict points the way of the condition.
    fn agrees(self, row: &Candidate) -> bool {
        match self.claim {
            Claim::Slower | Claim::Heavier | Claim::Costlier => row.verdict == Verdict::Worse,
            Claim::Faster | Claim::Lighter | Claim::Cheaper => row.verdict == Verdict::Better,
            Claim::Different => matches!(row.verdict, Verdict::Worse | Verdict::Better),
        }
    }

    /// The bound as a log cost of 0 or more. A tenth off the weight is 10% lighter, a tenth off the time 11% faster.
    fn bound(self) -> f64 {
        match self.claim {
            Claim::Lighter | Claim::Cheaper => -(-self.percent / 100.0).ln_1p(),
            _ => (self.percent / 100.0).ln_1p(),
        }
    }

    /// p-value of the shifted null; for "different" both tails count, so that a bound of 0 is the usual two-sided test.
    fn p_value(self, row: &Candidate) -> f64 {
        let bound = self.bound();
        let beyond = |distance: f64| match row.std_error {
            0.0 => f64::from(u8::from(distance <= 1e-12)),
            error => t_upper(distance / error, row.df),
        };
        match self.claim {
            Claim::Slower | Claim::Heavier | Claim::Costlier => beyond(row.log_cost - bound),
            Claim::Faster | Claim::Lighter | Claim::Cheaper => beyond(-row.log_cost - bound),
            Claim::Different => {
                let size = row.log_cost.abs();
                let far = if row.std_error == 0.0 { 0.0 } else { beyond(size + bound) };
                (beyond(size - bound) + far).min(1.0)
            }
        }
    }
}
