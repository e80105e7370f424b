//! The conditions of `--fail-if 'slower > 3%'`: a word of the verdicts, and the bound that it must not exceed.

use crate::board::Measure;
use std::fmt;
use std::str::FromStr;
use tare_proto::Unit;

/// What must not be.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Condition {
    pub(super) claim: Claim,
    /// Beyond this, in percent.
    percent: f64,
}

/// What a condition is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Claim {
    /// Rows of this measure cost more.
    Worse(Measure),
    /// Rows of this measure cost less.
    Better(Measure),
    /// Any row costs more or less.
    Different,
}

/// The words of a condition that are no words of a verdict.
const OTHERS: [(&str, Claim); 2] =
    [("instructions", Claim::Worse(Measure::Path)), ("different", Claim::Different)];

/// Every word and what it means: those of the verdicts, and [`OTHERS`].
fn claims() -> impl Iterator<Item = (&'static str, Claim)> {
    let of_verdicts = Measure::ALL.into_iter().flat_map(|measure| {
        let words = measure.words();
        [(words.worse, Claim::Worse(measure)), (words.better, Claim::Better(measure))]
    });
    of_verdicts.chain(OTHERS)
}

/// Why a condition is wrong; its text says what would be right.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ConditionError(String);

impl fmt::Display for ConditionError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for ConditionError {}

/// An error that explains the grammar.
fn unreadable(wrong: &str) -> ConditionError {
    let words: Vec<&str> = claims().map(|(word, _)| word).collect();
    let about = Measure::ALL.map(|measure| {
        let words = measure.words();
        format!("{}: {} or {}", words.about, words.worse, words.better)
    });
    ConditionError(format!(
        "{wrong}; a condition is WORD > NUMBER%, for example 'slower > 3%', WORD being {} ({})",
        words.join(", "),
        about.join("; ")
    ))
}

impl FromStr for Condition {
    type Err = ConditionError;

    fn from_str(text: &str) -> Result<Condition, ConditionError> {
        let (word, rest) =
            text.split_once('>').ok_or_else(|| unreadable("there is no '>' in it"))?;
        let word = word.trim();
        let claim = claims().find(|(known, _)| *known == word);
        let (_, claim) =
            claim.ok_or_else(|| unreadable(&format!("'{word}' is not one of the words")))?;
        // The sign may be written: `instructions > +0.5%`.
        let number = rest.trim().trim_start_matches('+').strip_suffix('%');
        let number =
            number.ok_or_else(|| unreadable(&format!("'{}' has no '%'", rest.trim())))?.trim();
        let percent: f64 = number.parse().unwrap_or(f64::NAN);
        if !(percent.is_finite() && percent >= 0.0) {
            return Err(unreadable(&format!("'{number}' is not a number of 0 or more")));
        }
        let condition = Condition { claim, percent };
        if condition.bound().is_nan() || condition.bound().is_infinite() {
            return Err(unreadable(&format!("nothing can be {word} by {number}%")));
        }
        Ok(condition)
    }
}

impl fmt::Display for Condition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} > {}%", self.claim.word(), self.percent)
    }
}

impl Claim {
    /// The first word that means this.
    fn word(self) -> &'static str {
        claims().find(|(_, claim)| *claim == self).map_or("", |(word, _)| word)
    }

    /// The same claim about rows of another measure.
    fn of(self, measure: Measure) -> Claim {
        match self {
            Claim::Worse(_) => Claim::Worse(measure),
            Claim::Better(_) => Claim::Better(measure),
            Claim::Different => Claim::Different,
        }
    }
}

impl Condition {
    /// Refuses a condition that no row of these units can ever meet: it would pass whatever happens.
    ///
    /// # Errors
    /// When no unit is of the condition's measure; the text names the words that are about these units.
    pub fn check(self, units: impl IntoIterator<Item = Unit>) -> Result<(), ConditionError> {
        let mut measures: Vec<Measure> = units.into_iter().map(Measure::of).collect();
        measures.sort_unstable();
        measures.dedup();
        let (Claim::Worse(own) | Claim::Better(own)) = self.claim else { return Ok(()) };
        if measures.is_empty() || measures.contains(&own) {
            return Ok(());
        }
        let right = measures.iter().map(|&measure| {
            let condition = Condition { claim: self.claim.of(measure), ..self };
            format!("'{condition}' ({})", measure.words().about)
        });
        Err(ConditionError(format!(
            "--fail-if '{self}' can never be met: it is about {}, and no row here measures that; use {}",
            own.words().about,
            right.collect::<Vec<_>>().join(" or ")
        )))
    }

    /// Whether it is about rows of `measure`.
    pub(crate) fn concerns(self, measure: Measure) -> bool {
        match self.claim {
            Claim::Worse(own) | Claim::Better(own) => own == measure,
            Claim::Different => true,
        }
    }

    /// The bound as a log cost of 0 or more. A tenth off the weight is 10% lighter, a tenth off the time 11% faster.
    pub(super) fn bound(self) -> f64 {
        let fraction = self.percent / 100.0;
        match self.claim {
            Claim::Better(Measure::Size | Measure::Path) => -(-fraction).ln_1p(),
            _ => fraction.ln_1p(),
        }
    }
}
