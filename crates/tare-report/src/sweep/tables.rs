//! The tables of a sweep: settings, effects, steps, interactions, and what was counted beside them.

use super::{level_at, name};
use crate::clean::{clean, fit, width};
use crate::document::{Column, Table};
use crate::words;
use tare_board::format::{count, digits, quantity, ratio_and_interval, short_ratio};
use tare_board::{CountedEffect, Factor, Measure, Ratio, Response, Verdict};
use tare_proto::Better;

/// Most settings that stand side by side; with more, each has a line of its own.
const COLUMNS: usize = 8;
/// Most columns of text that they take in all.
const ROOM: usize = 64;
/// Most lines of settings, of interactions, and of counters of a step; most steps whose counters are shown.
const LINES: usize = 64;
const SHOWN: usize = 8;
const COUNTED: usize = 12;
const STEPS: usize = 8;
/// Most columns of a counter's name.
const NAME: usize = 32;

/// Fewest columns of the first name on a terminal.
const LEAST: usize = 6;

/// A table whose first columns, so many, are words; and so is a verdict.
fn table(
    title: &str,
    note: String,
    words: usize,
    head: Vec<String>,
    rows: Vec<Vec<String>>,
) -> Table {
    let column = |(at, title): (usize, String)| match at < words || title == "verdict" {
        true => Column::words(title),
        false => Column::numbers(title),
    };
    let columns = head.into_iter().enumerate().map(column).collect();
    let rows = rows.into_iter().map(Into::into).collect();
    Table { title: title.into(), note, ..Table::new(LEAST, columns, rows) }
}

pub(crate) fn tables(response: &Response) -> Vec<Table> {
    let tables = [settings(response), effects(response), steps(response), interactions(response)];
    let tables = tables.into_iter().filter(|table| !table.rows.is_empty());
    tables.chain(counted(response)).collect()
}

/// Every setting's ratio to the first; the last knob's settings side by side where there is room.
fn settings(response: &Response) -> Table {
    let first =
        response.first.map_or_else(String::new, |v| format!(", {}", quantity(response.unit, v)));
    let better = if response.better == Better::Lower { "lower" } else { "higher" };
    let note = format!("Ratio to the first setting{first}; {better} is better.");
    let knobs = &response.knobs;
    let wide = knobs.last().filter(|last| side_by_side(last));
    let leading = knobs.len() - usize::from(wide.is_some());
    let mut head: Vec<String> = knobs[..leading].iter().map(|knob| name(&knob.name)).collect();
    match wide {
        Some(last) => head.extend(columns(last)),
        None => head.push("ratio".into()),
    }
    let mut rows: Vec<(Vec<usize>, Vec<String>)> = Vec::new();
    for setting in &response.settings {
        let (own, last) = setting.levels.split_at(leading);
        if rows.last().is_none_or(|(levels, _)| levels != own) {
            let named = own.iter().zip(knobs).map(|(at, knob)| level_at(knob, *at));
            let empty = head.len() - leading;
            rows.push((own.to_vec(), named.chain(vec!["–".to_owned(); empty]).collect()));
        }
        let column = leading + last.first().copied().unwrap_or(0);
        let row = rows.last_mut().map(|(_, row)| row);
        if let Some(cell) = row.and_then(|row| row.get_mut(column)) {
            *cell = short_ratio(setting.ratio.value);
        }
    }
    let rows = rows.into_iter().map(|(_, row)| row).take(LINES).collect();
    table("Settings", note, leading, head, rows)
}

fn columns(knob: &Factor) -> Vec<String> {
    (0..knob.levels.len())
        .map(|at| format!("{}={}", name(&knob.name), level_at(knob, at)))
        .collect()
}

/// Whether there is room for a column for each setting.
fn side_by_side(knob: &Factor) -> bool {
    let several = (2..=COLUMNS).contains(&knob.levels.len());
    several && columns(knob).iter().map(|title| width(title) + 2).sum::<usize>() <= ROOM
}

fn effects(response: &Response) -> Table {
    let measure = Measure::of(response.unit);
    let rows = response.effects.iter().filter_map(|effect| {
        let knob = response.knobs.get(effect.knob)?;
        let change = format!("{} → {}", level_at(knob, 0), level_at(knob, effect.level));
        let mut row = vec![name(&knob.name), change];
        row.extend(judged(&effect.ratio, effect.verdict, measure));
        Some(row)
    });
    let head = ["knob", "from → to", "effect", "interval", "verdict"].map(String::from).to_vec();
    let note = "On average over the settings of the other knobs.".to_owned();
    table("Main effects", note, 2, head, rows.collect())
}

