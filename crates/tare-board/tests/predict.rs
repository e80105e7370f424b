//! Predictions from a campaign's rows: exact arithmetic, and what is said where a price is missing.

mod common;

use common::{bench, boot, empty, hello, layer, series};
use tare_board::{
    COST, Expected, Options, Predicted, Profile, Scoreboard, explain, explain_beside, held,
    predict, scoreboard,
};
use tare_proto::{
    CODE, COMPUTE, Counter, OPERATION_COUNTER, OPERATION_ROW, OPERATIONS, RESUMED, Unit,
};
use tare_store::{Campaign, Role, SeriesRow};

/// How many operations the programs of these tests make.
const TIMES: f64 = 1e5;

/// What the operation at `place` costs natively, and how many times as much on `layer`.
fn price(place: usize, layer: usize) -> f64 {
    let native = 100.0 + 10.0 * place as f64;
    if layer == 0 { native } else { native * (1.5 + place as f64) }
}

/// Native, gVisor and QEMU with a row for every operation but `without`.
fn priced(without: Option<&str>) -> Campaign {
    let layers = vec![layer("native", "native"), layer("sandbox", "runsc"), layer("tcg", "qemu")];
    let names = OPERATIONS.iter().map(|operation| format!("{OPERATION_ROW}{}", operation.name));
    let of_user_time = [COMPUTE, CODE, RESUMED].map(str::to_owned);
    let names = names.chain(of_user_time).filter(|name| Some(name.as_str()) != without);
    let benches: Vec<_> = names.map(|name| bench(&name, "operations", Unit::Nanoseconds)).collect();
    let mut campaign = empty(3, layers, benches.clone());
    for block in 0..3 {
        for (at, role) in [(0, Role::Weigh), (0, Role::Floor), (1, Role::Weigh), (2, Role::Weigh)] {
            let boot = boot(&mut campaign, block, at, role, hello());
            for (row, bench) in benches.iter().enumerate() {
                let place =
                    OPERATIONS.iter().position(|o| bench.name.ends_with(&format!("/{}", o.name)));
                let value = place.map_or(1000.0, |place| price(place, at));
                series(&mut campaign, boot, row, vec![value; 4]);
            }
        }
    }
    campaign
}

fn board(campaign: &Campaign) -> Scoreboard {
    scoreboard(campaign, &Options::from_plan(&campaign.plan))
}

/// A program that does nothing but `times` of one operation.
fn of_one(name: &str, times: f64, native_ns: f64) -> Profile {
    let counters = [Counter::new(&format!("{OPERATION_COUNTER}{name}"), times)];
    Profile::of("program/one", native_ns, &counters).expect("a program with an operation")
}

