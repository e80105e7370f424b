//! What a paper states, against its own tables and against itself.

use super::finding::{FindingState, PaperFinding, half_digit};
use super::{Claim, Gap, Paper, Row, Table, Twice};

/// A claim against the table that it is about.
pub(super) fn claimed(paper: &Paper, claim: &Claim) -> PaperFinding {
    let about = &claim.about;
    let Some((name, ratio, more_is_better)) = ratio(paper, claim) else {
        let text = format!("{about}: {}the paper has no figures for it", amount(claim));
        return PaperFinding { state: FindingState::Stated, text };
    };
    match claim.percent {
        Some([low, high]) => {
            let found = percent(ratio);
            let half = half_digit(low);
            let holds = (low - half..=high + half).contains(&found);
            let text = format!("{about}: {}{name} gives {found:.1}%", amount(claim));
            PaperFinding::new(holds, text)
        }
        None => {
            let above = (ratio > 1.0) == more_is_better;
            let holds = above == (claim.better.as_deref() == Some("layer"));
            let layer = claim.layer.as_deref().unwrap_or_default();
            let speed = if more_is_better { ratio } else { 1.0 / ratio };
            let text = format!("{about}: {name} has {layer} at {speed:.2} times the speed");
            PaperFinding::new(holds, text)
        }
    }
}

/// The claim's ratio, where from, and whether more of it is better.
fn ratio<'a>(paper: &'a Paper, claim: &Claim) -> Option<(&'a str, f64, bool)> {
    let table: &Table = paper.table(claim.table.as_deref()?)?;
    let above = table.column(claim.layer.as_deref()?)?;
    let below = table.column(claim.of.as_deref()?)?;
    let row = claim.row.as_deref()?;
    let (values, more_is_better) = if row == "score" {
        (&table.score, true)
    } else {
        let row: &Row = table.row(row)?;
        (&row.values, row.better == "higher")
    };
    Some((&table.name, values.get(above)? / values.get(below)?, more_is_better))
}

/// A share of the other where it is below it, else how much above.
fn percent(ratio: f64) -> f64 {
    if ratio > 1.0 { 100.0 * (ratio - 1.0) } else { 100.0 * ratio }
}

fn amount(claim: &Claim) -> String {
    match claim.percent {
        Some([low, high]) if low == high => format!("stated {low}%, "),
        Some([low, high]) => format!("stated {low} to {high}%, "),
        None => String::new(),
    }
}

/// The same thing stated twice, with one figure or two.
pub(super) fn twice(paper: &Paper, twice: &Twice) -> Option<PaperFinding> {
    let ([one, _], [other, _]) = (paper.percent(&twice.one)?, paper.percent(&twice.other)?);
    let apart = 100.0 * ((1.0 + other / 100.0) / (1.0 + one / 100.0) - 1.0);
    let text = format!(
        "{} {one}%, but {} {other}%: the second is {apart:.1}% above the first",
        twice.one, twice.other
    );
    Some(PaperFinding::new(one == other, text))
}

/// What is left of a gap after an improvement, against what is said to be left.
pub(super) fn gap(paper: &Paper, gap: &Gap) -> Option<PaperFinding> {
    let ([before, _], [gain, _]) = (paper.percent(&gap.before)?, paper.percent(&gap.gain)?);
    let [low, high] = paper.percent(&gap.after)?;
    let left = 100.0 - (100.0 - before) * (1.0 + gain / 100.0);
    let text = format!(
        "{before}% below, improved by {gain}% ({}), leaves {left:.1}% below; stated {low} to {high}%",
        gap.gain
    );
    Some(PaperFinding::new((low..=high).contains(&left), text))
}
