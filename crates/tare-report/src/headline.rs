//! The sentences at the top of a report: what each layer costs, and what the noise floor is.

use crate::certainty::{shown, why_open_mean};
use crate::choices;
use crate::document::{Ink, Item};
use crate::enough::{ENOUGH_BLOCKS, all_imported, so_few, too_few};
use crate::sandbox;
use crate::words::{cost, name, open, percent_of, reason, rows_of, times, times_than, word};
use tare_board::format::{
    count, percent_above_one, quantity, ratio_and_interval, ratio_with_interval, short_ratio,
};
use tare_board::{
    COST, Comment, Geomean, HangsOn, LayerSummary, Measure, Presence, Row, SANDBOX, SERVICE,
    Scoreboard, Verdict,
};
use tare_proto::{Better, Machine, Unit, name_and_load};

/// One headline per layer that was weighed: a sentence per suite and measure that has several rows, one about what measures alone in
/// its suite, and how many rows got which verdict. Settings of a sweep have a section of their own.
pub(crate) fn headlines(board: &Scoreboard) -> Vec<Item> {
    let layers = board.others().enumerate();
    let layers = layers.filter(|(_, layer)| layer.swept.is_none());
    let booted = layers.filter(|(_, layer)| layer.unavailable.is_none() || layer.measured > 0);
    let item = |(at, layer): (usize, &LayerSummary)| {
        Item::of_series(name(&layer.name), at + 1, headline(board, layer, at))
    };
    // What only the suite `sandbox` knows is said in its sentence.
    let alone = |at: usize, layer: &LayerSummary| {
        let compared = board.rows.iter().any(|row| row.cells[at].ratio.is_some());
        !compared && sandbox::tells_of(board, layer)
    };
    booted.filter(|(at, layer)| !alone(*at, layer)).map(item).collect()
}

fn headline(board: &Scoreboard, layer: &LayerSummary, at: usize) -> Vec<(Ink, String)> {
    if layer.measured > 0 && too_few(board) && layer.kind != tare_store::IMPORTED {
        let text = format!("nothing to say yet: {}", so_few(board, board.counts.blocks));
        return vec![(Ink::Dim, text)];
    }
    let of_few = |blocks: usize| layer.kind != tare_store::IMPORTED && blocks < ENOUGH_BLOCKS;
    let own = board.geomeans.iter().filter(|mean| mean.layer == layer.name);
    let several = own.filter(|mean| mean.rows + mean.left_out > 1);
    let mut said: Vec<(Ink, String)> = several
        .map(|mean| match of_few(mean.cost.blocks) {
            true => (Ink::Dim, too_few_of(board, mean)),
            false => (mean.verdict.into(), sentence(board, mean)),
        })
        .collect();
    // Rows of the suite `sandbox` have sentences of their own.
    let (told, others): (Vec<&Row>, Vec<&Row>) =
        board.rows.iter().partition(|row| row.suite == SANDBOX);
    let is_enough = |row: &&Row| row.cells[at].ratio.is_some_and(|ratio| !of_few(ratio.blocks));
    let alone = others.into_iter().filter(|row| row.by_host || is_alone(board, row));
    let alone = alone.filter(is_enough);
    let besides: Vec<String> = alone.filter_map(|row| beside(board, row, at)).collect();
    let told = told.iter().any(|row| row.cells[at].ratio.is_some());
    if said.is_empty() && besides.is_empty() && !told {
        let ratios = board.rows.iter().filter_map(|row| row.cells[at].ratio);
        let text = match ratios.map(|ratio| ratio.blocks).max() {
            Some(blocks) => format!("nothing to say yet: {}", so_few(board, blocks)),
            None => nothing_measured(layer) + &first_failure(board, layer, at),
        };
        return vec![(Ink::Dim, text)];
    }
    if !besides.is_empty() {
        said.push((Ink::Plain, besides.join(", ")));
    }
    if let Some(text) = dearer(board, at) {
        said.insert(0, (Verdict::Worse.into(), text));
    }
    said.extend(cached(board, at).map(|text| (Ink::Plain, text)));
    said.push((Ink::Dim, tally(board, at)));
    said
}

