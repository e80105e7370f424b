//! Whole campaigns: with everything off that can be, with names that try to do harm, with nothing.

use super::*;

/// Name, unit, native value, noise, cost on runc, runsc, uml, qemu.
type Shape = (&'static str, &'static str, Unit, f64, f64, [f64; 4]);

const SHAPES: [Shape; 14] = [
    ("kernel/getppid", "vmi", Unit::Nanoseconds, 41.2, 0.0008, [1.0, 28.1, 31.0, 9.4]),
    ("proc/null-call", "vmi", Unit::Nanoseconds, 136.0, 0.0005, [1.0, 9.2, 47.2, 12.1]),
    ("proc/null-io", "vmi", Unit::Nanoseconds, 184.0, 0.003, [1.012, 8.1, 33.4, 11.0]),
    ("proc/stat", "vmi", Unit::Nanoseconds, 611.0, 0.004, [1.09, 11.9, 14.7, 12.4]),
    ("proc/open-close", "vmi", Unit::Nanoseconds, 1_320.0, 0.03, [1.04, 14.2, 12.6, 13.3]),
    ("proc/sig-catch", "vmi", Unit::Nanoseconds, 905.0, 0.01, [0.93, 4.4, 22.9, 10.8]),
    ("proc/fork-exit", "vmi", Unit::Nanoseconds, 137_000.0, 0.012, [1.02, 3.9, 8.8, 15.2]),
    ("proc/fork-shell", "vmi", Unit::Nanoseconds, 3_204_000.0, 0.01, [1.01, 3.1, 6.9, 14.0]),
    ("ctx/2p-0k", "vmi", Unit::Nanoseconds, 1_940.0, 0.09, [1.00, 2.7, 5.4, 8.0]),
    ("ctx/16p-64k", "vmi", Unit::Nanoseconds, 41_500.0, 0.02, [0.99, 1.6, 1.9, 6.1]),
    ("mem/page-fault", "vmi", Unit::Nanoseconds, 310.0, 0.25, [1.03, 6.2, 9.7, 21.0]),
    ("kernel/divzero", "vmi", Unit::Nanoseconds, 1_010.0, 0.006, [1.00, 4.9, 19.0, 11.3]),
    ("host/start", "vmi", Unit::Nanoseconds, 3_900_000.0, 0.02, [9.1, 33.0, 310.0, 812.0]),
    ("host/footprint", "vmi", Unit::Bytes, 1_468_006.0, 0.004, [4.6, 19.2, 41.0, 118.0]),
];

/// Five layers, four blocks, every verdict and most comments.
pub fn full() -> Campaign {
    full_of(4)
}

/// [`full`] with another number of blocks.
pub fn full_of(blocks: u32) -> Campaign {
    let layers = [
        ("native", "native"),
        ("runc", "oci"),
        ("runsc-systrap", "oci"),
        ("uml", "uml"),
        ("qemu-tcg", "qemu"),
    ];
    let mut campaign = empty(
        blocks,
        layers.iter().map(|(name, kind)| layer(name, kind)).collect(),
        SHAPES.iter().map(|shape| bench(shape.0, shape.1, shape.2)).collect(),
    );
    for block in 0..blocks {
        for role in [Role::Weigh, Role::Floor] {
            measure(&mut campaign, block, 0, role);
        }
        for layer in 1..layers.len() {
            measure(&mut campaign, block, layer, Role::Weigh);
        }
    }
    campaign
}

fn measure(campaign: &mut Campaign, block: u32, layer: usize, role: Role) {
    let at = boot(campaign, block, layer, role, hello_of(layer));
    for (b, shape) in SHAPES.iter().enumerate() {
        let (unit, native, noise, costs) = (shape.2, shape.3, shape.4, shape.5);
        if (layer, b) == (2, 11) {
            absent(
                campaign,
                at,
                b,
                Outcome::Unavailable,
                "the sentry delivers no SIGFPE for a division here",
            );
            continue;
        }
        let cost = if layer == 0 { 1.0 } else { costs[layer - 1] };
        let shift = 1.0 + noise * wobble(at, b, 0);
        let value = if unit == Unit::PerSecond { native / cost } else { native * cost };
        let samples =
            (0..3).map(|s| value * shift * (1.0 + 0.001 * wobble(at, b, s + 1))).collect();
        series(campaign, at, b, samples);
        if shape.0.starts_with("host/") {
            let row = campaign.series.last_mut().expect("just added");
            (row.probe_ns, row.host_ns) = (0, 0);
        }
    }
}