/// Where a version differs from the one before it.
fn steps(response: &Response) -> Table {
    let measure = Measure::of(response.unit);
    let shown = response.steps.iter().filter(|step| is_change(step.verdict));
    let rows = shown.filter_map(|step| {
        let knob = response.knobs.get(step.knob)?;
        let change = format!("{} → {}", level_at(knob, step.level - 1), level_at(knob, step.level));
        let mut row = vec![name(&knob.name), change];
        row.extend(judged(&step.ratio, step.verdict, measure));
        Some(row)
    });
    let head = ["knob", "from → to", "step", "interval", "verdict"].map(String::from).to_vec();
    let (rows, all): (Vec<Vec<String>>, usize) = (rows.collect(), response.steps.len());
    let note = format!(
        "{} of {} from one version to the next are shown to change it.",
        rows.len(),
        count(all, "step")
    );
    table("Steps", note, 2, head, rows)
}

pub(crate) const fn is_change(verdict: Verdict) -> bool {
    matches!(verdict, Verdict::Worse | Verdict::Better)
}

fn interactions(response: &Response) -> Table {
    let measure = Measure::of(response.unit);
    let mut all: Vec<_> = response.interactions.iter().collect();
    all.sort_by(|a, b| size(&b.ratio).total_cmp(&size(&a.ratio)));
    let clear = all.iter().filter(|one| is_change(one.verdict)).count();
    let rows = all.iter().take(clear.clamp(2, SHOWN)).filter_map(|one| {
        let [a, b] = one.knobs;
        let side = |knob: usize, at| {
            let knob = response.knobs.get(knob)?;
            Some(format!("{} {} → {}", name(&knob.name), level_at(knob, 0), level_at(knob, at)))
        };
        let mut row = vec![side(a, one.levels[0])?, side(b, one.levels[1])?];
        row.extend(judged(&one.ratio, one.verdict, measure));
        Some(row)
    });
    let rows: Vec<Vec<String>> = rows.collect();
    let note = format!(
        "The largest {} of {}; {clear} are shown to differ from 1.",
        rows.len(),
        count(all.len(), "interaction")
    );
    let head = ["effect of", "times, where", "ratio", "interval", "verdict"].map(String::from);
    table("Interactions", note, 2, head.to_vec(), rows)
}

fn size(ratio: &Ratio) -> f64 {
    ratio.value.ln().abs()
}

fn judged(ratio: &Ratio, verdict: Verdict, measure: Measure) -> [String; 3] {
    let (value, interval) = ratio_and_interval(ratio);
    let said = format!("{} {}", words::mark(verdict), words::word(verdict, measure));
    [value, interval.unwrap_or_else(|| "–".into()), said]
}

/// What each step of a knob changes of what was counted: instructions by place, then crossings, the largest part first.
fn counted(response: &Response) -> impl Iterator<Item = Table> {
    let steps = response.knobs.iter().enumerate().flat_map(move |(at, knob)| {
        (1..knob.levels.len()).map(move |level| counted_of(response, (at, knob), level))
    });
    steps.filter(|table| !table.rows.is_empty()).take(STEPS)
}

fn counted_of(response: &Response, (at, knob): (usize, &Factor), level: usize) -> Table {
    let part = |one: &CountedEffect| {
        if one.first > 0.0 { one.change.abs() / one.first } else { f64::INFINITY }
    };
    let of_step = |one: &&CountedEffect| one.knob == at && one.level == level;
    let mut all: Vec<&CountedEffect> = response.counted.iter().filter(of_step).collect();
    let crosses = |one: &CountedEffect| !one.counter.raw().ends_with("/instructions");
    all.sort_by(|a, b| crosses(a).cmp(&crosses(b)).then(part(b).total_cmp(&part(a))));
    let rows = all.iter().take(COUNTED).map(|one| {
        let interval = format!("{}–{}", signed(one.low), signed(one.high));
        vec![fit(&clean(&one.counter), NAME), digits(one.first), signed(one.change), interval]
    });
    let rows: Vec<Vec<String>> = rows.collect();
    let note = format!(
        "{} {} → {}: means of an operation, over all samples, where they change by 1% or more ({} of {}).",
        name(&knob.name),
        level_at(knob, 0),
        level_at(knob, level),
        rows.len(),
        all.len()
    );
    let head = ["counter", "at first", "change", "interval"].map(String::from).to_vec();
    table("Counted", note, 1, head, rows)
}

fn signed(value: f64) -> String {
    format!("{}{}", if value < 0.0 { "−" } else { "+" }, digits(value.abs()))
}