fn expected(campaign: &Campaign, profile: &Profile) -> Expected {
    let found = predict(campaign, &board(campaign), profile);
    match found.layers.into_iter().next().expect("a layer").outcome {
        Predicted::Ratio(expected) => *expected,
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_program_of_one_class_of_operations_has_the_ratio_of_its_row_for_every_class() {
    let campaign = priced(None);
    for (place, operation) in OPERATIONS.iter().enumerate() {
        let native = TIMES * price(place, 0);
        let found = expected(&campaign, &of_one(operation.name, TIMES, native));
        let row = price(place, 1) / price(place, 0);
        assert!((found.ratio / row - 1.0).abs() < 1e-9, "{}: {found:?}", operation.name);
        assert!(found.low <= row && row <= found.high, "{}", operation.name);
        assert_eq!(
            (found.terms[0].name.raw(), found.terms[0].count),
            (operation.name, Some(TIMES))
        );
        assert!((found.terms[0].share - 1.0).abs() < 1e-9, "{}", operation.name);
    }
}

#[test]
fn costs_add_up_and_the_rest_takes_as_long_as_natively() {
    let campaign = priced(None);
    let added = |name: &str| {
        let place = OPERATIONS.iter().position(|operation| operation.name == name).expect(name);
        price(place, 1) - price(place, 0)
    };
    let (first, second) = (added("null"), added("lookup"));
    let counters = [("null", 1e6), ("lookup", 2e5)]
        .map(|(name, times)| Counter::new(&format!("{OPERATION_COUNTER}{name}"), times));
    let profile = Profile::of("program/two", 1e9, &counters).expect("a program");
    let found = expected(&campaign, &profile);
    let right = 1.0 + (1e6 * first + 2e5 * second) / 1e9;
    assert!((found.ratio - right).abs() < 1e-9, "{} {right}", found.ratio);
}

#[test]
fn code_after_a_call_costs_more_by_the_square_root_of_its_length_up_to_four_pieces() {
    const CALLS: f64 = 1e4;
    let (code, more) = (1000.0, 700.0);
    let mut campaign = priced(None);
    let boots = campaign.boots.clone();
    for row in &mut campaign.series {
        if campaign.benchmarks[row.benchmark].name == RESUMED {
            let layer = boots[row.boot].layer;
            row.samples.fill(code + price(0, layer) + if layer == 0 { 0.0 } else { more });
        }
    }
    for (pieces, times) in [(0.25, 0.5), (1.0, 1.0), (4.0, 2.0), (64.0, 2.0)] {
        let user = CALLS * pieces * code;
        let native = user + CALLS * price(0, 0);
        let counters = [Counter::new("op/null", CALLS), Counter::new("run_user_s", user / 1e9)];
        let profile = Profile::of("program/calls", native, &counters).expect("a program");
        let found = expected(&campaign, &profile);
        let added = CALLS * (price(0, 1) - price(0, 0) + times * more);
        assert!((found.ratio - 1.0 - added / native).abs() < 1e-9, "{pieces}: {found:?}");
        let term = found.terms.iter().find(|term| term.name == "resume").expect("its term");
        assert_eq!(term.count, Some(CALLS));
    }
}

#[test]
fn a_fault_as_dear_as_a_call_is_a_return_from_the_kernel_too() {
    let faults = OPERATIONS.iter().position(|it| it.name == "fault_file").expect("a class");
    for (times, returns) in [(faults as f64, 3e4), (1.0, 1e4)] {
        let mut campaign = priced(None);
        let boots = campaign.boots.clone();
        for row in &mut campaign.series {
            if campaign.benchmarks[row.benchmark].name == "operations/fault_file" {
                let layer = boots[row.boot].layer;
                row.samples.fill(price(faults, 0) * if layer == 0 { 1.0 } else { times });
            }
        }
        let counters = [("op/null", 1e4), ("op/fault_file", 2e4), ("run_user_s", 1.0)];
        let counters = counters.map(|(name, value)| Counter::new(name, value));
        let profile = Profile::of("program/faults", 2e9, &counters).expect("a program");
        let found = expected(&campaign, &profile);
        let term = found.terms.iter().find(|term| term.name == "resume").expect("its term");
        assert_eq!(term.count, Some(returns), "{times}");
    }
}

#[test]
fn what_a_layer_does_beside_the_program_is_cpu_time_and_no_time() {
    let mut campaign = priced(None);
    let counters =
        [Counter::new("op/null", TIMES), Counter::new("run_system_s", TIMES * price(0, 0) / 1e9)];
    let profile = Profile::of("program/one", TIMES * price(0, 0), &counters).expect("a program");
    assert_eq!(expected(&campaign, &profile).cpu, None, "nobody knows what the layers use");
    let boots = campaign.boots.clone();
    for row in &mut campaign.series {
        let cpus = if boots[row.boot].layer == 0 { 1.0 } else { 2.0 };
        row.counters.push(Counter::new("cpu_host", cpus));
    }
    let found = expected(&campaign, &profile);
    let (time, cpu) = (found.ratio, found.cpu.expect("CPU time"));
    assert!((time / (price(0, 1) / price(0, 0)) - 1.0).abs() < 1e-9, "{found:?}");
    assert!((cpu.ratio / time - 2.0).abs() < 1e-9, "{found:?}");
    assert!(cpu.low < cpu.ratio && cpu.ratio < cpu.high);
}

#[test]
fn layers_that_translate_are_refused_and_missing_prices_are_named() {
    let profile = of_one("lookup", 10.0, 1e6);
    let found = predict(&priced(None), &board(&priced(None)), &profile);
    assert_eq!(found.layers[1].outcome, Predicted::Translated);
    let campaign = priced(Some("operations/lookup"));
    let found = predict(&campaign, &board(&campaign), &profile);
    let rows = vec!["operations/lookup".into()];
    assert_eq!(found.layers[0].outcome, Predicted::Unpriced { rows });
}

#[test]
fn a_layer_without_a_price_says_so_and_the_others_stay() {
    let mut campaign = priced(None);
    let lookup = campaign.benchmarks.iter().position(|b| b.name == "operations/lookup").unwrap();
    let boots = campaign.boots.clone();
    campaign.series.retain(|row| row.benchmark != lookup || boots[row.boot].layer == 0);
    let found = expected(&campaign, &of_one("lookup", 10.0, 1e6));
    assert_eq!(found.ratio, 1.0);
    assert_eq!((found.unpriced[0].row.raw(), found.unpriced[0].count), ("operations/lookup", 10.0));
}

#[test]
fn a_difference_within_the_noise_of_the_baseline_is_none() {
    let mut campaign = priced(None);
    let lookup = campaign.benchmarks.iter().position(|b| b.name == "operations/lookup").unwrap();
    let boots = campaign.boots.clone();
    // The baseline's second boot takes a tenth more than its first, and so does the layer.
    for row in campaign.series.iter_mut().filter(|row| row.benchmark == lookup) {
        let value = match (boots[row.boot].layer, boots[row.boot].role) {
            (0, Role::Weigh) => 100.0,
            _ => 110.0,
        };
        row.samples = vec![value; 4];
    }
    let found = expected(&campaign, &of_one("lookup", 1e5, 1e7));
    assert_eq!(found.ratio, 1.0, "{found:?}");
}

/// Adds programs that make a mix of operations and take what the model says, but for `odd` as a factor.
fn with_programs(odd: impl Fn(usize) -> f64) -> Campaign {
    let mut campaign = priced(None);
    for program in 0..6 {
        let row = campaign.benchmarks.len();
        campaign.benchmarks.push(bench(
            &format!("program/p{program}"),
            "program",
            Unit::Nanoseconds,
        ));
        let counts: Vec<(usize, f64)> = (0..4)
            .map(|at| ((5 * at + program) % OPERATIONS.len(), 1e5 * (1.0 + at as f64)))
            .collect();
        let total =
            |layer| counts.iter().map(|(place, times)| times * price(*place, layer)).sum::<f64>();
        let (native, there) = (2.0 * total(0), total(0) + total(1));
        for boot in 0..campaign.boots.len() {
            let layer = campaign.boots[boot].layer;
            let value = if layer == 0 { native } else { there * odd(program) };
            series(&mut campaign, boot, row, vec![value; 3]);
            if layer == 0 {
                let name = |place: usize| format!("{OPERATION_COUNTER}{}", OPERATIONS[place].name);
                let own = counts.iter().map(|(place, times)| Counter::new(&name(*place), *times));
                campaign.series.last_mut().expect("a series").counters = own.collect();
            }
        }
    }
    campaign
}

#[test]
fn programs_of_the_campaign_are_predicted_from_each_other() {
    let campaign = with_programs(|_| 1.0);
    let all = held(&campaign, &board(&campaign));
    assert_eq!(all.len(), 6, "one layer is translated");
    for held in &all {
        assert!((held.predicted / held.measured - 1.0).abs() < 1e-6, "{held:?}");
        assert!(held.low < held.measured && held.measured < held.high);
        let naive = held.naive.ratio.expect("others");
        assert!((naive / held.measured - 1.0).abs() > 0.01, "{held:?}");
    }
}

#[test]
fn what_a_program_costs_beside_its_time_is_no_program() {
    let mut campaign = with_programs(|_| 1.0);
    let is_program = |bench: &tare_proto::BenchInfo| bench.name.starts_with("program/");
    let program = campaign.benchmarks.iter().position(is_program).expect("a program");
    let name = format!("{}.cpu", campaign.benchmarks[program].name);
    let cost = campaign.benchmarks.len();
    campaign.benchmarks.push(bench(&name, COST, Unit::Nanoseconds));
    let own: Vec<_> =
        campaign.series.iter().filter(|row| row.benchmark == program).cloned().collect();
    campaign.series.extend(own.into_iter().map(|row| SeriesRow { benchmark: cost, ..row }));
    assert_eq!(held(&campaign, &board(&campaign)).len(), 6);
}

#[test]
fn an_explanation_has_the_prediction_and_why_there_is_none() {
    let campaign = with_programs(|_| 1.0);
    let board = board(&campaign);
    let at = |name: &str| campaign.benchmarks.iter().position(|one| one.name == name).unwrap();
    let found = explain(&campaign, &board, at("program/p0"), "sandbox").expect("a ratio");
    let told = found.prediction.expect("a prediction");
    assert!((told.predicted / told.measured - 1.0).abs() < 1e-6 && told.holds(), "{told:?}");
    let added: f64 =
        told.kinds.iter().map(|kind| kind.predicted_ns.unwrap() - kind.priced_ns.unwrap()).sum();
    let predicted = 1.0 + added / told.baseline_ns;
    assert!((predicted / told.predicted - 1.0).abs() < 1e-6, "the kinds make the ratio: {told:?}");
    assert!(found.sentence.starts_with("Predicted × "), "{}", found.sentence);
    let of_tcg = explain(&campaign, &board, at("program/p0"), "tcg").expect("a ratio");
    assert_eq!(of_tcg.prediction, None);
    let why = |notes: &[String], why: &str| notes.iter().any(|note| note.contains(why));
    assert!(why(&of_tcg.notes, "translates every instruction"), "{:?}", of_tcg.notes);
    let of_row = explain(&campaign, &board, at("operations/null"), "sandbox").expect("a ratio");
    assert_eq!(of_row.prediction, None, "a row that is no program");
    let mut other = campaign.clone();
    other.layers[1].settings = "platform=kvm,root=host".into();
    let prices = Some((&other, &board));
    let unlike = explain_beside(&campaign, &board, prices, (at("program/p0"), "sandbox")).unwrap();
    assert!(why(&unlike.notes, "with other settings"), "{:?}", unlike.notes);
    other.layers[1].settings = format!("root=/srv,{}", campaign.layers[1].settings.raw()).into();
    let prices = Some((&other, &board));
    let like = explain_beside(&campaign, &board, prices, (at("program/p0"), "sandbox")).unwrap();
    assert!(like.prediction.is_some(), "what programs see is no other layer: {:?}", like.notes);
}

#[test]
fn programs_that_take_longer_than_their_operations_say_move_later_predictions() {
    let profile = of_one("descriptor", TIMES, TIMES * price(1, 0));
    let (right, odd) = (with_programs(|_| 1.0), with_programs(|_| 1.6));
    let (right, odd) = (expected(&right, &profile), expected(&odd, &profile));
    assert_eq!((right.programs, odd.programs), (6, 6));
    assert!(odd.left_out_error.expect("an error") > right.left_out_error.expect("an error"));
    assert!(odd.high / odd.low > right.high / right.low);
}

#[test]
fn calls_that_a_layer_lacks_and_the_program_makes_are_named() {
    let mut campaign = priced(None);
    let lacks = |name: &str| Counter::new(&format!("lacks/{name}"), 1.0);
    let boots = campaign.boots.clone();
    for row in &mut campaign.series {
        row.counters = match boots[row.boot].layer {
            0 => vec![lacks("vmsplice")],
            1 => vec![lacks("vmsplice"), lacks("semop"), lacks("bpf")],
            _ => Vec::new(),
        };
    }
    let made = ["semop", "vmsplice", "getpid"]
        .map(|call| Counter::new(&format!("perf/calls/{call}"), 1.0));
    let mut counters = vec![Counter::new("op/null", 1.0)];
    counters.extend(made);
    let profile = Profile::of("program/x", 1e6, &counters).expect("a program");
    let found = predict(&campaign, &board(&campaign), &profile);
    assert_eq!(found.layers[0].lacks, ["semop"]);
    assert!(found.layers[1].lacks.is_empty());
}

#[test]
fn on_the_simulated_machine_a_programs_own_instructions_are_its_user_time() {
    let counter = |name: &str, value| Counter::new(name, value);
    let sampled = counter("run_user_s", 0.5);
    let user = |counters: &[Counter]| Profile::of("program/one", 1e9, counters).unwrap().user_ns;
    let does = counter("op/null", 10.0);
    assert_eq!(user(&[does.clone(), sampled.clone()]), 5e8);
    assert_eq!(user(&[does, sampled, counter("user/instructions", 3e6)]), 3e6);
}
