//! The conditions of `--fail-if 'slower > 3% of start/warm on runc'`: a word of the verdicts, the bound that it must not exceed, and
//! which rows it is about.

use crate::board::Measure;
use std::fmt;
use std::str::FromStr;
use tare_proto::{Unit, name_and_load};

/// What must not be.
#[derive(Debug, Clone, PartialEq)]
pub struct Condition {
    pub(super) claim: Claim,
    /// Beyond this, in percent.
    percent: f64,
    /// The only benchmark that it is about, if not all.
    benchmark: Option<String>,
    /// The only layer that it is about, if not all.
    layer: Option<String>,
}

/// The cell of a table that a condition may be about.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Subject<'a> {
    pub(crate) layer: &'a str,
    pub(crate) benchmark: &'a str,
    pub(crate) measure: Measure,
}

impl<'a> Subject<'a> {
    /// A benchmark that measures in `unit`, on `layer`.
    pub(crate) fn new(layer: &'a str, benchmark: &'a str, unit: Unit) -> Subject<'a> {
        Subject { layer, benchmark, measure: Measure::of(unit) }
    }
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
        "{wrong}; a condition is WORD > NUMBER% [of BENCHMARK] [on LAYER], for example 'slower > 3%', WORD being {} ({})",
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
        let bound = rest.trim().trim_start_matches('+').split_once('%');
        let (number, about) =
            bound.ok_or_else(|| unreadable(&format!("'{}' has no '%'", rest.trim())))?;
        let number = number.trim();
        let percent: f64 = number.parse().unwrap_or(f64::NAN);
        if !(percent.is_finite() && percent >= 0.0) {
            return Err(unreadable(&format!("'{number}' is not a number of 0 or more")));
        }
        let (benchmark, layer) = match about.split_whitespace().collect::<Vec<_>>()[..] {
            [] => (None, None),
            ["of", benchmark] => (Some(benchmark), None),
            ["on", layer] => (None, Some(layer)),
            ["of", benchmark, "on", layer] => (Some(benchmark), Some(layer)),
            _ => {
                let about = about.trim();
                return Err(unreadable(&format!("'{about}' does not say which rows")));
            }
        };
        let [benchmark, layer] = [benchmark, layer].map(|name| name.map(str::to_owned));
        let condition = Condition { claim, percent, benchmark, layer };
        if condition.bound().is_nan() || condition.bound().is_infinite() {
            return Err(unreadable(&format!("nothing can be {word} by {number}%")));
        }
        Ok(condition)
    }
}

impl fmt::Display for Condition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} > {}%", self.claim.word(), self.percent)?;
        for (word, name) in [("of", &self.benchmark), ("on", &self.layer)] {
            if let Some(name) = name {
                write!(f, " {word} {name}")?;
            }
        }
        Ok(())
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
    /// Refuses a condition that none of these benchmarks, with their units, can ever meet: it would pass whatever happens.
    ///
    /// # Errors
    /// When the condition's benchmark is none of them, or none is of its measure; the text names what would be right.
    pub fn check<'a>(
        &self,
        benchmarks: impl IntoIterator<Item = (&'a str, Unit)>,
    ) -> Result<(), ConditionError> {
        let wanted = self.benchmark.as_deref();
        // Before a campaign, benchmarks have no loads yet.
        let is_own = |(name, _): &(&str, Unit)| {
            wanted.is_none_or(|it| it == *name || name_and_load(it).0 == *name)
        };
        let own = benchmarks.into_iter().filter(is_own);
        let mut measures: Vec<Measure> = own.map(|(_, unit)| Measure::of(unit)).collect();
        if let (Some(name), true) = (wanted, measures.is_empty()) {
            return Err(ConditionError(format!(
                "--fail-if '{self}' can never be met: no row here is called {name}"
            )));
        }
        measures.sort_unstable();
        measures.dedup();
        let (Claim::Worse(own) | Claim::Better(own)) = self.claim else { return Ok(()) };
        if measures.is_empty() || measures.contains(&own) {
            return Ok(());
        }
        let right = measures.iter().map(|&measure| {
            let condition = Condition { claim: self.claim.of(measure), ..self.clone() };
            format!("'{condition}' ({})", measure.words().about)
        });
        Err(ConditionError(format!(
            "--fail-if '{self}' can never be met: it is about {}, and no row here measures that; use {}",
            own.words().about,
            right.collect::<Vec<_>>().join(" or ")
        )))
    }

    /// Refuses a condition on a layer that is none of these.
    ///
    /// # Errors
    /// The layer's name.
    pub fn check_layer<'a>(
        &self,
        layers: impl IntoIterator<Item = &'a str>,
    ) -> Result<(), ConditionError> {
        let Some(name) = &self.layer else { return Ok(()) };
        if layers.into_iter().any(|layer| layer == name) {
            return Ok(());
        }
        Err(ConditionError(format!(
            "--fail-if '{self}' can never be met: no layer here is called {name}"
        )))
    }

    /// Whether it is about `subject`.
    pub(crate) fn concerns(&self, subject: &Subject) -> bool {
        let is = |wanted: &Option<String>, name| wanted.as_ref().is_none_or(|it| it == name);
        let measures = match self.claim {
            Claim::Worse(own) | Claim::Better(own) => own == subject.measure,
            Claim::Different => true,
        };
        measures && is(&self.benchmark, subject.benchmark) && is(&self.layer, subject.layer)
    }

    /// The bound as a log cost of 0 or more. A tenth off the weight is 10% lighter, a tenth off the time 11% faster.
    pub(super) fn bound(&self) -> f64 {
        let fraction = self.percent / 100.0;
        match self.claim {
            Claim::Better(measure) if measure != Measure::Speed => -(-fraction).ln_1p(),
            _ => fraction.ln_1p(),
        }
    }
}
