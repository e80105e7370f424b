//! The names of what was counted by address: functions, what called them, and what was entered.

use std::collections::BTreeMap;
use std::path::PathBuf;
use tare_layers::{Called, Counted, Counts, LoadedModule, Session};
use tare_observe::{Linked, Modules};
use tare_proto::Counter;
use tare_proto::counter::{CALLED, ENTRY, FUNCTION, Place};
use tare_proto::mark;
use tare_proto::outside::CALLS_INTO;

/// Most functions of a series that are kept apart.
const MOST: usize = 400;

/// All functions beyond those.
const OTHERS: &str = "(others)";

/// The least share of a place's instructions that a path of calls is kept for; its caller has what has less.
const LEAST: f64 = 0.002;

/// Where x86-64 Linux has its modules, with and without randomized addresses.
const MODULES: u64 = 0xffff_ffff_a000_0000;

/// What a boot has executed.
pub(crate) struct Code {
    /// Its kernels, hypervisors and programs.
    images: Vec<PathBuf>,
    /// What its kernels may have loaded.
    modules: Modules,
}

impl Code {
    /// Of a session that goes on: its end removes the modules' files.
    pub(crate) fn of(session: &Session) -> Code {
        let images = session.artifacts().iter().map(|file| file.path.clone()).collect();
        Code { images, modules: session.folder().map(Modules::in_folder).unwrap_or_default() }
    }
}

/// The names of a boot's code.
pub(super) struct Named<'a> {
    called: &'a [Called],
    /// The path of each: its place, and the functions that were called, the outermost one first.
    paths: Vec<String>,
    linked: Linked,
    modules: &'a Modules,
    /// Where the kernels have loaded them, and the names of those that are known.
    loaded: Vec<(LoadedModule, Option<&'a str>)>,
}

impl<'a> Named<'a> {
    /// Of what was counted in a boot that has run this `code`.
    pub(super) fn of(counts: &'a Counts, code: &'a Code) -> Named<'a> {
        let Counts { called, modules, .. } = counts;
        let name = |one: &LoadedModule| code.modules.names().find(|it| mark::named(it) == one.name);
        let mut named = Named {
            called,
            paths: Vec::with_capacity(called.len()),
            linked: Linked::of(&code.images),
            modules: &code.modules,
            loaded: modules.iter().map(|one| (*one, name(one))).collect(),
        };
        for node in called {
            let function = named.function(node.place, node.start);
            let path = match named.paths.get(node.parent) {
                Some(caller) => deeper(caller, function),
                None => node.place.name().to_owned(),
            };
            named.paths.push(path);
        }
        named
    }

    /// All that was counted, by name.
    pub(super) fn counters(&self, counted: &Counted) -> Vec<Counter> {
        let Counted { counters, executed, entered } = counted;
        let mut functions = BTreeMap::new();
        let mut paths = BTreeMap::new();
        for ((node, address), value) in executed {
            let place = self.called[*node].place;
            let function = self.function(place, *address);
            *functions.entry((place, function)).or_default() += value;
            *paths.entry(deeper(&self.paths[*node], function)).or_default() += value;
        }
        let mut entries = BTreeMap::new();
        for ((place, address), value) in entered {
            *entries.entry((*place, self.function(*place, *address))).or_default() += value;
        }
        let paths = shallower(paths).into_iter();
        let counters = counters.iter().map(|(name, value)| (name.clone(), *value));
        let all = counters.chain(largest(FUNCTION, functions));
        let all = all.chain(paths.map(|(path, value)| (format!("{CALLED}{path}"), value)));
        let all = all.chain(largest(ENTRY, entries));
        all.map(|(name, value)| Counter { name, value }).collect()
    }

    /// The function at an address, or what there is to say of code whose function nobody knows.
    fn function(&self, place: Place, address: u64) -> &str {
        let nobodys = || match address {
            0 => OTHERS,
            MODULES.. if place != Place::Probe => "(a module)",
            _ => "(no symbol)",
        };
        let named = self.linked.function(address).or_else(|| self.in_module(place, address));
        named.unwrap_or_else(nobodys)
    }

    /// The function of a kernel's module: of the measured kernel's own, or else of that of the machine that it is inside of.
    fn in_module(&self, place: Place, address: u64) -> Option<&str> {
        let at = |outside: bool| {
            let of = |(one, _): &&(LoadedModule, _)| one.outside == outside && one.at <= address;
            self.loaded.iter().filter(of).max_by_key(|(one, _)| one.at)
        };
        let own = at(false).filter(|_| place == Place::Kernel);
        let (module, name) = own.or_else(|| at(true))?;
        self.modules.function((*name)?, address - module.at)
    }
}

