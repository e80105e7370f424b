//! `tare papers`: published figures beside a campaign's.

mod common;

use common::{Bench, flat, with};

#[test]
fn papers_are_listed_shown_and_compared() {
    let bench = with(&[("hv.log", "unixbench-hv.txt"), ("pr.log", "unixbench-pr.txt")]);
    assert_eq!(bench.ok("papers list").out.lines().count(), 5);
    assert!(
        bench.ok("papers show 003").out.contains("holds: KVM-PR, of KVM-HV's single-copy index")
    );
    assert!(bench.ok("papers show 000").out.contains("DOES NOT HOLD"));
    bench.ok("import --auto --layer hv hv.log --layer pr pr.log --out c");
    let text = bench.ok("papers compare 003 c").out;
    assert!(text.contains("rank correlation over 12: Spearman 1.00, Kendall 1.00"), "{text}");
    assert!(flat(&text).contains("0 of 0 with an interval"), "{text}");
    let lacking = "Without a counterpart: stream-avg (Copy, Scale, Add, Triad); stream-max (Copy, Scale, Add, Triad)";
    assert!(flat(&text).contains(lacking), "{text}");
    bench.fails("papers compare 004 c", 1, "no benchmark in common");
    bench.fails(
        "papers compare 004 c",
        1,
        "this measures some: tare run --machine sim --layers i686",
    );
    let asked = bench.ok("papers show 004").out;
    assert!(flat(&asked).contains("NetBSD itself? not, because"), "{asked}");
    assert!(bench.tare("papers show 9").err.contains("no paper '9'"));
}

