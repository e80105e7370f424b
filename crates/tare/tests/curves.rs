//! Load curves, CPU time, counters and the ranking of a weighted suite, of scripted layers to the last digit.

mod common;

use common::Bench;

/// Two tests with weights and a mix at three loads: the layer does a tenth less at one user and does not scale.
fn scripts(bench: &Bench) {
    let script = |fork: f64, exec: f64, mix: [f64; 3]| {
        format!(
            r#"{{
            "aim7/fork_test": {{"samples": [[{fork}]], "counters": {{"weight": 1, "cpu_user": 0.25, "cpu_system": 0.5}}}},
            "aim7/exec_test": {{"samples": [[{exec}]], "counters": {{"weight": 2, "syscall/execve": 5}}}},
            "aim7/mix": [[{}]], "aim7/mix@2": [[{}]], "aim7/mix@4": [[{}]]}}"#,
            mix[0], mix[1], mix[2]
        )
    };
    bench.write("base.json", &script(10e6, 2e6, [1000.0, 1900.0, 3200.0]));
    bench.write("slow.json", &script(13e6, 4e6, [900.0, 900.0, 720.0]));
}

fn campaign(bench: &Bench) -> String {
    scripts(bench);
    let line = "run --layer name=base,kind=mock,script=base.json --layer name=slow,kind=mock,script=slow.json \
                --baseline base --suite aim7 --bench aim7/fork_test --bench aim7/exec_test --bench aim7/mix \
                --load 1,2,4 --load aim7/*_test=1 --blocks 3 --out c";
    bench.ok(line);
    bench.ok("show c").out
}

#[test]
fn a_curve_its_efficiency_and_the_ranking_are_exact() {
    let bench = Bench::new();
    let text = campaign(&bench);
    let says = |line: &str| {
        // A ranked line ends with its verdict's mark.
        let words = line.split_whitespace();
        let found = text
            .lines()
            .any(|l| l.split_whitespace().take(words.clone().count()).eq(words.clone()));
        assert!(found, "no line '{line}' in\n{text}");
    };
    says("1 1.00 k/min 100% 900 /min^ 100%");
    says("2 1.90 k/min 95% 900 /min 50%");
    says("4 3.20 k/min^ 80% 720 /min 20%");
    // 3 ms once, 2 ms twice: 7 ms on top of 10 + 2 × 2.
    says("slow: +7.00 ms on top of the 14.0 ms that the mix takes (2 tests)");
    says("aim7/exec_test 2 +2.00 ms +4.00 ms 57%");
    says("aim7/fork_test 1 +3.00 ms +3.00 ms 43%");
}

#[test]
fn a_geometric_mean_is_over_the_smallest_loads_and_says_so() {
    let bench = Bench::new();
    let text = campaign(&bench);
    // The costs are 1.3, 2 and 1 / 0.9: the cube root of their product is 1.424.
    let line = text.lines().find(|line| line.starts_with("geometric mean")).expect("a mean");
    assert!(line.contains("1.42"), "{line}");
    let all: String = text.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(all.contains("Geometric means are over each benchmark's smallest load."), "{text}");
    assert!(text.lines().any(|line| line.trim_start().starts_with("@4 ↑")), "{text}");
}

#[test]
fn the_page_shows_curves_counters_and_cpu_time() {
    let bench = Bench::new();
    campaign(&bench);
    let page = std::fs::read_to_string(bench.path("c/report.html")).expect("a report");
    for part in [
        "Throughput against load",
        "users; bands",
        "Where to optimise",
        "75% busy",
        "syscall/execve",
    ] {
        assert!(page.contains(part), "the page lacks '{part}'");
    }
    for (name, curve) in [("aim7/mix", true), ("aim7/mix@1", false), ("aim7/mix@4", false)] {
        let svg = bench.ok(&format!("report c --format svg --bench {name}")).out;
        assert_eq!(svg.contains("Throughput against load"), curve, "{name}");
    }
}

#[test]
fn loads_are_found_up_to_the_crossover_and_kept_in_the_campaign() {
    let bench = Bench::new();
    let rows = [(1, 3.0), (2, 5.0), (4, 6.5), (5, 6.4), (6, 6.0), (8, 6.0)];
    let row = |(load, jobs): (u32, f64)| match load {
        1 => format!("\"aim7/mix\": [[{jobs}]]"),
        _ => format!("\"aim7/mix@{load}\": [[{jobs}]]"),
    };
    bench.write("base.json", &format!("{{{}}}", rows.map(row).join(", ")));
    let ran = bench.ok(
        "run --layer name=base,kind=mock,script=base.json --layer name=other,kind=mock,script=base.json \
         --baseline base --bench aim7/mix --users aim7/*=auto --blocks 1 --out c",
    );
    let said = "aim7/mix: loads 1, 2, 3, 4, 5, 6, 8 (the crossover is reached: no more jobs a minute than users at 6)";
    assert!(ran.err.contains(said), "{}", ran.err);
    // What is recorded is all that is needed from there on.
    bench.ok("resume c --blocks 2");
    let text = bench.ok("show c").out;
    let line = |load: &str| {
        let of = |line: &&str| line.split_whitespace().next() == Some(load);
        text.lines().filter(of).find(|line| line.contains("/min")).expect("a row of the curve")
    };
    assert!(line("6").contains("6.00 /minx"), "{text}");
    assert!(!line("8").contains("minx"), "only the first is the crossover: {text}");
    assert!(text.contains("loads were found here: the crossover is reached"), "{text}");
}

#[test]
fn loads_are_not_looked_for_where_nothing_can_be_asked() {
    let bench = Bench::new();
    bench.fails("run --machine sim --layers native --suite aim7 --users auto", 2, "--load 1,2,4");
}
