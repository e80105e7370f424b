//! Which loads are measured: the benchmarks' own, or those that `--load` asks for or lets tare find.

use anyhow::{Result, bail};
use globset::{Glob, GlobMatcher};
use std::str::FromStr;
use tare_proto::BenchInfo;
use tare_run::{FoundLoads, sandbox_benches as sandbox};

/// Largest load: more copies than that are a mistake in typing.
const MOST: u32 = 4096;

/// The word for loads that are found.
const AUTO: &str = "auto";

/// One `--load [GLOB=]N,...`, or `auto` for the numbers.
#[derive(Debug, Clone)]
pub struct LoadArg {
    /// The benchmarks it is for; all when there is none.
    of: Option<GlobMatcher>,
    loads: Loads,
}

#[derive(Debug, Clone, PartialEq)]
enum Loads {
    Listed(Vec<u32>),
    Auto,
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
        if list.trim() == AUTO {
            return Ok(LoadArg { of, loads: Loads::Auto });
        }
        let load = |word: &str| match word.trim().parse() {
            Ok(load) if (1..=MOST).contains(&load) => Ok(load),
            _ => Err(format!(
                "'{word}' is not a load; give numbers from 1 to {MOST}, separated by commas, or {AUTO}"
            )),
        };
        let loads = list.split(',').map(load).collect::<Result<_, _>>()?;
        Ok(LoadArg { of, loads: Loads::Listed(loads) })
    }
}

impl LoadArg {
    pub fn is_auto(&self) -> bool {
        self.loads == Loads::Auto
    }

    fn fits(&self, bench: &BenchInfo) -> bool {
        !bench.load.is_empty() && self.of.as_ref().is_none_or(|of| of.is_match(&bench.name))
    }
}

/// What was asked for `bench`; the last word wins.
fn for_bench<'a>(bench: &BenchInfo, asked: &'a [LoadArg]) -> Option<&'a Loads> {
    asked.iter().rfind(|arg| arg.fits(bench)).map(|arg| &arg.loads)
}

/// The benchmarks whose loads are to be found. How many neighbours there are is no load that could rise.
pub fn searched<'a>(benches: &'a [BenchInfo], asked: &[LoadArg]) -> Vec<&'a BenchInfo> {
    let auto = |bench: &&BenchInfo| for_bench(bench, asked) == Some(&Loads::Auto);
    benches.iter().filter(auto).filter(|bench| !sandbox::has_neighbours(bench)).collect()
}

/// The loads of every one of `benches`, by `search`, which gives nothing when it is interrupted. What one search finds for
/// several is looked for once.
pub fn find_all(
    benches: Vec<&BenchInfo>,
    mut search: impl FnMut(&BenchInfo) -> Result<Option<FoundLoads>>,
) -> Result<Vec<FoundLoads>> {
    let mut all: Vec<FoundLoads> = Vec::new();
    for bench in benches {
        let known = all.iter().find(|found| sandbox::same_search(&found.benchmark, &bench.name));
        let found = match known {
            Some(found) => Some(FoundLoads { benchmark: bench.name.clone(), ..found.clone() }),
            None => search(bench)?,
        };
        let Some(found) = found else { break };
        all.push(found);
    }
    Ok(all)
}

/// Refuses loads for benchmarks that are not there or have none.
pub fn check_loads(benches: &[BenchInfo], asked: &[LoadArg]) -> Result<()> {
    if let Some(idle) = asked.iter().find(|arg| !benches.iter().any(|bench| arg.fits(bench))) {
        let of = idle.of.as_ref();
        let asked = of.map_or("or --sweep load".to_owned(), |of| of.glob().to_string());
        bail!("--load {asked}: no matching benchmark of this campaign has loads; see 'tare list'");
    }
    Ok(())
}

/// Every benchmark at each of its loads, or at those that were `asked` for or `found`; a load of 0 in a
/// benchmark's own list is as many as layers have `cpus`.
pub fn expand(
    benches: Vec<BenchInfo>,
    asked: &[LoadArg],
    cpus: usize,
    found: &[FoundLoads],
) -> Vec<BenchInfo> {
    let mut rows = Vec::new();
    for bench in benches {
        let found = found.iter().find(|found| found.benchmark == bench.name);
        let loads = loads_of(&bench, asked, cpus, found);
        rows.extend(loads.into_iter().map(|load| bench.at(load)));
    }
    rows
}

/// The loads of one benchmark, upwards; at least one.
pub fn loads_of(
    bench: &BenchInfo,
    asked: &[LoadArg],
    cpus: usize,
    found: Option<&FoundLoads>,
) -> Vec<u32> {
    let own = bench.loads.iter().map(|&load| if load == 0 { cpus as u32 } else { load });
    let mut loads = match (for_bench(bench, asked), found) {
        (Some(Loads::Listed(loads)), _) => loads.clone(),
        (Some(Loads::Auto), Some(found)) => found.loads.clone(),
        (Some(Loads::Auto) | None, _) => own.collect(),
    };
    loads.sort_unstable();
    loads.dedup();
    if loads.is_empty() {
        loads.push(1);
    }
    loads
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bench(name: &str, load: &str, loads: &[u32]) -> BenchInfo {
        BenchInfo {
            name: name.into(),
            load: load.into(),
            loads: loads.to_vec(),
            ..BenchInfo::default()
        }
    }

    fn benches() -> Vec<BenchInfo> {
        vec![
            bench("a/loop", "copies", &[1]),
            bench("b/mix", "users", &[1, 4, 0]),
            bench("host/start", "", &[]),
        ]
    }

    fn names(asked: &[&str], cpus: usize) -> Vec<String> {
        let asked: Vec<LoadArg> = asked.iter().map(|text| text.parse().unwrap()).collect();
        let rows = expand(benches(), &asked, cpus, &[]);
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
        assert!(check_loads(&[bench("a/loop", "copies", &[1])], &[asked]).is_err());
    }

    #[test]
    fn starts_are_searched_once_for_all_rows_that_count_them() {
        let rows = sandbox::rows();
        let asked: Vec<LoadArg> = vec!["auto".parse().unwrap()];
        let mut looked = Vec::new();
        let found = find_all(searched(&rows, &asked), |bench| {
            looked.push(bench.name.clone());
            let benchmark = bench.name.clone();
            Ok(Some(FoundLoads { benchmark, loads: vec![1, 3], end: "why".into() }))
        });
        assert_eq!(looked, ["start/warm"]);
        let names: Vec<String> = found.unwrap().into_iter().map(|found| found.benchmark).collect();
        assert_eq!(names, ["start/warm", "start/rate", "clone/start"]);
    }

    #[test]
    fn what_is_to_be_found_is_looked_for_and_taken() {
        let asked: Vec<LoadArg> = vec!["b/*=auto".parse().unwrap(), "a/*=2".parse().unwrap()];
        let all = benches();
        let names: Vec<&str> =
            searched(&all, &asked).iter().map(|bench| bench.name.as_str()).collect();
        assert_eq!(names, ["b/mix"], "what has no loads is not looked at");
        let found =
            [FoundLoads { benchmark: "b/mix".into(), loads: vec![1, 2, 6], end: String::new() }];
        let rows = expand(benches(), &asked, 1, &found);
        let names: Vec<&str> = rows.iter().map(|row| row.name.as_str()).collect();
        assert_eq!(names, ["a/loop@2", "b/mix", "b/mix@2", "b/mix@6", "host/start"]);
    }
}