fn hello_of(layer: usize) -> Hello {
    let mut hello = hello();
    match layer {
        2 => (hello.kernel, hello.kernel_version) = ("4.4.0".into(), "#1 SMP sentry".into()),
        3 => {
            (hello.kernel, hello.cpus, hello.affinity) = ("6.1.99".into(), 1, vec![0]);
            hello.scratch_fs = "tmpfs".into();
            hello.clock_source = "timer".into();
            hello.mitigations.truncate(1);
        }
        4 => (hello.kernel, hello.cpus, hello.affinity) = ("6.1.0-cloud".into(), 1, vec![0]),
        _ => {}
    }
    hello
}

/// A benchmark of every unit: name, what it measures, unit, baseline's value, noise of a sample.
const UNITS: [(&str, &str, Unit, f64, f64); 11] = [
    ("ctx/2p-0k", "a context switch between two processes", Unit::Nanoseconds, 1_940.0, 0.0004),
    ("sim/getppid", "one getppid(2)", Unit::Instructions, 188.0, 0.002),
    ("sim/files", "files copied", Unit::PerGigaInstruction, 61_000.0, 0.05),
    ("sim/jobs", "jobs of a mix", Unit::Per60GigaInstructions, 5_100.0, 0.03),
    ("sim/stream", "bytes sent to itself", Unit::BytesPerGigaInstruction, 4.1e8, 0.02),
    ("host/footprint", "memory of the layer", Unit::Bytes, 1_468_006.0, 0.01),
    ("disk/read", "random reads", Unit::PerSecond, 51_200.0, 0.4),
    ("aim7/mix", "jobs under load", Unit::PerMinute, 9_120.0, 0.06),
    ("memory/stream-triad", "a sum of arrays", Unit::BytesPerSecond, 1.31e10, 0.02),
    ("net/stream", "bytes to a peer", Unit::BytesPerSecond, 9.4e8, 0.0001),
    ("mock/number", "a plain number", Unit::Number, 100.0, 0.05),
];

/// Every unit on five layers, in three blocks; the disk's samples span decades.
pub fn every_unit() -> Campaign {
    let layers = ["native", "runc", "runsc", "uml", "qemu"];
    let named =
        layers.map(|kind| layer(if kind == "runsc" { "runsc-systrap" } else { kind }, kind));
    let info = |of: &(&str, &str, Unit, f64, f64)| {
        let family = of.0.split('/').next().unwrap_or_default();
        let mut info = bench(of.0, &format!("suite-of-{family}"), of.2);
        info.about = of.1.into();
        if of.2.symbol().contains('/') {
            info.better = Better::Higher;
        }
        info
    };
    let mut campaign = empty(3, named.into(), UNITS.iter().map(info).collect());
    for block in 0..3 {
        for at in 0..=layers.len() {
            let (layer, role) = (at % layers.len(), [Role::Weigh, Role::Floor][at / layers.len()]);
            let at = boot(&mut campaign, block, layer, role, hello_of(layer));
            for (b, (_, _, unit, native, noise)) in UNITS.iter().enumerate() {
                let cost = 1.0 + noise * layer as f64;
                let sample = |s: usize| native * cost * (1.0 + noise * wobble(at, b, s));
                let mut samples: Vec<f64> = (0..40).map(sample).collect();
                if *unit == Unit::PerSecond {
                    samples.iter_mut().step_by(7).for_each(|sample| *sample /= 40.0);
                }
                series(&mut campaign, at, b, samples);
            }
        }
    }
    campaign
}

