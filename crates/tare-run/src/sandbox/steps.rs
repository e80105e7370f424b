//! The steps of a visit, and which of them the wanted rows need.

use crate::plan::sandbox_benches::{
    BUSY, CLONE, CLONE_MEMORY, CLONE_WRITTEN, COLD, IDLE, IDLE_CPU, MEMORY, PSS, RATE, SAVING,
    TASK, WARM, is_row, load,
};
use std::collections::BTreeSet;
use tare_proto::{BenchInfo, name_and_load};

/// Turns that every layer takes at starts of one at a time.
pub(crate) const TURNS: u32 = 3;

/// What is done with a layer in one turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Step {
    /// Starts with everything cached, one after the other.
    Warm,
    /// A start without.
    Cold,
    /// Tasks, one after the other.
    Task,
    /// So many starts at once; with the last step of the kind the layers are watched while they idle.
    Crowd { count: u32, watch: bool },
    /// A layer is saved, and restored some times.
    Restore,
    /// So many of one image are restored at once.
    Clones { count: u32 },
    /// Work beside so many neighbours.
    Beside { count: u32 },
}

/// The steps that fill `rows`: starts of one at a time in turns, then more and more at once.
pub(crate) fn steps(rows: &[&BenchInfo]) -> Vec<Step> {
    let rows: Vec<&BenchInfo> = rows.iter().copied().filter(|row| is_row(row)).collect();
    let has = |names: &[&str]| rows.iter().any(|row| names.contains(&row.name.as_str()));
    let cold = has(&[COLD]);
    let task = has(&[TASK]);
    let restore = has(&SAVING);
    let loads_of = |names: [&str; 2]| -> BTreeSet<u32> {
        let named = |row: &&&BenchInfo| names.contains(&name_and_load(&row.name).0);
        rows.iter().filter(named).map(|row| load(row)).collect()
    };
    let mut loads = loads_of([WARM, RATE]);
    if !has(&[MEMORY, PSS]) {
        loads.remove(&1); // warm starts of one at a time tell it
    }
    if has(&[IDLE_CPU]) && loads.is_empty() {
        loads.insert(1); // warm starts are not left alone
    }
    // Every other row comes from warm starts, which also show what else needs to know: the files, what one takes.
    let mut steps = Vec::new();
    for _ in 0..if rows.is_empty() { 0 } else { TURNS } {
        steps.push(Step::Warm);
        steps.extend(cold.then_some(Step::Cold));
        steps.extend(task.then_some(Step::Task));
        steps.extend(restore.then_some(Step::Restore));
    }
    let most = loads.last().copied();
    steps.extend(loads.iter().map(|&count| Step::Crowd { count, watch: Some(count) == most }));
    let mut clones = loads_of([CLONE, CLONE]);
    if !has(&[CLONE]) && has(&[CLONE_MEMORY, CLONE_WRITTEN]) {
        clones = [1, 4].into();
    }
    steps.extend(clones.into_iter().map(|count| Step::Clones { count }));
    steps.extend(loads_of([IDLE, BUSY]).into_iter().map(|count| Step::Beside { count }));
    steps
}

/// What a step is called while it is taken.
pub(crate) fn said(step: Step) -> String {
    match step {
        Step::Warm => "warm starts".into(),
        Step::Cold => "a cold start".into(),
        Step::Task => "tasks".into(),
        Step::Restore => "a layer saved and restored".into(),
        Step::Clones { count } => format!("{count} clones at once"),
        Step::Crowd { count, .. } => format!("{count} at once"),
        Step::Beside { count } => format!("work beside {count}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::sandbox_benches::rows;

    #[test]
    fn only_the_steps_are_taken_that_fill_a_wanted_row() {
        let all = rows();
        let of = |names: &[&str]| {
            let at = |name: &&str| {
                let (base, load) = name_and_load(name);
                all.iter().find(|row| row.name == base).unwrap().at(load)
            };
            let wanted: Vec<BenchInfo> = names.iter().map(at).collect();
            steps(&wanted.iter().collect::<Vec<_>>())
        };
        assert_eq!(of(&[]), []);
        assert_eq!(of(&["sandbox/stop"]), [Step::Warm; 3]);
        assert_eq!(of(&["start/warm"]), [Step::Warm; 3]);
        let turn = [Step::Warm, Step::Cold, Step::Task];
        assert_eq!(of(&["start/cold", "sandbox/task"]), [turn, turn, turn].concat());
        let crowd = |count, watch| Step::Crowd { count, watch };
        let crowds = |names| of(names).split_off(3);
        assert_eq!(crowds(&["start/warm@4", "start/warm"]), [crowd(4, true)]);
        assert_eq!(
            crowds(&["start/rate", "start/rate@2", "start/warm@8"]),
            [crowd(2, false), crowd(8, true)]
        );
        assert_eq!(
            crowds(&["sandbox/memory", "start/rate", "start/rate@2"]),
            [crowd(1, false), crowd(2, true)]
        );
        assert_eq!(crowds(&["sandbox/idle_cpu", "start/warm"]), [crowd(1, true)]);
        assert_eq!(crowds(&["sandbox/idle_cpu", "start/warm@4"]), [crowd(4, true)]);
        let clones = |count| Step::Clones { count };
        assert_eq!(crowds(&["clone/start@8", "clone/start"]), [1, 8].map(clones));
        assert_eq!(crowds(&["clone/memory"]), [1, 4].map(clones));
        let restored = [Step::Warm, Step::Restore];
        assert_eq!(of(&["restore/tail"]), [restored, restored, restored].concat());
        let beside = |count| Step::Beside { count };
        assert_eq!(crowds(&["beside/idle@2", "beside/busy@2", "beside/busy"]), [1, 2].map(beside));
    }
}