/// What a row of costs is called in a sentence, by the end of its name.
const COSTS: [(&str, &str); 4] = [
    (".cpu", "CPU time"),
    (".memory", "memory"),
    (".disk", "bytes read from and written to disks"),
    (".wakeups", "wake-ups"),
];

/// That programs take as long as on the baseline, or less, and more of the host beside (`--costs`): such a layer must not look free.
fn dearer(board: &Scoreboard, at: usize) -> Option<String> {
    let baseline = name(&board.baseline);
    let worse = board.rows.iter().filter(|row| row.cells[at].verdict == Verdict::Worse);
    let told = worse.filter(|row| row.suite == COST).filter_map(|row| {
        let (stem, load) = name_and_load(row.benchmark.raw());
        let (program, what) =
            COSTS.iter().find_map(|(end, what)| Some((stem.strip_suffix(end)?, what)))?;
        let is_own = |other: &&Row| {
            let (own, at_load) = name_and_load(other.benchmark.raw());
            let rest = own.strip_prefix(program).filter(|_| at_load == load);
            other.suite != COST && rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
        };
        let mut own = board.rows.iter().filter(is_own).map(|row| row.cells[at].verdict).peekable();
        own.peek()?;
        let as_fast = own.all(|own| matches!(own, Verdict::Equivalent | Verdict::Better));
        let ratio = cost(row, &row.cells[at]).filter(|_| as_fast)?;
        Some(format!("{} times its {what} on {}", ratio_with_interval(&ratio), name(program)))
    });
    let told: Vec<String> = told.collect();
    (!told.is_empty()).then(|| format!("as fast as {baseline}, but takes {}", told.join(", ")))
}

/// That rows compare a cache with a disk, which no ratio shows.
fn cached(board: &Scoreboard, at: usize) -> Option<String> {
    let share = |row: &Row| {
        row.cells[at].comments.iter().find_map(|comment| match comment {
            Comment::Cached { layer, .. } => Some((name(&row.benchmark), 100.0 * layer)),
            _ => None,
        })
    };
    let all: Vec<(String, f64)> = board.rows.iter().filter_map(share).collect();
    let (row, percent) = all.first()?;
    let rows = count(all.len(), "row");
    Some(format!(
        "its cache is compared with {}'s disk in {rows}: this host's disks moved {percent:.0}% of the bytes of {row}",
        name(&board.baseline)
    ))
}

fn nothing_measured(layer: &LayerSummary) -> String {
    match (layer.boots, layer.failed_boots) {
        (0, _) => "not booted".into(),
        (boots, 0) => format!("nothing to compare in {}", count(boots, "boot")),
        (boots, failed) if failed >= boots => {
            format!("nothing measured; {} failed", count(boots, "boot"))
        }
        (boots, failed) => {
            format!("nothing to compare in {}, {failed} failed", count(boots, "boot"))
        }
    }
}

/// Why a layer without any number has none of the first row that failed.
fn first_failure(board: &Scoreboard, layer: &LayerSummary, at: usize) -> String {
    let failed = board
        .rows
        .iter()
        .find(|row| row.cells[at].presence == Presence::Failed && layer.measured == 0);
    let said =
        failed.and_then(|row| Some((name(&row.benchmark), reason(row.cells[at].why.as_ref()?))));
    said.map(|(row, why)| format!("; {row} failed: {why}")).unwrap_or_default()
}

fn sentence(board: &Scoreboard, mean: &Geomean) -> String {
    let baseline = name(&board.baseline);
    let on = format!("on {}", rows_of(mean.suite.raw(), mean.rows));
    let (ratio, interval) = ratio_and_interval(&mean.cost);
    let tested = mean.shown.filter(|_| mean.verdict == Verdict::Equivalent);
    let (ratio, interval) = match tested.map(|tested| shown(&mean.cost, &tested)) {
        Some((ratio, interval)) => (ratio, Some(interval)),
        None => {
            let confidence = percent_of(board.method.confidence);
            (ratio, interval.map(|interval| format!("{confidence} CI {interval}")))
        }
    };
    let sure = match interval {
        Some(interval) => interval,
        None if imported(board, mean.layer.raw()) => "single figures, so no interval".into(),
        None => "one block, so no interval".into(),
    };
    let margin = percent_of(board.method.margin);
    let said = match mean.verdict {
        Verdict::Equivalent => format!(
            "equivalent to {baseline} within {margin} {on} (geometric mean {ratio}, {sure})"
        ),
        Verdict::Undecided => {
            let (seen, most) = open(&mean.cost, mean.measure, board.method.margin);
            let why = why_open_mean(mean, board.method.margin);
            format!(
                "{seen} against {baseline} {on}; {most}; {why} (geometric mean {ratio}, {sure})"
            )
        }
        _ => {
            let cost = times_than(mean.cost.value, mean.measure, &baseline);
            format!("{cost} {on} (geometric mean, {sure})")
        }
    };
    said + &other_figure(board, mean).unwrap_or_default()
        + &shared(mean).unwrap_or_default()
        + &otherwise(board, mean)
}