/// [`full`] with everything off that can be: failures, a drifting clock, short batches, bad samples, hints.
pub fn troubled() -> Campaign {
    let mut campaign = full();
    campaign.benchmarks.push(bench("disk/read", "disk", Unit::PerSecond));
    let disk = campaign.benchmarks.len() - 1;
    for at in 0..campaign.boots.len() {
        let cost = [1.0, 1.0, 0.41, 0.52, 0.12][campaign.boots[at].layer];
        series(
            &mut campaign,
            at,
            disk,
            (0..3).map(|s| 51_200.0 * cost * (1.0 + 0.01 * wobble(at, disk, s))).collect(),
        );
    }
    for row in &mut campaign.series {
        let layer = campaign.boots[row.boot].layer;
        match (layer, row.benchmark) {
            (3, 1) => row.short_batch = true,
            (3, 8) => row.subtracted = 90_000.0,
            (1, 9) if campaign.boots[row.boot].block == 2 => row.samples[1] = -1.0,
            (2, 10) => row.samples = vec![f64::NAN],
            _ => {}
        }
        if layer == 4 && row.probe_ns > 0 {
            row.probe_ns = 470_000_000;
        }
    }
    let lost = campaign.boots.iter().position(|b| b.layer == 4 && b.block == 3).expect("there");
    campaign.series.retain(|row| row.boot != lost || row.benchmark < 6);
    fail(
        &mut campaign,
        lost,
        "no answer to proc/fork-exit within 30 s",
        "[   12.3] BUG: soft lockup\n[   12.4] Call Trace:\n\u{1b}[31mred\u{1b}[0m",
    );
    let mut kvm = layer("qemu-kvm", "qemu");
    let why = "/dev/kvm opens, but a stock kernel does not boot on it: no greeting within 20 s";
    kvm.unavailable =
        Some((why.into(), "run on a host whose KVM is not nested, or use accel=tcg".into()));
    campaign.layers.push(kvm);
    campaign.warnings.push(Warning {
        layer: None,
        benchmark: None,
        text: "the load average was 1.7 when the campaign began".into(),
    });
    campaign
}

/// Every boot failed.
pub fn all_failed() -> Campaign {
    let mut campaign = full_of(1);
    campaign.series.clear();
    campaign.state = "interrupted".into();
    for at in 0..campaign.boots.len() {
        campaign.boots[at].hello = None;
        fail(&mut campaign, at, "never greeted within 20 s", "");
    }
    campaign
}

/// Names and texts that try to do harm.
pub fn hostile() -> Campaign {
    let mut campaign = troubled();
    let long = "x".repeat(10_000);
    campaign.layers[1].name = long.as_str().into();
    campaign.layers[2].name = "\u{1b}[2J\u{1b}]0;owned\u{7}evil".into();
    campaign.layers[3].name = "\u{202e}drawkcab שלום|<script>alert(1)</script>".into();
    campaign.layers[4].name = "漢字漢字漢字漢字漢字漢字漢字漢字".into();
    campaign.layers[0].name = "na`ti|ve\nline".into();
    campaign.plan.baseline = campaign.layers[0].name.clone();
    campaign.benchmarks[0].name = long.clone();
    campaign.benchmarks[1].name = "a\u{301}".repeat(300);
    campaign.benchmarks[2].name = "| --- | <img src=x>".into();
    campaign.benchmarks[3].suite = long.clone();
    campaign.plan.command = format!("tare run {long}").into();
    campaign.warnings.push(Warning {
        layer: Some(long.as_str().into()),
        benchmark: Some(long.as_str().into()),
        text: long.as_str().into(),
    });
    let at = campaign.boots.len() - 1;
    fail(&mut campaign, at, &long, &format!("{long}\n\u{1b}[2J```\n</details>\u{202e}"));
    campaign
}

/// `layers` layers, the first the baseline, three blocks of one benchmark.
pub fn many_layers(layers: usize) -> Campaign {
    let mut rows = vec![layer("native", "native")];
    rows.extend((1..layers).map(|n| layer(&format!("layer-{n}"), "mock")));
    let mut campaign = empty(3, rows, vec![bench("mock/steady", "mock", Unit::Nanoseconds)]);
    for block in 0..3 {
        for layer in 0..layers {
            let at = boot(&mut campaign, block, layer, Role::Weigh, hello());
            series(&mut campaign, at, 0, vec![100.0 * (1 + layer) as f64 + wobble(at, 0, 0); 3]);
        }
    }
    campaign
}
