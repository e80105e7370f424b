//! Sweeps: `--sweep KNOB=V1,V2,...` and `[[sweep]]`, made into layers and loads of a campaign. From there on nothing else knows
//! of them but the scoreboard.

mod arg;
mod cost;
mod design;
mod layers;
mod names;

pub use arg::{SweepArg, SweepTable};
pub use cost::{Cost, check};
pub use layers::Swept;

use crate::loads::LoadArg;
use anyhow::{Result, anyhow, bail};
use tare_proto::BenchInfo;
use tare_store::{Design, Knob, Turned};

/// The knob that is the load of every benchmark that has one.
const LOAD: &str = "load";

/// What follows a family's name in the knob that is its size.
const SIZE: &str = ".size";

/// How the names of this host's knobs begin, and those of the same knob of one layer behind its name.
const HOST: &str = "host.";
const OF_HOST: &str = "knobs.";

#[derive(Default)]
pub struct Knobs {
    knobs: Vec<SweepArg>,
    design: Design,
}

impl Knobs {
    /// From the knobs and the design that were asked for.
    ///
    /// # Errors
    /// One knob twice, a pattern that no kernel fits, or a design of no knobs.
    pub fn new(knobs: Vec<SweepArg>, design: Option<Design>) -> Result<Knobs> {
        let knobs: Vec<SweepArg> =
            knobs.into_iter().map(SweepArg::expanded).collect::<Result<_>>()?;
        if design.is_some() && knobs.is_empty() {
            bail!(
                "--design chooses combinations of the knobs of --sweep: give one, or omit --design"
            );
        }
        for (at, knob) in knobs.iter().enumerate() {
            if knobs[..at].iter().any(|other| other.knob == knob.knob) {
                bail!(
                    "--sweep {}: this knob is given twice; list all of its values in one --sweep",
                    knob.knob
                );
            }
        }
        Ok(Knobs { knobs, design: design.unwrap_or_default() })
    }

    /// Whether a knob names the layers that are to be measured.
    pub fn turns_layers(&self) -> bool {
        !self.knobs.iter().all(|knob| is_of_rows(knob) || knob.knob.starts_with(HOST))
    }

    pub fn is_empty(&self) -> bool {
        self.knobs.is_empty()
    }

    /// The loads that are asked for in this way.
    pub fn load(&self, others: bool) -> Result<Option<LoadArg>> {
        let Some(knob) = self.knobs.iter().find(|knob| knob.knob == LOAD) else { return Ok(None) };
        if others {
            bail!("--load and --sweep load=... both give loads; omit one of them");
        }
        let listed: LoadArg = knob.values.join(",").parse().map_err(|why: String| anyhow!(why))?;
        if listed.is_auto() {
            bail!("--sweep load=auto: list the loads, such as load=1,4,16");
        }
        Ok(Some(listed))
    }

    /// The benchmarks that are measured: where a size is a knob, those of the sizes asked for.
    pub fn sizes(&self, mut benches: Vec<BenchInfo>) -> Result<Vec<BenchInfo>> {
        for (knob, family) in self.knobs.iter().filter_map(|knob| Some((knob, family(knob)?))) {
            let size = |bench: &BenchInfo| {
                let own = bench.name.strip_prefix(family)?.strip_prefix('/')?;
                own.rsplit_once('_').map(|(_, size)| size.to_owned())
            };
            let there: Vec<String> = benches.iter().filter_map(size).collect();
            if let Some(missing) = knob.values.iter().find(|value| !there.contains(value)) {
                let mut there = there.clone();
                there.sort();
                there.dedup();
                let known = if there.is_empty() { "none".into() } else { there.join(", ") };
                bail!(
                    "--sweep {}: no benchmark of {family} that is measured has the size {missing}; there are: {known}",
                    knob.knob
                );
            }
            benches.retain(|bench| size(bench).is_none_or(|own| knob.values.contains(&own)));
        }
        Ok(benches)
    }

    /// The knobs that are loads and sizes, as the campaign keeps them.
    fn of_rows(&self) -> Vec<Knob> {
        let knob = |knob: &SweepArg| {
            let of = match family(knob) {
                Some(family) => Turned::Size(family.into()),
                None => Turned::Load,
            };
            Knob {
                name: knob.knob.clone().into(),
                of,
                values: knob.values.iter().map(|value| value.as_str().into()).collect(),
                ordered: false,
            }
        };
        self.knobs.iter().filter(|knob| is_of_rows(knob)).map(knob).collect()
    }
}

fn family(knob: &SweepArg) -> Option<&str> {
    knob.knob.strip_suffix(SIZE).filter(|family| !family.is_empty() && !family.contains('.'))
}

fn is_of_rows(knob: &SweepArg) -> bool {
    knob.knob == LOAD || family(knob).is_some()
}