/// What the layer costs under other options that move its figure.
fn otherwise(board: &Scoreboard, mean: &Geomean) -> String {
    let is_own = |one: &&HangsOn| {
        one.layer == mean.layer && one.suite == mean.suite && one.measure == mean.measure
    };
    let own = board.hangs_on.iter().find(is_own);
    let decisive = own.into_iter().flat_map(|one| choices::decisive(board, one));
    decisive.map(|choice| format!("; {}", choices::options(choice))).collect()
}

/// The mean over the rows that all layers have, where these are fewer.
fn shared(mean: &Geomean) -> Option<String> {
    let shared = mean.shared?;
    let ratio = short_ratio(shared.cost.value);
    Some(format!("; {ratio} on the {} rows that all layers have", shared.rows))
}

/// The mean's other figure, where it says something else.
fn other_figure(board: &Scoreboard, mean: &Geomean) -> Option<String> {
    let (best, average) = (mean.figures.best?, mean.figures.mean?);
    let (figure, other) = match best == mean.cost {
        true => ("on average", average),
        false => ("at its best", best),
    };
    let outside = mean.cost.value < other.low? || mean.cost.value > other.high?;
    let apart = (other.value / mean.cost.value).ln().abs() > board.method.margin;
    (outside && apart).then(|| format!("; {figure} {}", ratio_with_interval(&other)))
}

/// What is missing for a layer that has fewer blocks than the campaign, since its boots failed or it came late.
fn too_few_of(board: &Scoreboard, mean: &Geomean) -> String {
    let (rows, blocks) = (rows_of(mean.suite.raw(), mean.rows), mean.cost.blocks);
    format!("nothing to say yet on {rows}: {}", so_few(board, blocks))
}

/// How much there is: blocks, or runs of another tool.
pub(crate) fn replicates(board: &Scoreboard) -> String {
    match (all_imported(board), board.counts.blocks) {
        (true, 1) => "1 run".into(),
        (true, most) => format!("up to {most} runs"),
        (false, blocks) => count(blocks, "block"),
    }
}

/// Whether another tool took the layer's figures.
fn imported(board: &Scoreboard, layer: &str) -> bool {
    board.layers.iter().any(|l| l.name == layer && l.kind == tare_store::IMPORTED)
}

/// Nothing else in its suite measures the same, but for itself under other loads.
fn is_alone(board: &Scoreboard, row: &Row) -> bool {
    let same = |other: &&Row| {
        !other.by_host
            && other.suite == row.suite
            && Measure::of(other.unit) == Measure::of(row.unit)
    };
    let benchmark = |row: &Row| name_and_load(row.benchmark.raw()).0.to_owned();
    board.rows.iter().filter(same).all(|other| benchmark(other) == benchmark(row))
}

