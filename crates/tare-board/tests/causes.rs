//! What is added on a layer, made of causes: prices that a shared machine disturbed, and work that a layer's kernel does itself.

mod common;

use common::{boot, hello, pair_of, series, with_subtracted};
use tare_board::{
    CostPart, Explanation, Help, Known, Options, Table, explain, layer_causes, scoreboard,
};
use tare_proto::Counter;
use tare_proto::outside::{
    CACHE_MISSES, CYCLES, INSTRUCTIONS, OPERATIONS, Part, SYSTEM, Seen, UNWATCHED, USER, WHOLE,
    WITHOUT_RECORDS, of_unsubtracted, price_of, unsubtracted,
};
use tare_store::{Campaign, Role};

/// Why `layer` is dearer for a call that takes 7000 ns in the host's kernel natively, when a call of the host has these prices, each measured in
/// a block of its own. The layer makes 10 calls in `kernel` nanoseconds, and does the work itself in 7000 ns of user mode.
fn explained(layer: &str, prices: [f64; 5], kernel: f64) -> Explanation {
    let own = kernel + 7000.0;
    let mut campaign = pair_of(["native", layer], 5, |_, at| if at == 0 { 7000.0 } else { own });
    for row in &mut campaign.series {
        let boot = &campaign.boots[row.boot];
        let seen = if boot.layer == 0 {
            vec![
                (Seen::Time.counter(Part::Program, SYSTEM), 7000.0),
                (Seen::Calls.counter(Part::Program, "pselect6"), 1.0),
                (price_of("lmbench/null_call"), prices[boot.block as usize]),
                (WHOLE.to_owned(), 7000.0),
            ]
        } else {
            vec![
                (Seen::Time.counter(Part::Kernel, SYSTEM), kernel),
                (Seen::Time.counter(Part::Kernel, USER), 7000.0),
                (Seen::Time.counter(Part::Program, USER), 1e-3),
                (Seen::Calls.counter(Part::Kernel, "futex"), 10.0),
                (WHOLE.to_owned(), own),
            ]
        };
        row.counters.extend(seen.into_iter().map(|(name, ns)| Counter::new(&name, ns)));
        row.counters.push(Counter::new(OPERATIONS, 1000.0));
    }
    let board = scoreboard(&campaign, &Options::from_plan(&campaign.plan));
    explain(&campaign, &board, 0, layer).expect("an explanation")
}

fn causes(layer: &str, prices: [f64; 5], kernel: f64) -> Vec<CostPart> {
    explained(layer, prices, kernel).outside.expect("seen").causes
}

fn not_explained(causes: &[CostPart]) -> f64 {
    causes.iter().filter(|one| one.known == Known::Unexplained).map(|one| one.ns).sum()
}

#[test]
fn work_that_a_layers_kernel_does_itself_is_taken_off_the_hosts() {
    let causes = causes("uml", [1000.0; 5], 10_000.0);
    let less = causes.iter().find(|one| one.name.contains("less of the program's own work"));
    // Natively 6000 of the 7000 ns have no price; the layer's ten calls cost 9000 more than the one.
    let is_told =
        less.is_some_and(|one| one.known == Known::Placed && (one.ns + 6000.0).abs() < 1.0);
    assert!(is_told, "{causes:?}");
    assert!(not_explained(&causes).abs() < 1.0, "{causes:?}");
}

#[test]
fn what_would_help_most_is_told_by_what_the_rows_would_take_without_it() {
    let all = [explained("uml", [1000.0; 5], 10_000.0), explained("uml", [1000.0; 5], 10_000.0)];
    let told = layer_causes(&all, "uml").expect("two rows were watched");
    assert!((told.ratio - 17.0 / 7.0).abs() < 0.01, "{}", told.ratio);
    let near = |help: &Help, cause: &str, ratio: f64| {
        help.cause == cause && (help.without - ratio).abs() < 0.01
    };
    // What the layer's kernel does instead of the host's is no help: without it the rows would be dearer.
    let [calls, own] = &told.helps[..] else { panic!("{:?}", told.helps) };
    assert!(near(calls, "system calls of the host", 8.0 / 7.0), "{calls:?}");
    assert!(near(own, "layer's kernel: its own code", 10.0 / 7.0), "{own:?}");
}

#[test]
fn prices_that_are_too_high_stay_a_remainder() {
    // Ten calls by that price are 20,000 ns; the kernel was seen for half of that.
    let causes = causes("uml", [2000.0; 5], 10_000.0);
    assert!((not_explained(&causes) + 10_000.0).abs() < 1.0, "{causes:?}");
}

#[test]
fn a_price_is_of_the_moments_in_which_the_machine_was_quick() {
    let disturbed = causes("uml", [1000.0, 1700.0, 1000.0, 1700.0, 1000.0], 10_000.0);
    let price = |causes: &[CostPart]| causes.iter().find_map(|one| one.price_ns);
    assert_eq!(price(&disturbed), Some(1000.0), "{disturbed:?}");
}

