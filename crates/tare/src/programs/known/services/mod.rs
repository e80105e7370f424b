//! The suite `services`: well-known servers from Debian's packages, one file each, asked from outside of the layer at a rate, and up to
//! the rate at which the slowest of a hundred requests take too long.

mod caddy;
mod memcached;
mod nginx;
mod nginx_h2;
mod nginx_tls;
mod node;
mod postgres;
mod python;
mod redis;

use super::in_root;
use crate::cli::{CostArg, ProgramArgs};
use crate::programs::{DEFINITION, ESTIMATOR, REPEAT, TIMEOUT, service};
use std::time::Duration;
use tare_proto::{BenchInfo, Better, SuiteInfo, Unit};

/// The name of the suite, and what its rows begin with.
pub const SUITE: &str = "services";

/// What the rows of highest rates end with.
const KNEE: &str = ".knee";

/// The bound that such a rate keeps: what people notice, and far above what a busy host alone does.
const SLO: &str = "p99 < 20ms";

/// How long a run asks at a rate, and the search at each of its rates.
const ASKS_FOR: Duration = Duration::from_secs(1);
const STEP: Duration = Duration::from_millis(300);

pub struct Service {
    /// Its name, after `services/`.
    name: &'static str,
    /// One line: what it is, and what it answers.
    about: &'static str,
    pub packages: &'static [&'static str],
    /// As `--root-run`; empty for none.
    root_run: &'static str,
    /// As `--service` and `--rate`.
    url: &'static str,
    rate: u32,
    /// The server; it listens at all addresses.
    command: &'static str,
    memory: &'static str,
}

/// What most of them have none of.
const PLAIN: Service = Service {
    name: "",
    about: "",
    packages: &[],
    root_run: "",
    url: "",
    rate: 0,
    command: "",
    memory: "512M",
};

/// Every service, in the scoreboard's order.
pub const ALL: &[&Service] = &[
    &nginx::SERVICE,
    &nginx_tls::SERVICE,
    &nginx_h2::SERVICE,
    &caddy::SERVICE,
    &redis::SERVICE,
    &memcached::SERVICE,
    &postgres::SERVICE,
    &python::SERVICE,
    &node::SERVICE,
];

pub fn suite() -> SuiteInfo {
    let about = "well-known servers from Debian's packages, asked from outside at a rate, and up to which rate p99 stays below 20 ms; \
                 as root, with mmdebstrap";
    SuiteInfo { name: SUITE.into(), about: about.into() }
}

/// Two rows of each: the latencies at its rate, which become rows for each quantile, and the highest rate.
pub fn benches() -> impl Iterator<Item = BenchInfo> {
    ALL.iter().flat_map(|service| [service.latencies(), service.knee()])
}

/// What the server of row `name` asks for, in a root with the packages of all of `names`.
pub fn asked(name: &str, names: &[String]) -> Option<ProgramArgs> {
    let service = ALL.iter().find(|service| service.has(name))?;
    let is_knee = name.ends_with(KNEE);
    Some(ProgramArgs {
        service: Some(service.url.into()),
        client: Some(service::OUTSIDE.into()),
        rate: if is_knee { Vec::new() } else { vec![service.rate] },
        slo: is_knee.then(|| SLO.into()),
        asks_for: Some(if is_knee { STEP } else { ASKS_FOR }),
        costs: if is_knee { Vec::new() } else { vec![CostArg::Cpu] },
        // A search tries many rates: it is many runs.
        repeat: is_knee.then_some(1),
        ..in_root(service.name, service.root_run, service.memory, service.command, names)
    })
}

impl Service {
    fn row(&self) -> String {
        format!("{SUITE}/{}", self.name)
    }

    /// Whether row `name` is one of its two.
    pub fn has(&self, name: &str) -> bool {
        name.strip_suffix(KNEE).unwrap_or(name) == self.row()
    }

    fn latencies(&self) -> BenchInfo {
        BenchInfo {
            name: self.row(),
            about: format!("{}: latencies at {} requests a second", self.about, self.rate),
            unit: Unit::Nanoseconds,
            better: Better::Lower,
            suite: SUITE.into(),
            estimator: ESTIMATOR.into(),
            samples: REPEAT,
            needs: service::needs_outside(),
            load: service::LOAD.into(),
            loads: vec![self.rate],
            series_ms: TIMEOUT.as_millis() as u64,
            definition: DEFINITION,
            at_once: false,
        }
    }

    fn knee(&self) -> BenchInfo {
        BenchInfo {
            name: format!("{}{KNEE}", self.row()),
            about: format!("{}: requests a second up to which {SLO}", self.about),
            unit: Unit::PerSecond,
            better: Better::Higher,
            load: String::new(),
            loads: Vec::new(),
            ..self.latencies()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::programs::{known, read};

    #[test]
    fn every_file_has_its_rows_and_every_row_can_be_asked_for() {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/src/programs/known/services");
        let files = std::fs::read_dir(folder).unwrap().count();
        assert_eq!(files - 1, ALL.len(), "one file each, and the table's");
        let names: Vec<String> = benches().map(|bench| bench.name).collect();
        for bench in benches() {
            let asked = known::asked(&bench.name, &names).unwrap();
            let [one] = &service::clients(&asked).unwrap()[..] else { panic!("{}", bench.name) };
            let made = read(one, SUITE).unwrap().benches;
            assert!(made[0].name.starts_with(&bench.name), "{} and {}", made[0].name, bench.name);
            assert_eq!(
                (made[0].unit, &made[0].needs),
                (bench.unit, &bench.needs),
                "{}",
                bench.name
            );
            assert!(
                asked
                    .root
                    .unwrap()
                    .contains("caddy,memcached,nginx-light,nodejs,openssl,postgresql-15")
            );
        }
    }
}
