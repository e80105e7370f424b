//! A measured run of a program beside what was predicted of it: the ratio, and the time of each kind of work, as its prices say it and as the
//! host saw it.

use super::{CONFIDENCE, PRICES, Predicted, Profile, on_layer};
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

/// What the campaign `prices` predicts for the program of benchmark number `bench` in `campaign`, whose `board` has what was measured. What
/// the host saw of a run is `seen`: on the baseline, and on a layer on the host's own kernel. Why there is none, where the row is the time
/// of a program whose operations were counted; `None` of any other row.
pub(crate) fn compared(
    (campaign, board): (&Campaign, &Scoreboard),
    (prices, priced): (&Campaign, &Scoreboard),
    (bench, layer): (usize, &str),
    seen: (Option<&SeenRun>, Option<&SeenRun>),
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
    Some(unlike(campaign, prices, layer).and_then(|()| {
        let expected = match on_layer(prices, priced, layer, &program) {
            Predicted::Ratio(expected) => expected,
            Predicted::Translated => {
                return Err(
                    "it translates every instruction, which costs each program something else"
                        .into(),
                );
            }
            Predicted::Unpriced { rows } => {
                let rows: Vec<&str> = rows.iter().map(Untrusted::raw).collect();
                return Err(format!("there are no prices of {}", rows.join(", ")));
            }
        };
        let mut kinds: Vec<Kind> = Vec::new();
        for group in Group::ALL {
            let of_term = |name: &str| Group::of_operation(name).unwrap_or(Group::User);
            let terms = || expected.terms.iter().filter(|term| of_term(term.name.raw()) == group);
            let has_price = terms().next().is_some();
            let sum = |of: fn(&super::Term) -> f64| has_price.then(|| terms().map(of).sum());
            let ns = |run: Option<&SeenRun>| run.map(|run| group.seen(run));
            kinds.push(Kind {
                name: group.name(),
                priced_ns: sum(|term| term.baseline_ns),
                predicted_ns: sum(|term| term.layer_ns),
                seen_baseline_ns: ns(seen.0),
                seen_layer_ns: ns(seen.1),
            });
        }
        kinds.retain(|kind| kind.largest() >= TOLD * program.native_ns);
        kinds.sort_by(|a, b| b.largest().total_cmp(&a.largest()));
        Ok(Compared {
            predicted: expected.ratio,
            low: expected.low,
            high: expected.high,
            confidence: CONFIDENCE,
            measured,
            baseline_ns: program.native_ns,
            kinds,
            unpriced: expected.unpriced.into_iter().map(|one| one.row).collect(),
        })
    }))
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

/// Whether `campaign` has prices of operations.
pub(crate) fn has_prices(board: &Scoreboard) -> bool {
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
