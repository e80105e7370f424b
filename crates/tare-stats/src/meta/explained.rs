//! How much of what hosts differ by goes with a property of theirs, such as the model of their processors.

use super::{Study, Weighted, between, sound};
use crate::check;
use crate::dist::{f_upper, t_factor};
use crate::error::StatError;
use serde::Serialize;

/// Studies by a property that they have in common.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Explained {
    /// The variance between studies of the same part.
    pub within: f64,
    /// The part of the whole variance between studies that the property explains, 0 to 1.
    pub share: f64,
    /// p-value of "the parts have the same mean" (Knapp and Hartung's F).
    pub p: f64,
    /// What each part says, in the order of their numbers.
    pub parts: Vec<Part>,
}

/// What studies with the same property say together.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Part {
    /// The mean of their effects.
    pub mean: f64,
    /// Lower end of its confidence interval.
    pub low: f64,
    /// Upper end.
    pub high: f64,
    /// How many they are.
    pub studies: usize,
}

/// Pools `studies` part by part: `part` gives each study's, counted from 0. The variance between studies is the same in all
/// parts, by restricted maximum likelihood, so that a part may have a single one.
///
/// # Errors
/// As [`super::pool`]; lengths that differ; [`StatError::TooFew`] unless there are two parts or more and more studies than parts.
pub fn explained(
    studies: &[Study],
    part: &[usize],
    confidence: f64,
) -> Result<Explained, StatError> {
    check::level(confidence)?;
    check::same_length(studies.len(), part.len())?;
    sound(studies, 3)?;
    let mut parts: Vec<Vec<Study>> = vec![Vec::new(); part.iter().max().map_or(0, |most| most + 1)];
    studies.iter().zip(part).for_each(|(study, &part)| parts[part].push(*study));
    parts.retain(|part| !part.is_empty());
    check::at_least(parts.len(), 2)?;
    check::at_least(studies.len(), parts.len() + 1)?;
    let within = between(&parts);
    let total = between(&[studies]);
    let sums: Vec<Weighted> = parts.iter().map(|part| Weighted::new(part, within)).collect();
    let numerator = parts.len() as f64 - 1.0;
    let denominator = (studies.len() - parts.len()) as f64;
    let scatter = sums.iter().map(|sum| sum.squares).sum::<f64>() / denominator;
    let t = t_factor(confidence, denominator);
    let said = sums.iter().zip(&parts).map(|(sum, part)| {
        let half = t * (scatter / sum.weight).sqrt();
        Part { mean: sum.mean, low: sum.mean - half, high: sum.mean + half, studies: part.len() }
    });
    let means: Vec<Study> =
        sums.iter().map(|sum| Study { effect: sum.mean, variance: 1.0 / sum.weight }).collect();
    let f = Weighted::new(&means, 0.0).squares / numerator / scatter;
    Ok(Explained {
        within,
        share: if total > 0.0 { (1.0 - within / total).max(0.0) } else { 0.0 },
        p: f_upper(f, numerator, denominator),
        parts: said.collect(),
    })
}