#[test]
fn added_time_and_tests_without_figures_are_put_beside_tares_own() {
    let bench = Bench::new();
    bench.write("l4.json", r#"{"aim7/exec_test": [[21e6]], "aim7/sieve": [[5e6]]}"#);
    bench.ok(
        "run --layer name=linux,kind=mock,value=5e6 --layer name=l4,kind=mock,script=l4.json --baseline linux \
         --bench aim7/exec_test --bench aim7/sieve --blocks 2 --out c",
    );
    let text = flat(&bench.ok("papers compare 002 c").out);
    // 16 ms there, 21 less 5 here.
    assert!(text.contains("added time: l4 less linux here"), "{text}");
    assert!(text.contains("aim7/exec_test ms 16 16.000"), "{text}");
    assert!(text.contains("The paper names 53 tests"), "{text}");
    assert!(text.contains("l4/linux: exec_test 4.20, sieve 1.00"), "{text}");
}

#[test]
fn what_is_only_stated_stands_beside_the_rows_that_it_is_about() {
    let bench = Bench::new();
    bench.write("pae.json", r#"{"lmbench/fork_exit": [[118]], "sysbench/memory_read": [[80]]}"#);
    bench.ok(
        "run --layer name=i686,kind=mock,value=100 --layer name=i686-pae,kind=mock,value=100,script=pae.json \
         --baseline i686 --bench lmbench/fork_exit --bench sysbench/memory_read --load 1 --blocks 2 --out c",
    );
    let text = flat(&bench.ok("papers compare 004 c").out);
    let stated =
        "Stated: PAE: memory performance, less 15 to 20%. Here i686-pae costs more than i686 by:";
    assert!(text.contains(stated), "{text}");
    assert!(text.contains("lmbench/fork_exit 18.00%"), "{text}");
    assert!(text.contains("sysbench/memory_read 25.00%"), "a fifth less is a quarter more: {text}");
    assert!(!text.contains("Xen against"), "{text}");
    assert!(!text.contains("rank correlation"), "two rows have no rank: {text}");
}

#[test]
fn the_recipe_of_report_004_is_one_that_runs() {
    let bench = Bench::new();
    let recipe = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/laboratory/004.toml");
    bench.ok(&format!(
        "run --config {recipe} --layer name=up,kind=mock --layer name=mp,kind=mock --blocks 2 --out c"
    ));
    let names: Vec<String> = bench.campaign("c").benchmarks.into_iter().map(|b| b.name).collect();
    assert!(names.iter().any(|name| name == "sysbench/threads@2"), "{names:?}");
    assert!(names.iter().any(|name| name == "hackbench/process_pipe"), "{names:?}");
    // The layers that the file names itself are real ones.
    let refused = bench.tare(&format!("run --config {recipe} --layers none --out d"));
    assert!(refused.err.contains("no layer 'none'"), "{}", refused.err);
}

#[test]
fn every_counterpart_that_a_paper_names_is_a_row_of_tare() {
    let bench = Bench::new();
    let list = bench.json("list --json");
    let known: Vec<&str> =
        list["benchmarks"].as_array().unwrap().iter().filter_map(|b| b["name"].as_str()).collect();
    for paper in tare_import::papers().unwrap() {
        for test in &paper.tests {
            let suite = paper.tests_probe.as_deref().expect("a suite");
            assert!(known.contains(&format!("{suite}/{test}").as_str()), "{suite}/{test}");
        }
        let rows = paper.table.iter().flat_map(|table| &table.rows);
        let claimed = paper.claim.iter().flat_map(|claim| &claim.rows).map(String::as_str);
        for row in rows.filter_map(|row| row.probe.as_deref()).chain(claimed) {
            let name = row.split('@').next().unwrap_or(row);
            assert!(known.contains(&name), "{}: {row}", paper.id);
        }
    }
}

#[test]
fn a_paper_in_times_is_put_beside_tares_own_threads() {
    let bench = Bench::new();
    // HV's Copy takes 0.017669 s, native's 0.013512 s: 1.308 times the time, as 1 / 1.308 of the rate here.
    bench.write("native.json", r#"{"stream/copy@16": [[13.08e9]]}"#);
    bench.write("hv.json", r#"{"stream/copy@16": [[10e9]]}"#);
    bench.ok(
        "run --layer name=native,kind=mock,script=native.json --layer name=hv,kind=mock,script=hv.json \
         --bench stream/copy --threads 16 --blocks 1 --out c",
    );
    let text = bench.ok("papers compare 003 c").out;
    let copies: Vec<String> =
        text.lines().filter(|line| line.trim().starts_with("copy")).map(flat).collect();
    assert_eq!(copies.len(), 2, "the rate and the least time: {text}");
    assert!(copies[1].starts_with("copy@16 0.765 0.765"), "{text}");
}

#[test]
fn unixbench_has_one_baseline_in_the_probe_and_in_the_paper() {
    let bench = Bench::new();
    bench.ok("run --layers native --suite unixbench --load 1 --series 20ms --blocks 1 --out c");
    let campaign = bench.campaign("c");
    let papers = tare_import::papers().unwrap();
    let paper = papers.iter().find(|paper| paper.id == "003").unwrap();
    let rows = &paper.table("unixbench-1").unwrap().rows;
    assert_eq!(rows.len(), 12);
    for row in rows {
        let name = row.probe.as_deref().unwrap();
        let at = campaign.benchmarks.iter().position(|b| b.name == name).expect(name);
        let series = campaign.series.iter().find(|series| series.benchmark == at).expect(name);
        let probe = series.counters.iter().find(|c| c.name == "index_baseline").expect(name);
        let scale = match row.unit.as_str() {
            "lps" => 1.0,
            "lpm" => 1.0 / 60.0,
            "KBps" => 1024.0,
            "MWIPS" => 1e6,
            other => panic!("{name}: {other}"),
        };
        let paper = row.baseline.unwrap() * scale;
        assert!((probe.value / paper - 1.0).abs() < 1e-12, "{name}: {} and {paper}", probe.value);
    }
}

#[test]
fn what_papers_print_fits_eighty_columns() {
    let bench = with(&[("hv.log", "unixbench-hv.txt"), ("x.log", "unixbench-pr.txt")]);
    bench.ok("import --auto --layer hv hv.log --layer a-longer-name x.log --out c");
    let mut all: Vec<String> =
        (0..5).map(|id| bench.ok(&format!("papers show 00{id}")).out).collect();
    all.push(bench.ok("papers compare 003 c").out);
    all.push(bench.ok("show c").out);
    for text in all {
        // What repeats the campaign is a command line: it breaks at words only.
        let long = text.lines().find(|line| {
            line.chars().count() > 80
                && !line.trim_start().starts_with("tare ")
                && !line.contains("tare import")
        });
        assert_eq!(long, None, "{text}");
    }
}

#[test]
fn every_benchmark_that_report_000_is_mapped_to_is_the_probes() {
    let bench = Bench::new();
    let list = bench.json("list --json");
    let known: Vec<&str> =
        list["benchmarks"].as_array().unwrap().iter().filter_map(|b| b["name"].as_str()).collect();
    let papers = tare_import::papers().unwrap();
    let paper = papers.iter().find(|paper| paper.id == "000").unwrap();
    let rows = || paper.table.iter().flat_map(|table| &table.rows);
    // What only an import has is no row of the probe's.
    let own = |row: &tare_import::Row| row.own.clone().filter(|name| !name.starts_with("dbench/"));
    let mapped: Vec<String> =
        rows().filter_map(|row| row.probe.clone().or_else(|| own(row))).collect();
    for name in &mapped {
        let name = name.trim_end_matches("@n");
        assert!(known.contains(&name), "{name} is not in {known:?}");
    }
    let all = 2 * (24 + 2 + 3);
    assert_eq!(
        mapped.len(),
        all,
        "20 rows of lmbench, 4 kernel loops, 2 streams, dbench and 2 kernel builds, on two machines"
    );
}

#[test]
fn a_vmi_campaign_stands_beside_the_table_of_2006() {
    let bench = Bench::new();
    bench.ok(
        "run --layer name=native,kind=mock,value=100 --layer name=vmi,kind=mock,value=102 --baseline native \
         --suite vmi --seed 5 --blocks 3 --out c",
    );
    let text = bench.ok("papers compare 000 c").out;
    assert!(text.contains("p4: vmi/native here") && text.contains("opteron: vmi/native"), "{text}");
    assert!(
        text.contains("rank correlation over 24") || text.contains("no rank correlation"),
        "{text}"
    );
    let row =
        text.lines().find(|line| line.trim_start().starts_with("null_call ")).expect("its row");
    assert!(flat(row).starts_with("null_call 1.000 1.020"), "{row}");
}
