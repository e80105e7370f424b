//! Chooses the CPUs that layers are pinned to. They are all of the fastest kind of core, and share no core with tare itself.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use tare_layers::affinity;

/// Cores are of one kind when the slower has at least this share of the faster one's speed: processors favour some of
/// their cores by a few percent.
const ALIKE: f64 = 0.9;

/// The CPUs that this process may use.
pub fn allowed_cpus() -> Vec<u32> {
    affinity::allowed().unwrap_or_else(|_| vec![0])
}

/// Chooses `count` CPUs of `allowed` for the layers, by what the tree below `root` says of them: of those that are `idle`, if there are
/// enough; who these are is asked only where there is a choice. They are of one kind of core: the fastest kind that has enough of them. As far as possible none is an SMT sibling of a CPU that is left for tare. Of
/// several equally good ones the last are chosen, since the first usually handle the machine's interrupts. The result is
/// empty (no pinning) when no CPU would be left for everything else.
pub fn pick_cpus(
    root: &Path,
    allowed: &[u32],
    idle: impl FnOnce() -> Vec<u32>,
    count: usize,
) -> Vec<u32> {
    if count == 0 || allowed.len() <= count {
        return Vec::new();
    }
    let kinds: Vec<Vec<u32>> =
        kinds(root, allowed).kinds.into_iter().map(|kind| kind.cpus).collect();
    let of_kind = |kinds: &[Vec<u32>]| {
        let apart = kinds.iter().find_map(|kind| apart(root, allowed, kind, count));
        let alike = || kinds.iter().find(|cpus| cpus.len() >= count).map(|cpus| last(cpus, count));
        apart.or_else(alike)
    };
    let idle = idle();
    let idle_of = |kind: &Vec<u32>| kind.iter().copied().filter(|cpu| idle.contains(cpu)).collect();
    let idle: Vec<Vec<u32>> = kinds.iter().map(idle_of).collect();
    of_kind(&idle).or_else(|| of_kind(&kinds)).unwrap_or_else(|| last(allowed, count))
}

/// `cpus`, and others of the `allowed` ones until there are `count`, as far as there are: of the same kind and on other cores before the
/// rest.
pub fn more_cpus(root: &Path, allowed: &[u32], cpus: &[u32], count: usize) -> Vec<u32> {
    let cores: BTreeSet<u32> = cpus.iter().flat_map(|&cpu| core(root, cpu)).collect();
    let kinds = kinds(root, allowed).kinds;
    let same = kinds.iter().find(|kind| cpus.iter().all(|cpu| kind.cpus.contains(cpu)));
    let is_other_kind = |cpu: &u32| same.is_some_and(|kind| !kind.cpus.contains(cpu));
    let others = allowed.iter().copied().filter(|cpu| !cpus.contains(cpu));
    let mut others: Vec<u32> = others.collect();
    others.sort_by_key(|cpu| (is_other_kind(cpu), cores.contains(cpu), *cpu));
    cpus.iter().copied().chain(others).take(count.max(cpus.len())).collect()
}

/// How many CPUs a layer may use that is pinned to `cpus`, or is not pinned where there are none.
pub(crate) fn usable(cpus: &[u32]) -> usize {
    if cpus.is_empty() { allowed_cpus().len() } else { cpus.len() }
}

fn last(cpus: &[u32], count: usize) -> Vec<u32> {
    cpus[cpus.len() - count..].to_vec()
}

/// Keeps this process off the layers' CPUs and, where others are left, off the other threads of their cores. Failing
/// costs accuracy, not correctness.
pub fn stay_off(cpus: &[u32]) {
    let rest = elsewhere(Path::new("/"), &allowed_cpus(), cpus);
    if !rest.is_empty() {
        let _ = affinity::pin(&rest);
    }
}

