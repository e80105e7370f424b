//! What the figures hang on, in words: a line a layer, and all options as a table.

use crate::clean::fit;
use crate::document::{Column, Ink, Item, Row, Table};
use crate::words::{name, percent_of};
use tare_board::format::{count, ratio_with_interval, short_ratio};
use tare_board::{Choice, ChoiceOf, Chosen, HangsOn, Scoreboard};

/// Most characters of an option; it may name a benchmark.
const LONGEST: usize = 48;

/// A line for each layer and suite.
pub(crate) fn items(board: &Scoreboard) -> Vec<Item> {
    let said = |one: &HangsOn| {
        let several = board.hangs_on.iter().filter(|other| other.layer == one.layer).count() > 1;
        let suite = if several { format!(" ({})", name(&one.suite)) } else { String::new() };
        let about = format!("{}{suite}", name(&one.layer));
        Item::new(Some(about), vec![(Ink::Plain, sentence(board, one))])
    };
    board.hangs_on.iter().map(said).collect()
}

/// `4.1 to 37 times native, mostly by CPUs: 4.1 on 2 CPUs, 37 on one CPU (6 rows)`.
fn sentence(board: &Scoreboard, one: &HangsOn) -> String {
    let range = format!(
        "{} to {} times {}",
        short_ratio(one.low),
        short_ratio(one.high),
        name(&board.baseline)
    );
    let within = one.high / one.low <= 1.0 + board.method.margin;
    let Some(most) = one.choices.first().filter(|_| !within) else {
        return format!("{range}, whatever is chosen");
    };
    format!("{range}, mostly by {}: {}", what(most.by), options(most))
}

/// What is chosen, in words.
fn what(by: ChoiceOf) -> &'static str {
    match by {
        ChoiceOf::Figure => "best case or mean",
        ChoiceOf::Cpus => "the number of CPUs",
        ChoiceOf::Turns => "turns or whole series",
        ChoiceOf::CLibrary => "the C library of started programs",
        ChoiceOf::Rows => "the rows that the mean is over",
    }
}

/// `4.1 on 2 CPUs, 37 on one CPU (both over 6 rows)`.
pub(crate) fn options(choice: &Choice) -> String {
    let said = |option: &Chosen| {
        let how = match choice.by {
            ChoiceOf::Figure => "for",
            ChoiceOf::Cpus => "on",
            ChoiceOf::Turns => "in",
            ChoiceOf::CLibrary => "with",
            ChoiceOf::Rows => "over",
        };
        format!("{} {how} {}", short_ratio(option.cost.value), fit(&name(&option.option), LONGEST))
    };
    let all: Vec<String> = choice.options.iter().map(said).collect();
    let rows = choice.options.first().map_or(0, |option| option.rows);
    let same = choice.options.iter().all(|option| option.rows == rows);
    let over = if same { format!(" ({})", count(rows, "row")) } else { String::new() };
    all.join(", ") + &over
}

/// The choices beside the figure and the rows under which a layer's cost is another one, by more than the margin and both intervals: they
/// belong into the first sentence.
pub(crate) fn decisive<'a>(
    board: &'a Scoreboard,
    one: &'a HangsOn,
) -> impl Iterator<Item = &'a Choice> {
    let margin = board.method.margin;
    let is_apart = move |choice: &&Choice| {
        let [first, second] = &choice.options[..] else { return false };
        let ends = [first.cost.low, first.cost.high, second.cost.low, second.cost.high];
        let [Some(low), Some(high), Some(other_low), Some(other_high)] = ends else { return false };
        let disjoint = other_low > high || other_high < low;
        disjoint && choice.factor() > 1.0 + margin
    };
    let told = |choice: &&Choice| !matches!(choice.by, ChoiceOf::Figure | ChoiceOf::Rows);
    one.choices.iter().filter(told).filter(is_apart)
}

/// Every option of every choice.
pub(crate) fn table(board: &Scoreboard) -> Option<Table> {
    let mut rows: Vec<Row> = Vec::new();
    for one in &board.hangs_on {
        for choice in &one.choices {
            rows.extend(choice.options.iter().map(|option| {
                let cells = [
                    name(&one.layer),
                    fit(&name(&option.option), LONGEST),
                    ratio_with_interval(&option.cost),
                    option.rows.to_string(),
                ];
                Row::from(cells.to_vec())
            }));
        }
    }
    let columns = vec![
        Column::names("layer"),
        Column::words("option"),
        Column::numbers("times the baseline"),
        Column::numbers("rows"),
    ];
    let note = format!(
        "The first option of each choice is what the scoreboard shows, over the same rows. Geometric means with their {} intervals.",
        percent_of(board.method.confidence)
    );
    (!rows.is_empty()).then(|| Table { note, ..Table::new(8, columns, rows) })
}
