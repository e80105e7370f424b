//! Published results: their figures as data (`papers/*.toml`), and what follows from them.

mod claims;
mod finding;
mod findings;
mod question;

pub use finding::FindingState;
pub use findings::findings;
pub use question::Question;

use serde::Deserialize;

/// Every paper's file: one row each.
const FILES: &[&str] = &[
    include_str!("../../papers/000.toml"),
    include_str!("../../papers/001.toml"),
    include_str!("../../papers/002.toml"),
    include_str!("../../papers/003.toml"),
    include_str!("../../papers/004.toml"),
];

/// A publication and its figures.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Paper {
    /// What the command line calls it.
    pub id: String,
    /// What was weighed.
    pub title: String,
    /// Who published it, where and when.
    pub source: String,
    /// The year.
    pub year: u32,
    /// Machines, software and settings.
    pub configuration: Vec<String>,
    /// Tests that were named without figures.
    #[serde(default)]
    pub tests: Vec<String>,
    /// The suite of tare's probe that has these tests under these names.
    pub tests_probe: Option<String>,
    /// The tables.
    #[serde(default)]
    pub table: Vec<Table>,
    /// Percentages that were stated.
    #[serde(default)]
    pub claim: Vec<Claim>,
    /// Rows that should be the sum of others.
    #[serde(default)]
    pub sum: Vec<Sum>,
    /// What is stated twice.
    #[serde(default)]
    pub twice: Vec<Twice>,
    /// Gaps that are said to be closed.
    #[serde(default)]
    pub gap: Vec<Gap>,
    /// What it asks, and what tare says to that.
    pub question: Vec<Question>,
}

/// One table: a value per row and column, the baseline's column first where there are ratios.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Table {
    /// Its name.
    pub name: String,
    /// The layers, one a column.
    pub columns: Vec<String>,
    /// The column that the others are divided by, where there are more than two.
    pub base: Option<String>,
    /// The values are no times of their own: they are what the layer adds to the baseline's.
    #[serde(default)]
    pub added: bool,
    /// The rows.
    pub rows: Vec<Row>,
    /// The index scores printed below, one a column.
    #[serde(default)]
    pub score: Vec<f64>,
    /// The rows that the text says lie outside their intervals.
    #[serde(default)]
    pub claimed_outside: Vec<String>,
    /// The rows that the table calls wide.
    #[serde(default)]
    pub called_wide: Vec<String>,
}

/// One row.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Row {
    /// The benchmark as the paper calls it.
    pub name: String,
    /// The benchmark as an import calls it, or as tare does where it is the same.
    pub own: Option<String>,
    /// The benchmark as tare's probe calls it; at as many copies or threads as there are where it ends with `@n`.
    pub probe: Option<String>,
    /// The unit, empty where it is a plain number.
    #[serde(default)]
    pub unit: String,
    /// `higher` where that is the good end; `lower` when empty.
    #[serde(default)]
    pub better: String,
    /// What the row is in a decomposition.
    pub role: Option<String>,
    /// The values, one a column.
    pub values: Vec<f64>,
    /// The ratio as printed: second column / first.
    pub ratio: Option<f64>,
    /// Whole widths of the 95% intervals in percent of the mean, one a column.
    #[serde(default)]
    pub width: Vec<f64>,
    /// The best values, where the paper gives them too.
    #[serde(default)]
    pub best: Vec<f64>,
    /// Their ratio as printed.
    pub best_ratio: Option<f64>,
    /// How far the row is said to lie outside its intervals, in percent.
    pub outside: Option<f64>,
    /// What an index is relative to.
    pub baseline: Option<f64>,
    /// The indices as printed.
    #[serde(default)]
    pub index: Vec<f64>,
    /// Seconds that each measurement took.
    #[serde(default)]
    pub seconds: Vec<f64>,
    /// Samples behind each value.
    pub samples: Option<u32>,
}

/// What is stated; with a place in a table, it can be checked. Without one, the paper has no figures for it.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Claim {
    /// What it is of.
    pub about: String,
    /// From and to.
    pub percent: Option<[f64; 2]>,
    /// Which layer is said to be better, where no percentage is given: `layer` or `of`.
    pub better: Option<String>,
    /// The table that it follows from.
    pub table: Option<String>,
    /// The row, or `score`.
    pub row: Option<String>,
    /// The column above the line.
    pub layer: Option<String>,
    /// The column below it.
    pub of: Option<String>,
    /// The benchmarks of tare's probe that it is about, where `layer` and `of` are layers of tare's or kinds of them.
    #[serde(default)]
    pub rows: Vec<String>,
}

/// Two claims of the same thing.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Twice {
    /// One claim's `about`.
    pub one: String,
    pub other: String,
}

/// A gap that an improvement is said to have closed so far.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Gap {
    /// The claim of the gap before: that far below.
    pub before: String,
    /// The claim of the improvement: that far above.
    pub gain: String,
    /// The claim of the gap after: that far below.
    pub after: String,
}

/// A row that others add up to.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Sum {
    pub table: String,
    /// The whole.
    pub total: String,
    pub parts: Vec<String>,
}

impl Paper {
    /// The stated percentages of `about`.
    pub fn percent(&self, about: &str) -> Option<[f64; 2]> {
        self.claim.iter().find(|claim| claim.about == about)?.percent
    }

    /// The table called `name`.
    pub fn table(&self, name: &str) -> Option<&Table> {
        self.table.iter().find(|table| table.name == name)
    }
}

impl Row {
    /// The place among `names` of the benchmark that this row is about: as an import calls it, or as the probe does.
    pub fn found_in<'a>(&self, names: impl Iterator<Item = &'a str> + Clone) -> Option<usize> {
        let place = |wanted: &str| names.clone().position(|name| name == wanted);
        let probe = || {
            let wanted = self.probe.as_deref()?;
            let Some(stem) = wanted.strip_suffix("@n") else { return place(wanted) };
            let copies = |name: &str| {
                let copies = name.strip_prefix(stem)?.strip_prefix('@')?.parse::<u32>().ok()?;
                (copies > 1).then_some(copies)
            };
            let loads =
                names.clone().enumerate().filter_map(|(at, name)| Some((copies(name)?, at)));
            loads.max().map(|(_, at)| at)
        };
        self.own.as_deref().and_then(place).or_else(probe)
    }
}

impl Table {
    /// The rows that neither tare nor an import has a benchmark for.
    pub fn without_counterpart(&self) -> impl Iterator<Item = &Row> {
        self.rows.iter().filter(|row| row.own.is_none() && row.probe.is_none())
    }

    /// The row called `name`.
    pub fn row(&self, name: &str) -> Option<&Row> {
        self.rows.iter().find(|row| row.name == name)
    }

    /// The place of a column.
    pub fn column(&self, name: &str) -> Option<usize> {
        self.columns.iter().position(|column| column == name)
    }
}

/// Every paper.
///
/// # Errors
/// A file that is no paper; a test sees to it that none is.
pub fn papers() -> Result<Vec<Paper>, toml::de::Error> {
    FILES.iter().map(|text| toml::from_str(text)).collect()
}