/// The CPUs of `allowed` for tare itself while layers have `cpus`.
fn elsewhere(root: &Path, allowed: &[u32], cpus: &[u32]) -> Vec<u32> {
    let without = |taken: &BTreeSet<u32>| -> Vec<u32> {
        allowed.iter().copied().filter(|cpu| !taken.contains(cpu)).collect()
    };
    let cores = cpus.iter().flat_map(|&cpu| core(root, cpu)).collect();
    let rest = without(&cores);
    if rest.is_empty() { without(&cpus.iter().copied().collect()) } else { rest }
}

/// What kind of cores `cpus` are.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CoreKind {
    /// All cores are alike, as far as the host says.
    Only,
    /// One of several kinds, in words.
    One(String),
    /// Several kinds, so that what runs there has no single speed.
    Mixed(String),
}

/// The kind of core that `cpus` are, among `all`.
pub fn core_kind(root: &Path, all: &[u32], cpus: &[u32]) -> CoreKind {
    let Kinds { measure, kinds } = kinds(root, all);
    let taken: Vec<usize> = (0..kinds.len())
        .filter(|&at| kinds[at].cpus.iter().any(|cpu| cpus.contains(cpu)))
        .collect();
    let speed = |at: usize| kinds[at].speed.to_string();
    let others = |but: usize| {
        (0..kinds.len()).filter(|at| *at != but).map(speed).collect::<Vec<_>>().join(" and ")
    };
    match (kinds.len(), &taken[..]) {
        (0 | 1, _) | (_, []) => CoreKind::Only,
        (_, [0]) => CoreKind::One(format!(
            "of the fastest kind of core ({measure} {}; others have {})",
            speed(0),
            others(0)
        )),
        (_, [at]) => CoreKind::One(format!(
            "of a slower kind of core ({measure} {}; others have {})",
            speed(*at),
            others(*at)
        )),
        (_, several) => {
            let speeds = several.iter().map(|&at| speed(at)).collect::<Vec<_>>().join(" and ");
            CoreKind::Mixed(format!("of several kinds of cores ({measure} {speeds})"))
        }
    }
}

/// CPUs that are alike.
struct Kind {
    /// The speed of the fastest of them, in the host's own measure.
    speed: u64,
    cpus: Vec<u32>,
}

/// The kinds of cores of a host, the fastest first.
struct Kinds {
    measure: &'static str,
    kinds: Vec<Kind>,
}

fn kinds(root: &Path, cpus: &[u32]) -> Kinds {
    let (measure, mut speeds) = speeds(root, cpus);
    speeds.sort_by_key(|&(speed, cpu)| (std::cmp::Reverse(speed), cpu));
    let mut kinds: Vec<Kind> = Vec::new();
    for (speed, cpu) in speeds {
        match kinds.last_mut() {
            Some(kind) if speed as f64 >= ALIKE * kind.speed as f64 => kind.cpus.push(cpu),
            _ => kinds.push(Kind { speed, cpus: vec![cpu] }),
        }
    }
    kinds.iter_mut().for_each(|kind| kind.cpus.sort_unstable());
    Kinds { measure, kinds }
}

/// The speed of each of `cpus` in the first measure that the host has for all of them.
fn speeds(root: &Path, cpus: &[u32]) -> (&'static str, Vec<(u64, u32)>) {
    let number = |path: String| fs::read_to_string(root.join(path)).ok()?.trim().parse().ok();
    let list = |path: &str| fs::read_to_string(root.join(path)).map(|text| list(&text));
    let atoms = list("sys/devices/cpu_atom/cpus").unwrap_or_default();
    let cores = list("sys/devices/cpu_core/cpus").unwrap_or_default();
    let capacity = |cpu: u32| number(format!("sys/devices/system/cpu/cpu{cpu}/cpu_capacity"));
    let hybrid = |cpu: u32| match (cores.contains(&cpu), atoms.contains(&cpu)) {
        (true, _) => Some(2),
        (_, true) => Some(1),
        _ => None,
    };
    let frequency =
        |cpu: u32| number(format!("sys/devices/system/cpu/cpu{cpu}/cpufreq/cpuinfo_max_freq"));
    let of_all = |speed: &dyn Fn(u32) -> Option<u64>| -> Option<Vec<(u64, u32)>> {
        cpus.iter().map(|&cpu| Some((speed(cpu)?, cpu))).collect()
    };
    let found = of_all(&capacity).map(|speeds| ("capacity", speeds));
    let found = found.or_else(|| Some(("rank", of_all(&hybrid)?)));
    let found = found.or_else(|| Some(("kHz at most", of_all(&frequency)?)));
    found.unwrap_or_else(|| ("speed", cpus.iter().map(|&cpu| (1, cpu)).collect()))
}

