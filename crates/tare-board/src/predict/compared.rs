//! A measured run of a program beside what was predicted of it: the ratio, and the time of each kind of work, as its prices say it and as the
//! host saw it.

use super::{CONFIDENCE, Expected, PRICES, Predicted, Profile, Term, on_layer};
use crate::board::Scoreboard;
use serde::Serialize;
use std::collections::BTreeMap;
use tare_proto::{CallClass, OPERATION_ROW, Unit, Untrusted, Work, call_class, operation};
use tare_store::Campaign;

/// A prediction, and what was measured.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Compared {
    /// Layer / baseline, as it is predicted without the program's own measurement.
    pub predicted: f64,
    /// Lower end of the prediction's interval.
    pub low: f64,
    /// Upper end.
    pub high: f64,
    /// How sure that interval is.
    pub confidence: f64,
    /// Layer / baseline, as it was measured.
    pub measured: f64,
    /// A run on the baseline, in nanoseconds.
    pub baseline_ns: f64,
    /// Every kind of work that has a part of the run, the largest first.
    pub kinds: Vec<Kind>,
    /// Rows for which the layer has no number: they are taken to cost what they cost on the baseline.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub unpriced: Vec<Untrusted>,
}

/// A kind of work of one run.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Kind {
    /// What it is.
    pub name: &'static str,
    /// Nanoseconds on the baseline, by its prices; none of what no price is of.
    pub priced_ns: Option<f64>,
    /// Nanoseconds on the layer, likewise.
    pub predicted_ns: Option<f64>,
    /// Nanoseconds on the baseline, as the host saw it; none where it did not look.
    pub seen_baseline_ns: Option<f64>,
    /// The same on the layer; none where the layer has a kernel of its own, so that the host does not see which call of the program it
    /// works for.
    pub seen_layer_ns: Option<f64>,
}

/// What the host saw of a run, in nanoseconds.
#[derive(Debug, Clone, Default)]
pub(crate) struct SeenRun {
    /// In user mode.
    pub user: f64,
    /// In the host's kernel, in calls and elsewhere.
    pub kernel: f64,
    /// Asleep or without a CPU.
    pub waits: f64,
    /// On a CPU within each system call.
    pub calls: BTreeMap<String, f64>,
}

/// Kinds that the host can tell apart by the names of calls: what a read or a write is of, it does not see.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Group {
    Calls,
    Transfers,
    Memory,
    Processes,
    User,
    Beside,
    Waits,
}

impl Group {
    const ALL: [Group; 7] = [
        Group::User,
        Group::Calls,
        Group::Transfers,
        Group::Memory,
        Group::Processes,
        Group::Beside,
        Group::Waits,
    ];

    const fn name(self) -> &'static str {
        match self {
            Group::User => "user code",
            Group::Calls => "calls that touch no file",
            Group::Transfers => "files and messages",
            Group::Memory => "mappings and page faults",
            Group::Processes => "processes and threads",
            Group::Beside => "the kernel outside of calls",
            Group::Waits => "waiting",
        }
    }

    const fn of_work(work: Work) -> Group {
        match work {
            Work::Call => Group::Calls,
            Work::File | Work::Message => Group::Transfers,
            Work::Memory => Group::Memory,
            Work::Process => Group::Processes,
        }
    }

    /// What the operation `name` is; `None` of what is no operation.
    fn of_operation(name: &str) -> Option<Group> {
        Some(Group::of_work(operation(&format!("{OPERATION_ROW}{name}"))?.work))
    }

    /// What the system call `name` is for.
    fn of_call(name: &str) -> Group {
        let of = |name| Group::of_operation(name).unwrap_or(Group::Calls);
        match (call_class(name), name) {
            (CallClass::One(name) | CallClass::Path(name, _) | CallClass::Sized(name), _) => {
                of(name)
            }
            (CallClass::Included, "munmap" | "shmdt") => Group::Memory,
            (CallClass::Included, "accept" | "accept4") => Group::Transfers,
            (CallClass::Included, _) => Group::Processes,
            (CallClass::Unknown, _) => Group::Calls,
            _ => Group::Transfers,
        }
    }

    /// Nanoseconds of it in a run that the host watched.
    fn seen(self, run: &SeenRun) -> f64 {
        let calls = |group| -> f64 {
            let own = run.calls.iter().filter(|(name, _)| Group::of_call(name) == group);
            own.map(|(_, ns)| ns).sum()
        };
        match self {
            Group::User => run.user,
            Group::Waits => run.waits,
            Group::Beside => (run.kernel - run.calls.values().sum::<f64>()).max(0.0),
            group => calls(group),
        }
    }
}

/// What the host saw of a run on the baseline, and of one on a layer on the host's own kernel.
#[derive(Debug, Clone, Default)]
pub(crate) struct SeenRuns {
    pub baseline: Option<SeenRun>,
    pub layer: Option<SeenRun>,
}