#[test]
fn a_row_of_which_most_is_subtracted_is_told_by_the_whole_operation() {
    let mut campaign = with_subtracted((1000.0, 2000.0), (1500.0, 20_000.0));
    let time = Seen::Time.counter(Part::Program, SYSTEM);
    for row in campaign.series.iter_mut().filter(|row| row.benchmark == 0) {
        let (left, whole) = match campaign.boots[row.boot].layer {
            0 => (1000.0, 3000.0),
            _ => (1500.0, 21_500.0),
        };
        for (ns, name_of) in [(left, str::to_owned as fn(&str) -> String), (whole, unsubtracted)] {
            let figures = [&*time, WHOLE, UNWATCHED].map(|name| Counter::new(&name_of(name), ns));
            row.counters.extend(figures);
        }
        row.counters.push(Counter::new(OPERATIONS, 1000.0));
    }
    // On one CPU the layer does it in another way, and nobody asks that boot for the row's value.
    let once_more = boot(&mut campaign, 0, 1, Role::OneCpu, hello());
    series(&mut campaign, once_more, 0, vec![1500.0; 3]);
    campaign.series.last_mut().expect("a series").subtracted = 900_000.0;
    let told = |campaign: &Campaign| {
        let board = scoreboard(campaign, &Options::from_plan(&campaign.plan));
        explain(campaign, &board, 0, "runsc").expect("an explanation")
    };
    let whole = told(&campaign);
    let seen = whole.outside.expect("it was watched");
    let (native, own) = seen.measured_ns.expect("a time");
    assert!(seen.is_whole && (native - 3000.0).abs() < 5.0 && (own - 21_500.0).abs() < 5.0);
    assert!(
        seen.sentence.starts_with("The host does nothing for one whole operation"),
        "{}",
        seen.sentence
    );
    assert!(whole.notes.iter().any(|note| note.contains("are of the whole operation")));
    // An older campaign has not watched it.
    for row in &mut campaign.series {
        row.counters.retain(|one| of_unsubtracted(&one.name).is_none());
    }
    let seen = told(&campaign).outside.expect("it was watched");
    assert!(!seen.is_whole && seen.measured_ns.is_some_and(|(_, own)| own < 1600.0));
}

#[test]
fn a_layer_with_several_modes_is_told_by_what_was_watched_of_the_whole_operation() {
    let mut campaign = with_subtracted((1000.0, 100.0), (9000.0, 100.0));
    // The watched turns met the quick mode, the others the slow one as well; the value has still more of the slow one.
    let native = [(Seen::Time.counter(Part::Program, SYSTEM), 1100.0), (WHOLE.to_owned(), 1100.0)];
    let own = [
        (Seen::Time.counter(Part::Kernel, USER), 3000.0),
        (Seen::Time.counter(Part::Program, USER), 1e-3),
        (WHOLE.to_owned(), 3300.0),
        (UNWATCHED.to_owned(), 6000.0),
        (WITHOUT_RECORDS.to_owned(), 3000.0),
    ];
    for row in campaign.series.iter_mut().filter(|row| row.benchmark == 0) {
        let figures = if campaign.boots[row.boot].layer == 0 { &native[..] } else { &own };
        for (name, ns) in figures {
            row.counters.extend([name.clone(), unsubtracted(name)].map(|n| Counter::new(&n, *ns)));
        }
        row.counters.push(Counter::new(OPERATIONS, 1000.0));
    }
    let board = scoreboard(&campaign, &Options::from_plan(&campaign.plan));
    let told = explain(&campaign, &board, 0, "runsc").expect("an explanation");
    let is_said = |words: &str| told.notes.iter().any(|note| note.contains(words));
    assert!(is_said("from there to the row's value") && is_said("are of the whole operation"));
    let seen = told.outside.expect("it was watched");
    assert!(seen.is_whole && seen.has_modes);
    let sum: f64 = seen.times.iter().map(|one| one.layer).sum();
    assert!((sum - 9100.0).abs() < 10.0, "{:?}", seen.times);
    assert!(not_explained(&seen.causes).abs() < 10.0, "{:?}", seen.causes);
}

#[test]
fn what_the_processor_counts_is_told_by_whose_threads_had_it_and_splits_the_ratio() {
    let ns = |at: usize| if at == 0 { 1000.0 } else { 6000.0 };
    let mut campaign = pair_of(["native", "runsc"], 5, |_, at| ns(at));
    for row in &mut campaign.series {
        let at = campaign.boots[row.boot].layer;
        let program = [(INSTRUCTIONS, 3000.0), (CYCLES, 3000.0), (CACHE_MISSES, 2.0)];
        let own = [(INSTRUCTIONS, 6000.0), (CYCLES, 15_000.0), (CACHE_MISSES, 40.0)];
        let parts = [(Part::Program, program), (Part::Kernel, own)];
        for (part, counts) in parts.into_iter().take(1 + at) {
            let named = counts.map(|(name, count)| (Seen::Processor.counter(part, name), count));
            row.counters.extend(named.iter().map(|(name, count)| Counter::new(name, *count)));
        }
        row.counters.push(Counter::new(WHOLE, ns(at)));
        row.counters.push(Counter::new(OPERATIONS, 1000.0));
    }
    let board = scoreboard(&campaign, &Options::from_plan(&campaign.plan));
    let explanation = explain(&campaign, &board, 0, "runsc").expect("an explanation");
    let split = "Path length × 3.00, cycles per instruction × 2.00; not explained × 1.00.";
    assert!(explanation.sentence.ends_with(split), "{}", explanation.sentence);
    let is_its = |table: &&Table| table.title == "Counted by the processor, per operation";
    let table = explanation.tables.iter().find(is_its).expect("a table of its own");
    let line = |name: &str| {
        let line = table.lines.iter().find(|line| line.name.raw() == name).expect(name);
        (line.baseline, line.layer)
    };
    assert_eq!(line("the program: cycles per instruction"), (1.0, 1.0));
    assert_eq!(line("the layer's kernel: cycles per instruction"), (0.0, 2.5));
    assert_eq!(line("the layer's kernel: cache misses"), (0.0, 40.0));
    assert_eq!(line("all together: instructions"), (3000.0, 9000.0));
}
