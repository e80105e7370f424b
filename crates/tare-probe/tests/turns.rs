//! A measurement waits between its turns, and can be given up while it does.

mod probe;

use probe::{NEEDS_MORE, Probe, holdings, limit_ms, table};
use tare_proto::{FromProbe, Request, ToProbe};

const ID: u32 = 5;

/// What comes first of `bench`, asked for in turns of three samples in all.
fn prepare(probe: &mut Probe, bench: &str) -> FromProbe {
    probe.say(&ToProbe::Run(Request {
        id: ID,
        bench: bench.to_owned(),
        samples: 3,
        batch_ns: 10_000,
        limit_ms: limit_ms(bench, 60),
        turns: true,
        ..Request::default()
    }));
    assert_eq!(probe.answer(), FromProbe::Begin { id: ID });
    probe.answer()
}

fn take(probe: &mut Probe, samples: u32, last: bool) -> FromProbe {
    probe.say(&ToProbe::Take { id: ID, samples, last });
    probe.answer()
}

fn is_waiting(answer: &FromProbe) -> bool {
    matches!(answer, FromProbe::Waiting { id: ID, .. })
}

#[test]
fn every_benchmark_takes_turns_or_measures_at_once_and_leaves_nothing_behind() {
    let mut probe = Probe::start("turns");
    let before = holdings(probe.id());
    let mut waited = 0;
    for bench in table().1 {
        let name = bench.name.as_str();
        let mut answer = prepare(&mut probe, name);
        let mut turns = Vec::new();
        while is_waiting(&answer) {
            assert!(turns.len() < 2, "{name}: waits after its last turn");
            turns.push(1 + turns.len() as u32);
            answer = take(&mut probe, turns[turns.len() - 1], turns.len() == 2);
        }
        match answer {
            FromProbe::Series(series) => {
                let found: Vec<u32> = series.turns.iter().map(|turn| turn.samples).collect();
                assert!(
                    found.len() == turns.len() || series.samples.len() < 3,
                    "{name}: {series:?}"
                );
                let all: u32 = found.iter().sum();
                assert!(found.is_empty() || all as usize == series.samples.len(), "{name}");
                waited += usize::from(!found.is_empty());
            }
            FromProbe::Unavailable { .. }
                if NEEDS_MORE.contains(&name) || bench.needs == "root" => {}
            other => panic!("{name}: {other:?}"),
        }
        assert_eq!(holdings(probe.id()), before, "{name}");
    }
    assert!(waited > 80, "{waited} benchmarks have taken turns");
}

#[test]
fn what_is_given_up_in_the_middle_leaves_nothing_behind() {
    let mut probe = Probe::start("given-up");
    let before = holdings(probe.id());
    for bench in table().1 {
        let name = bench.name.as_str();
        if !is_waiting(&prepare(&mut probe, name)) {
            continue;
        }
        if is_waiting(&take(&mut probe, 1, false)) {
            probe.say(&ToProbe::Drop { id: ID });
            assert!(matches!(probe.answer(), FromProbe::Failed { id: ID, .. }), "{name}");
        }
        assert_eq!(holdings(probe.id()), before, "{name}");
    }
}

#[test]
fn what_is_measured_beside_an_operation_is_subtracted_turn_by_turn() {
    let mut probe = Probe::start("subtracted");
    assert!(is_waiting(&prepare(&mut probe, "lmbench/ctx_8p_16k")));
    assert!(is_waiting(&take(&mut probe, 2, false)));
    let FromProbe::Series(series) = take(&mut probe, 1, true) else { panic!("it was the last") };
    assert_eq!(series.turns.len(), 2);
    assert!(series.turns.iter().all(|turn| turn.subtracted > 0.0), "{series:?}");
}