/// What the campaign `prices` predicts for the program of benchmark number `bench` in `campaign`, whose `board` has what was measured; or why it
/// predicts nothing. `None` where the row is not the time of a program whose operations were counted.
pub(crate) fn compared(
    (campaign, board): (&Campaign, &Scoreboard),
    prices: (&Campaign, &Scoreboard),
    (bench, layer): (usize, &str),
    seen: &SeenRuns,
) -> Option<Result<Compared, String>> {
    let name = &campaign.benchmarks.get(bench)?.name;
    let row = board.rows.iter().find(|row| row.benchmark == *name)?;
    if row.unit != Unit::Nanoseconds {
        return None; // the simulated machine's instructions are no time
    }
    let measured = row.cells.iter().find(|cell| cell.layer == layer)?.ratio?.value;
    let native =
        |at: usize| (at == bench).then(|| row.baseline.as_ref().map(|own| own.mean)).flatten();
    let (_, program) = Profile::all(campaign, native).into_iter().next()?;
    let expected =
        unlike(campaign, prices.0, layer).and_then(|()| expected(prices, layer, &program));
    Some(expected.map(|expected| Compared {
        predicted: expected.ratio,
        low: expected.low,
        high: expected.high,
        confidence: CONFIDENCE,
        measured,
        baseline_ns: program.native_ns,
        kinds: kinds(&expected.terms, program.native_ns, seen),
        unpriced: expected.unpriced.into_iter().map(|one| one.row).collect(),
    }))
}

/// The prediction, or why there is none.
fn expected(
    (prices, board): (&Campaign, &Scoreboard),
    layer: &str,
    program: &Profile,
) -> Result<Expected, String> {
    match on_layer(prices, board, layer, program) {
        Predicted::Ratio(expected) => Ok(*expected),
        Predicted::Translated => Err(TRANSLATES.into()),
        Predicted::Unpriced { rows } => {
            let rows: Vec<&str> = rows.iter().map(Untrusted::raw).collect();
            Err(format!("there are no prices of {}", rows.join(", ")))
        }
    }
}

/// Why a layer of an emulator has no prediction.
const TRANSLATES: &str =
    "the layer translates every instruction, which costs each program something else";

/// Every kind of work of a run that takes `native_ns` on the baseline, by the prediction's `terms` and as it was `seen`.
fn kinds(terms: &[Term], native_ns: f64, seen: &SeenRuns) -> Vec<Kind> {
    let mut kinds = Group::ALL.map(|group| {
        let of_term =
            |term: &&Term| Group::of_operation(term.name.raw()).unwrap_or(Group::User) == group;
        let own = || terms.iter().filter(of_term);
        let has_price = own().next().is_some();
        let sum = |of: fn(&Term) -> f64| has_price.then(|| own().map(of).sum());
        Kind {
            name: group.name(),
            priced_ns: sum(|term| term.baseline_ns),
            predicted_ns: sum(|term| term.layer_ns),
            seen_baseline_ns: seen.baseline.as_ref().map(|run| group.seen(run)),
            seen_layer_ns: seen.layer.as_ref().map(|run| group.seen(run)),
        }
    });
    kinds.sort_by(|a, b| b.largest().total_cmp(&a.largest()));
    kinds.into_iter().filter(|kind| kind.largest() >= TOLD * native_ns).collect()
}

/// What has less than this share of a run is not told.
const TOLD: f64 = 0.002;

impl Kind {
    fn largest(&self) -> f64 {
        let all = [self.priced_ns, self.predicted_ns, self.seen_baseline_ns, self.seen_layer_ns];
        all.into_iter().flatten().fold(0.0, f64::max)
    }
}

impl Compared {
    /// Whether the prediction's interval holds what was measured.
    #[must_use]
    pub fn holds(&self) -> bool {
        (self.low..=self.high).contains(&self.measured)
    }
}

/// Whether the board's campaign has prices of operations.
#[must_use]
pub fn has_prices(board: &Scoreboard) -> bool {
    board.rows.iter().any(|row| row.suite == PRICES)
}

/// The settings that say what programs see, and not what the layer is.
const SEEN: [&str; 2] = ["root=", "overlay="];

/// Prices are of the same layer, as far as its name, its kind and its settings say.
fn unlike(campaign: &Campaign, prices: &Campaign, layer: &str) -> Result<(), String> {
    let of = |campaign: &Campaign, name: &str| {
        let found = campaign.layers.iter().find(|one| one.name == name);
        found.map(|one| {
            let settings = one.settings.raw().split(',').filter(|set| !set.is_empty());
            let own = settings.filter(|set| !SEEN.iter().any(|seen| set.starts_with(seen)));
            (one.kind.clone(), own.map(str::to_owned).collect::<Vec<_>>())
        })
    };
    let baseline = |campaign: &Campaign| {
        campaign.baseline().and_then(|at| Some(campaign.layers.get(at)?.kind.clone()))
    };
    match (of(campaign, layer), of(prices, layer)) {
        _ if baseline(campaign) != baseline(prices) => {
            Err("the prices are to another baseline".into())
        }
        (_, None) => Err("the campaign with the prices lacks this layer".into()),
        (own, other) if own != other => {
            Err("the prices are of another layer of that name, with other settings".into())
        }
        _ => Ok(()),
    }
}