/// `count` CPUs of `kind` such that a whole core is left to the rest of `allowed`: on cores of their own if they fit,
/// else on as few cores as they fill.
fn apart(root: &Path, allowed: &[u32], kind: &[u32], count: usize) -> Option<Vec<u32>> {
    let mut cores: Vec<Vec<u32>> = Vec::new();
    for &cpu in kind {
        if !cores.iter().any(|core| core.contains(&cpu)) {
            cores.push(core(root, cpu).into_iter().filter(|cpu| allowed.contains(cpu)).collect());
        }
    }
    cores.sort_by_key(|core| core.last().copied());
    cores.reverse();
    let one_each = cores.iter().filter_map(|core| core.last().copied()).take(count).collect();
    let filled: Vec<u32> = cores.iter().flatten().copied().take(count).collect();
    let mut ways = [one_each, filled].into_iter().filter(|way: &Vec<u32>| way.len() == count);
    let mut way = ways.find(|way| {
        let taken: BTreeSet<u32> = way.iter().flat_map(|&cpu| core(root, cpu)).collect();
        allowed.iter().any(|cpu| !taken.contains(cpu))
    })?;
    way.sort_unstable();
    Some(way)
}

/// The CPUs of `cpu`'s core, itself among them.
fn core(root: &Path, cpu: u32) -> Vec<u32> {
    let path = format!("sys/devices/system/cpu/cpu{cpu}/topology/thread_siblings_list");
    let mut threads = list(&fs::read_to_string(root.join(path)).unwrap_or_default());
    if !threads.contains(&cpu) {
        threads = vec![cpu];
    }
    threads.sort_unstable();
    threads
}