/// A path with one function more, unless it is a piece of the same one.
fn deeper(path: &str, function: &str) -> String {
    match path.rsplit(CALLS_INTO).next() {
        Some(last) if last == function => path.to_owned(),
        _ => format!("{path}{CALLS_INTO}{function}"),
    }
}

/// The same sums of fewer paths.
fn shallower(paths: BTreeMap<String, f64>) -> BTreeMap<String, f64> {
    let place = |path: &str| path.split(CALLS_INTO).next().unwrap_or_default().to_owned();
    let mut totals: BTreeMap<String, f64> = BTreeMap::new();
    let mut levels: BTreeMap<usize, BTreeMap<String, f64>> = BTreeMap::new();
    for (path, value) in paths {
        *totals.entry(place(&path)).or_default() += value.abs();
        levels.entry(path.matches(CALLS_INTO).count()).or_default().insert(path, value);
    }
    let mut kept = BTreeMap::new();
    while let Some((level, paths)) = levels.pop_last() {
        for (path, value) in paths {
            match path.rsplit_once(CALLS_INTO) {
                Some((caller, _)) if value.abs() < LEAST * totals[&place(&path)] => {
                    let callers = levels.entry(level - 1).or_default();
                    *callers.entry(caller.to_owned()).or_default() += value;
                }
                _ => _ = kept.insert(path, value),
            }
        }
    }
    kept
}

/// Counters of the functions that have the most, and one of each place for all others.
fn largest(prefix: &str, functions: BTreeMap<(Place, &str), f64>) -> BTreeMap<String, f64> {
    let mut largest: Vec<_> = functions.into_iter().collect();
    largest.sort_by(|(_, a), (_, b)| b.abs().total_cmp(&a.abs()));
    let mut kept = BTreeMap::new();
    for (at, ((place, function), value)) in largest.into_iter().enumerate() {
        let function = if at < MOST { function } else { OTHERS };
        *kept.entry(format!("{prefix}{}/{function}", place.name())).or_default() += value;
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_without_a_share_of_their_own_are_their_callers() {
        let named = |paths: &[(&str, f64)]| -> BTreeMap<String, f64> {
            paths.iter().map(|(path, value)| ((*path).to_owned(), *value)).collect()
        };
        let paths = named(&[
            ("kernel", 1.0),
            ("kernel;a", 50.0),
            ("kernel;a;b", 949.0),
            ("kernel;a;b;c", 0.5),
            ("kernel;d;e", 0.25),
        ]);
        let wanted = named(&[("kernel", 1.25), ("kernel;a", 50.0), ("kernel;a;b", 949.5)]);
        assert_eq!(shallower(paths), wanted);
    }

    #[test]
    fn pieces_of_one_function_are_one() {
        assert_eq!(deeper("kernel;a", "a"), "kernel;a");
        assert_eq!(deeper("kernel;a", "b"), "kernel;a;b");
    }

    #[test]
    fn functions_beyond_the_largest_are_one_counter() {
        let names: Vec<String> = (0..MOST + 10).map(|at| format!("f{at}")).collect();
        let of = |at: usize| ((Place::Kernel, names[at].as_str()), 1000.0 - at as f64);
        let kept = largest(FUNCTION, (0..MOST + 10).map(of).collect());
        assert_eq!(kept.len(), MOST + 1);
        assert_eq!(kept["function/kernel/f0"], 1000.0);
        let rest: f64 = (MOST..MOST + 10).map(|at| 1000.0 - at as f64).sum();
        assert_eq!(kept["function/kernel/(others)"], rest);
    }
}
