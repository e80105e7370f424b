//! Which loads are measured: the benchmarks' own, or those that `--load` asks for.

use anyhow::{Result, bail};
use globset::{Glob, GlobMatcher};
use std::str::FromStr;
use tare_proto::BenchInfo;

/// Largest load: more copies than that are a mistake in typing.
const MOST: u32 = 4096;

/// One `--load [GLOB=]N,...`.
#[derive(Debug, Clone)]
pub struct LoadArg {
    /// The benchmarks it is for; all when there is none.
    of: Option<GlobMatcher>,
    loads: Vec<u32>,
}

impl FromStr for LoadArg {
    type Err = String;

    fn from_str(text: &str) -> Result<LoadArg, String> {
        let (of, list) = match text.rsplit_once('=') {
            Some((glob, list)) => {
                let glob = Glob::new(glob).map_err(|e| e.to_string())?;
                (Some(glob.compile_matcher()), list)
            }
            None => (None, text),
        };
        let load = |word: &str| match word.trim().parse() {
            Ok(load) if (1..=MOST).contains(&load) => Ok(load),
            _ => Err(format!("'{word}' is not a load: a list of numbers from 1 to {MOST}")),
        };
        Ok(LoadArg { of, loads: list.split(',').map(load).collect::<Result<_, _>>()? })
    }
}

impl LoadArg {
    fn fits(&self, bench: &BenchInfo) -> bool {
        !bench.load.is_empty() && self.of.as_ref().is_none_or(|of| of.is_match(&bench.name))
    }
}

/// Every benchmark at each of its loads, or at those that were `asked` for (the last word wins); a
/// load of 0 in a benchmark's own list is as many as layers have `cpus`.
pub fn expand(benches: Vec<BenchInfo>, asked: &[LoadArg], cpus: usize) -> Result<Vec<BenchInfo>> {
    if let Some(idle) = asked.iter().find(|arg| !benches.iter().any(|bench| arg.fits(bench))) {
        let glob = idle.of.as_ref().map_or(String::new(), |of| format!(" {}", of.glob()));
        bail!(
            "--load{glob}: no benchmark of this campaign that matches has loads; see 'tare list'"
        );
    }
    let mut rows = Vec::new();
    for bench in benches {
        let own = bench.loads.iter().map(|&load| if load == 0 { cpus as u32 } else { load });
        let asked = asked.iter().rfind(|arg| arg.fits(&bench)).map(|arg| arg.loads.clone());
        let mut loads = asked.unwrap_or_else(|| own.collect());
        loads.sort_unstable();
        loads.dedup();
        if loads.is_empty() {
            loads.push(1);
        }
        rows.extend(loads.into_iter().map(|load| bench.at(load)));
    }
    Ok(rows)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bench(name: &str, load: &str, loads: &[u32]) -> BenchInfo {
        let (name, load, loads) = (name.into(), load.into(), loads.to_vec());
        BenchInfo { name, load, loads, ..BenchInfo::default() }
    }

    fn names(asked: &[&str], cpus: usize) -> Vec<String> {
        let benches = vec![
            bench("a/loop", "copies", &[1]),
            bench("b/mix", "users", &[1, 4, 0]),
            bench("host/start", "", &[]),
        ];
        let asked: Vec<LoadArg> = asked.iter().map(|text| text.parse().unwrap()).collect();
        let rows = expand(benches, &asked, cpus).unwrap();
        rows.into_iter().map(|row| row.name).collect()
    }

    #[test]
    fn a_benchmark_has_its_own_loads_unless_others_are_asked_for() {
        assert_eq!(names(&[], 2), ["a/loop", "b/mix", "b/mix@2", "b/mix@4", "host/start"]);
        assert_eq!(names(&[], 1), ["a/loop", "b/mix", "b/mix@4", "host/start"]);
        let all = ["a/loop", "a/loop@2", "b/mix", "b/mix@2", "host/start"];
        assert_eq!(names(&["2,1,2"], 1), all);
        assert_eq!(names(&["3", "b/*=8"], 1), ["a/loop@3", "b/mix@8", "host/start"]);
    }

    #[test]
    fn a_load_that_nothing_has_or_that_is_no_number_is_refused() {
        assert!("0".parse::<LoadArg>().is_err());
        assert!("1,x".parse::<LoadArg>().is_err());
        assert!("5000".parse::<LoadArg>().is_err());
        let asked: LoadArg = "c/*=2".parse().unwrap();
        assert!(expand(vec![bench("a/loop", "copies", &[1])], &[asked], 1).is_err());
    }
}