/// The CPUs of a list as the kernel writes it: `0-3,8`.
pub fn list(text: &str) -> Vec<u32> {
    let range = |part: &str| -> Option<Vec<u32>> {
        let (first, last) = part.split_once('-').unwrap_or((part, part));
        let (first, last): (u32, u32) = (first.trim().parse().ok()?, last.trim().parse().ok()?);
        (last.saturating_sub(first) < 65_536).then(|| (first..=last).collect())
    };
    text.split(',').filter_map(range).flatten().collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use tempfile::TempDir;

    /// A tree in which the CPUs of each of `cores` are siblings.
    fn tree(cores: &[&[u32]]) -> TempDir {
        let root = TempDir::new().unwrap();
        for core in cores {
            let text = core.iter().map(u32::to_string).collect::<Vec<_>>().join(",");
            core.iter().for_each(|&cpu| write(&root, cpu, "topology/thread_siblings_list", &text));
        }
        root
    }

    fn write(root: &TempDir, cpu: u32, file: &str, text: &str) {
        let path = root.path().join(format!("sys/devices/system/cpu/cpu{cpu}/{file}"));
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    fn pick(root: &TempDir, cpus: u32, count: usize) -> Vec<u32> {
        let all: Vec<u32> = (0..cpus).collect();
        pick_cpus(root.path(), &all, || all.clone(), count)
    }

    #[test]
    fn a_busy_cpu_is_taken_only_where_there_are_too_few_others() {
        let root = tree(&[]);
        let pick =
            |idle: &[u32], count| pick_cpus(root.path(), &[0, 1, 2, 3], || idle.into(), count);
        assert_eq!(pick(&[0, 1], 1), [1]);
        assert_eq!(pick(&[0, 2], 2), [0, 2]);
        assert_eq!(pick(&[0], 2), [2, 3]);
        assert_eq!(pick(&[], 1), [3]);
    }

    #[test]
    fn where_nothing_tells_cpus_apart_the_last_are_taken() {
        let root = tree(&[]);
        assert_eq!(pick(&root, 4, 2), [2, 3]);
        assert_eq!(pick(&root, 2, 2), [0; 0], "nothing would be left");
        assert_eq!(pick(&root, 3000, 1), [2999]);
    }

    #[test]
    fn no_sibling_is_left_to_tare_while_there_are_cores_enough() {
        let root = tree(&[&[0, 4], &[1, 5], &[2, 6], &[3, 7]]);
        assert_eq!(pick(&root, 8, 1), [7]);
        assert_eq!(pick(&root, 8, 2), [6, 7], "a core each");
        assert_eq!(pick(&root, 8, 4), [2, 3, 6, 7], "whole cores: another two are left");
        assert_eq!(pick(&root, 8, 7).len(), 7, "it cannot be had");
        let all: Vec<u32> = (0..8).collect();
        assert_eq!(elsewhere(root.path(), &all, &[6, 7]), [0, 1, 4, 5]);
        assert_eq!(elsewhere(root.path(), &[3, 7], &[7]), [3], "better than none");
    }

    /// Six performance cores of two threads, then eight efficiency cores.
    fn hybrid() -> TempDir {
        let root = tree(&[&[0, 1], &[2, 3], &[4, 5]]);
        (6..14)
            .for_each(|cpu| write(&root, cpu, "topology/thread_siblings_list", &cpu.to_string()));
        root
    }

    #[test]
    fn the_fast_cores_of_a_hybrid_processor_are_taken_whatever_tells_them() {
        let capacity = hybrid();
        for cpu in 0..14 {
            // One core is favoured by a little.
            let speed = if cpu < 2 {
                "1024"
            } else if cpu < 6 {
                "1009"
            } else {
                "446"
            };
            write(&capacity, cpu, "cpu_capacity", speed);
        }
        let lists = hybrid();
        for (kind, cpus) in [("cpu_core", "0-5\n"), ("cpu_atom", "6-13\n")] {
            fs::create_dir_all(lists.path().join("sys/devices").join(kind)).unwrap();
            fs::write(lists.path().join("sys/devices").join(kind).join("cpus"), cpus).unwrap();
        }
        let frequency = hybrid();
        for cpu in 0..14 {
            let speed = if cpu < 6 { "5200000\n" } else { "3900000\n" };
            write(&frequency, cpu, "cpufreq/cpuinfo_max_freq", speed);
        }
        for root in [&capacity, &lists, &frequency] {
            assert_eq!(pick(root, 14, 1), [5]);
            assert_eq!(pick(root, 14, 2), [3, 5]);
            assert_eq!(pick(root, 14, 6), [0, 1, 2, 3, 4, 5], "tare has the others");
            assert_eq!(pick(root, 14, 8), [6, 7, 8, 9, 10, 11, 12, 13], "one kind, if slower");
            assert_eq!(pick(root, 14, 9).len(), 9);
        }
        let all: Vec<u32> = (0..14).collect();
        let kind = |cpus: &[u32]| core_kind(capacity.path(), &all, cpus);
        let fast = "of the fastest kind of core (capacity 1024; others have 446)";
        assert_eq!(kind(&[5]), CoreKind::One(fast.into()));
        assert!(matches!(kind(&[6]), CoreKind::One(text) if text.contains("slower")));
        assert!(matches!(kind(&[5, 6]), CoreKind::Mixed(_)));
        assert_eq!(core_kind(tree(&[]).path(), &all, &[5]), CoreKind::Only);
    }

    #[test]
    fn lists_of_cpus_are_read() {
        assert_eq!(list("0-2,8"), [0, 1, 2, 8]);
        assert_eq!(list("3"), [3]);
        assert_eq!(list("x,4-"), [0; 0]);
    }
}
