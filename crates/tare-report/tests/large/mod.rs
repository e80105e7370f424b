//! A campaign of any size, for what has to stay small and quick.

#![allow(dead_code)] // not every test file uses it

use super::common::{bench, boot, empty, hello, layer, series, wobble};
use tare_proto::Unit;
use tare_store::{Campaign, Role};

/// A campaign of any size whose samples have tails, drifts and two modes; the baseline is booted twice a block.
pub fn large(benches: usize, layers: usize, blocks: u32, samples: usize) -> Campaign {
    let rows = (0..layers).map(|n| layer(if n == 0 { "native" } else { LAYERS[n % 8] }, "mock"));
    let name = |n: usize| format!("{}/bench-{n:02}", ["kernel", "lmbench", "memory"][n % 3]);
    let suite = |n: usize| ["vmi", "vmi", "memory"][n % 3];
    let made = (0..benches).map(|n| bench(&name(n), suite(n), Unit::Nanoseconds));
    let mut campaign = empty(blocks, rows.collect(), made.collect());
    for block in 0..blocks {
        for slot in 0..=layers {
            let (layer, role) = if slot == layers { (0, Role::Floor) } else { (slot, Role::Weigh) };
            let at = boot(&mut campaign, block, layer, role, hello());
            for b in 0..benches {
                series(&mut campaign, at, b, skewed(at, b, layer, samples));
            }
        }
    }
    campaign
}

const LAYERS: [&str; 8] =
    ["native", "runc", "crun", "runsc", "uml", "qemu-tcg", "qemu-kvm", "xen-pv"];

fn skewed(boot: usize, bench: usize, layer: usize, samples: usize) -> Vec<f64> {
    let cost = [1.0, 1.01, 1.05, 8.0, 14.0, 11.0, 1.2, 1.6][layer % 8];
    let value = 50.0 * (1 + bench * bench) as f64 * cost * (1.0 + 0.01 * wobble(boot, bench, 1));
    let one = |n: usize| {
        let noise = wobble(boot, bench, 3 * n);
        let tail = wobble(boot, bench, 3 * n + 1).abs().max(1e-6).powi(-2).min(40.0) * 0.002;
        let mode = if bench % 5 == 2 && wobble(boot, bench, 3 * n + 2) > 0.3 { 0.08 } else { 0.0 };
        value * (1.0 + 0.01 * layer as f64 * noise.abs() + 0.01 * noise + tail + mode)
    };
    (0..samples).map(one).collect()
}