/// A row that speaks for itself: `host/start 1.21 s (309 times slower)`, or an index: `score 127 (11.6% of native)`.
fn beside(board: &Scoreboard, row: &Row, at: usize) -> Option<String> {
    let cell = &row.cells[at];
    let cost = cost(row, cell)?;
    let measure = Measure::of(row.unit);
    let value = quantity(row.unit, cell.pair.as_ref()?.layer);
    if row.unit == Unit::Number && row.better == Better::Higher {
        let share = 100.0 * cell.ratio?.value;
        return Some(format!(
            "{} {value} ({share:.1}% of {})",
            name(&row.benchmark),
            name(&board.baseline)
        ));
    }
    let is_knee = row.suite == SERVICE && row.better == Better::Higher;
    if let (true, Verdict::Worse | Verdict::Better) = (is_knee, cell.verdict) {
        let baseline = quantity(row.unit, cell.pair.as_ref()?.baseline);
        return Some(format!(
            "{} {value} where {} holds {baseline}: {} times the hosts",
            name(&row.benchmark),
            name(&board.baseline),
            ratio_with_interval(&cost)
        ));
    }
    let said = match cell.verdict {
        Verdict::Equivalent => "equivalent".into(),
        Verdict::Undecided => {
            let (seen, most) = open(&cost, measure, board.method.margin);
            format!("{seen}; {most}")
        }
        _ => times(cost.value, measure),
    };
    Some(format!("{} {value} ({said})", name(&row.benchmark)))
}

/// `27 slower, 1 heavier, 1 undecided; worst: null-call, 47.2 times slower`.
fn tally(board: &Scoreboard, at: usize) -> String {
    let kinds =
        [Verdict::Worse, Verdict::Better, Verdict::Equivalent, Verdict::Undecided, Verdict::None];
    let mut parts: Vec<(&str, usize)> = Vec::new();
    for kind in kinds {
        for measure in Measure::ALL {
            let same = |row: &&Row| {
                let cell = &row.cells[at];
                cell.ratio.is_some() && cell.verdict == kind && Measure::of(row.unit) == measure
            };
            let n = board.rows.iter().filter(same).count();
            let word =
                if kind == Verdict::None { "without a verdict" } else { word(kind, measure) };
            match parts.iter_mut().find(|(known, _)| *known == word) {
                Some((_, sum)) => *sum += n,
                None => parts.push((word, n)),
            }
        }
    }
    parts.push((
        "without a ratio",
        board.rows.iter().filter(|r| r.cells[at].ratio.is_none()).count(),
    ));
    let said = parts.iter().filter(|(_, n)| *n > 0).map(|(word, n)| format!("{n} {word}"));
    let mut text = said.collect::<Vec<_>>().join(", ");
    if let Some((row, cost)) = costliest(board, at) {
        text +=
            &format!("; worst: {}, {}", name(&row.benchmark), times(cost, Measure::of(row.unit)));
    }
    text
}

/// The row that is worst among those shown to be worse and in the first geometric mean.
fn costliest(board: &Scoreboard, at: usize) -> Option<(&Row, f64)> {
    let suite = &board.rows.first()?.suite;
    let rows = board.rows.iter().filter(|row| row.suite == *suite && !row.by_host);
    let worse = rows.filter(|row| row.cells[at].verdict == Verdict::Worse);
    let costs = worse.filter_map(|row| Some((row, cost(row, &row.cells[at])?.value)));
    costs.max_by(|a, b| a.1.total_cmp(&b.1))
}

/// What the A/A comparison says, in a sentence or three.
pub(crate) fn floor(board: &Scoreboard) -> String {
    let floor = &board.floor;
    let baseline = name(&board.baseline);
    if all_imported(board) {
        return format!("Noise floor: none, because {baseline} was not measured against itself.");
    }
    if floor.rows == 0 {
        return format!(
            "Noise floor: not measured ({baseline} must be booted twice in at least two blocks)."
        );
    }
    let second = match board.provenance.machine {
        Machine::Real => "a second boot of itself",
        Machine::Sim => "itself with another perturbation",
    };
    let mut text = format!("Noise floor, {baseline} against {second}: ");
    if let Some(ratio) = &floor.ratio
        && let (mean, Some(interval)) = ratio_and_interval(ratio)
    {
        let confidence = percent_of(board.method.confidence);
        text += &format!("{mean} over all rows (geometric mean, {confidence} CI {interval}); ");
    }
    if let (Some(median), Some((largest, benchmark))) = (floor.median, &floor.largest) {
        let median = percent_above_one(median);
        let largest = percent_above_one(*largest);
        text += &format!("median floor {median}, largest {largest} ({}); ", name(benchmark));
    }
    let called = floor.called_different;
    let rows = floor.rows;
    let passed = if called == 0 { "passed" } else { "failed" };
    text + &format!("A/A check {passed}: {called} of {rows} false differences.")
}
