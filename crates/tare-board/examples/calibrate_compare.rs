//! Simulates pairs of campaigns and counts what `tare compare` and its gate say of them:
//! `cargo run --release -p tare-board --example calibrate_compare -- [repeats] [seed]`.

use tare_board::{By, CompareOptions, Comparison, Options, Verdict, compare};
use tare_proto::{BenchInfo, Better, Unit};
use tare_store::{Boot, BootState, Campaign, LayerRow, Outcome, Plan, Role, SeriesRow};

const BENCHES: usize = 30;
/// The baseline and two more.
const LAYERS: usize = 3;
/// The gate that is asked.
const GATE: &str = "slower > 3%";

/// How much a row's boots vary: the standard deviation of the log of a boot's value.
type Noise = (&'static str, fn(usize) -> f64);

const NOISES: [Noise; 2] = [
    ("every row 2%", |_| 0.02),
    ("rows of 0.2% to 20%", |row| 0.002 * 100_f64.powf(row as f64 / (BENCHES - 1) as f64)),
];

/// What a row of the second campaign costs more than in the first, by layer and row.
type Truth = (&'static str, fn(usize, usize) -> f64);

const TRUTHS: [Truth; 3] = [
    ("nothing changed", |_, _| 1.0),
    ("all rows 3% slower", |layer, _| if layer == 0 { 1.0 } else { 1.03 }),
    ("one row 10% slower", |layer, row| if (layer, row) == (1, BENCHES / 2) { 1.10 } else { 1.0 }),
];

fn main() {
    let mut numbers = std::env::args().skip(1).map_while(|arg| arg.parse().ok());
    let (repeats, seed) = (numbers.next().unwrap_or(2000), numbers.next().unwrap_or(1));
    println!("### Share of comparisons of two campaigns ({LAYERS} layers, {BENCHES} rows)\n");
    println!("| truth | noise between boots | compared | blocks | any verdict | '{GATE}' fails |");
    println!("|---|---|---|---:|---:|---:|");
    for (truth, change) in TRUTHS {
        for (noise, sigma) in NOISES {
            for (name, by) in [("cost", By::Cost), ("value", By::Value)] {
                for blocks in [3, 5, 10] {
                    let mut rng = Rng(seed);
                    let counts = count(repeats, &mut rng, blocks, by, sigma, change);
                    let unchanged = truth == TRUTHS[0].0;
                    let any = share(counts.0, repeats, unchanged);
                    let fails = share(counts.1, repeats, unchanged || truth == TRUTHS[1].0);
                    println!("| {truth} | {noise} | {name} | {blocks} | {any} | {fails} |");
                }
            }
        }
    }
}

/// A share in percent; bold where it ought to be at most 5% and is above that by two standard errors.
fn share(n: u64, repeats: u64, is_false: bool) -> String {
    let (share, slack) = (n as f64 / repeats as f64, 2.0 * (0.05 * 0.95 / repeats as f64).sqrt());
    let text = format!("{:.1}%", 100.0 * share);
    if is_false && share > 0.05 + slack { format!("**{text}**") } else { text }
}

/// Comparisons with a row called different, and those that fail the gate.
fn count(
    repeats: u64,
    rng: &mut Rng,
    blocks: u32,
    by: By,
    sigma: fn(usize) -> f64,
    change: fn(usize, usize) -> f64,
) -> (u64, u64) {
    let (mut any, mut fails) = (0, 0);
    for _ in 0..repeats {
        let before = campaign(rng, blocks, sigma, |_, _| 1.0);
        let after = campaign(rng, blocks, sigma, change);
        let options = CompareOptions {
            options: Options::from_plan(&before.plan),
            by: Some(by),
            fail_if: vec![GATE.parse().expect("a condition")],
            fail_undecided: false,
        };
        let said = compare(("a", &before), ("b", &after), &options).expect("comparable");
        any += u64::from(called_different(&said));
        fails += u64::from(said.gate.is_some_and(|gate| !gate.passed));
    }
    (any, fails)
}

fn called_different(said: &Comparison) -> bool {
    said.rows().any(|(_, row)| matches!(row.verdict, Verdict::Worse | Verdict::Better))
}

/// A campaign of one sample a series; all that varies is the boot.
fn campaign(
    rng: &mut Rng,
    blocks: u32,
    sigma: fn(usize) -> f64,
    change: impl Fn(usize, usize) -> f64,
) -> Campaign {
    let mut campaign = empty();
    for block in 0..blocks {
        for slot in 0..=LAYERS {
            let (layer, role) = if slot == LAYERS { (0, Role::Floor) } else { (slot, Role::Weigh) };
            campaign.boots.push(boot(block, layer, role));
            let boot = campaign.boots.len() - 1;
            for row in 0..BENCHES {
                let value = 100.0 * change(layer, row) * (sigma(row) * rng.normal()).exp();
                campaign.series.push(series(boot, row, value));
            }
        }
    }
    campaign
}

fn empty() -> Campaign {
    let layer = |n: usize| LayerRow {
        name: format!("layer-{n}").into(),
        kind: "mock".into(),
        settings: String::new().into(),
        unavailable: None,
        artifacts: vec![],
    };
    let bench = |n: usize| BenchInfo {
        name: format!("row-{n}"),
        about: String::new(),
        unit: Unit::Nanoseconds,
        better: Better::Lower,
        suite: "simulated".into(),
        estimator: "mean".into(),
        samples: 1,
        ..BenchInfo::default()
    };
    Campaign {
        plan: plan(),
        state: "finished".into(),
        open_blocks: vec![],
        layers: (0..LAYERS).map(layer).collect(),
        benchmarks: (0..BENCHES).map(bench).collect(),
        boots: vec![],
        series: vec![],
        whole_series: vec![],
        warnings: vec![],
    }
}

fn plan() -> Plan {
    let json = serde_json::json!({
        "seed": 1, "baseline": "layer-0", "budget_s": null, "blocks": null, "width": 0.01, "cpus": [],
        "batch_ns": 1_000_000, "series_ms": 500, "boot_s": 30.0, "margin": 0.02, "created": "",
        "tare_version": "", "probe_sha256": "", "command": "",
    });
    serde_json::from_value(json).expect("a plan")
}

fn boot(block: u32, layer: usize, role: Role) -> Boot {
    Boot {
        id: 0,
        block,
        slot: 0,
        layer,
        role,
        attempt: 1,
        state: BootState::Done,
        started: String::new().into(),
        seconds: None,
        hello: None,
        failure: None,
        console: None,
    }
}

fn series(boot: usize, benchmark: usize, value: f64) -> SeriesRow {
    SeriesRow {
        boot,
        benchmark,
        outcome: Outcome::Measured,
        why: None,
        ops: 1,
        warmup: 0,
        loop_ns: 0.0,
        subtracted: 0.0,
        short_batch: false,
        probe_ns: 1,
        host_ns: 1,
        waited_ns: 0,
        turns: Vec::new(),
        counters: Vec::new(),
        samples: vec![value],
    }
}

/// SplitMix64 (Steele, Lea and Flood 2014) and Box and Muller's normals: the same figures everywhere.
struct Rng(u64);

impl Rng {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// Above 0, up to 1.
    fn uniform(&mut self) -> f64 {
        ((self.next() >> 11) + 1) as f64 / (1_u64 << 53) as f64
    }

    fn normal(&mut self) -> f64 {
        let (radius, turn) = (self.uniform(), self.uniform());
        (-2.0 * radius.ln()).sqrt() * (std::f64::consts::TAU * turn).cos()
    }
}
