//! Remarks on a whole layer: how it differs from the baseline in what should be the same.

use crate::format::{count, quantity};
use crate::remarks::comment::fast_or_slow;
use crate::remarks::identity::{Identity, Known};
use crate::remarks::remark::Note;
use std::collections::BTreeMap;
use tare_proto::{BenchInfo, Hello, Mitigation, Unit};
use tare_store::{Boot, Campaign, PlannedProgram, Role, SeriesRow, WIRE};

/// The suite of what the host sees of a layer.
const HOST: &str = "host";

/// A clock is said to drift when it differs from the host's by more than this, beyond what messages take.
pub const DRIFT: f64 = 0.01;

/// What a series' message may take from the probe to the host before its layer's clock is suspected, in
/// nanoseconds: over all series of a boot (QEMU's emulated serial line takes 3 ms in the middle), and one by one (10
/// at most; the rest is room).
pub(crate) const LATENCY_NS: (f64, f64) = (5e6, 2e7);

/// The same for every sample: about 20 bytes of the message.
const SAMPLE_LATENCY_NS: f64 = 4e4;

/// Kinds of layers whose clock is the host's own: what they send late is no drift.
const HOST_CLOCK: [&str; 9] =
    ["native", "runc", "crun", "podman", "docker", "bwrap", "nspawn", "lxc", "chroot"];

/// Whether the layer's probe reads a clock that can differ from the host's.
pub(crate) fn has_own_clock(campaign: &Campaign, layer: usize) -> bool {
    // What comes from another host, or through a daemon, takes its time, and that is no drift: it must be known how long.
    let far = |settings: &str| settings.split(',').any(|part| part == "processes=elsewhere");
    let known = || !wires(campaign, layer).is_empty();
    let own = |kind: &str| {
        !(HOST_CLOCK.contains(&kind) || kind == "command" && shows_the_hosts(campaign, layer))
    };
    campaign
        .layers
        .get(layer)
        .is_some_and(|row| own(row.kind.raw()) && (!far(row.settings.raw()) || known()))
}

/// Whether the layer has the host's kernel and its clock source: what words of the user's start says nothing else of itself, and
/// a container has both.
fn shows_the_hosts(campaign: &Campaign, layer: usize) -> bool {
    let clock = |of: usize| {
        let hello = first_hello(campaign, of).filter(|hello| !hello.kernel.is_empty());
        hello.map(|it| (&it.kernel, &it.kernel_version, &it.clock_source))
    };
    let native = campaign.layers.iter().position(|row| row.kind == "native");
    native.and_then(clock).is_some_and(|host| clock(layer) == Some(host))
}

/// What messages to a layer and their answers took, in nanoseconds, one of each series; none of a layer whose line is this
/// host's alone.
fn wires(campaign: &Campaign, layer: usize) -> Vec<f64> {
    let own = |row: &&SeriesRow| campaign.boots.get(row.boot).is_some_and(|it| it.layer == layer);
    campaign.series.iter().filter(own).filter_map(wire_of).collect()
}

fn wire_of(row: &SeriesRow) -> Option<f64> {
    let found = row.counters.iter().find(|counter| counter.name == WIRE)?;
    Some(found.value).filter(|value| value.is_finite() && *value > 0.0)
}

/// What the way to a layer takes, and that this is in none of its rows.
fn wire(campaign: &Campaign, layer: usize) -> Option<String> {
    let all = wires(campaign, layer);
    let middle = quantity(Unit::Nanoseconds, tare_stats::median(&all).ok()?);
    let of = count(all.len(), "message");
    Some(format!(
        "a message to it and the answer take {middle} (median of {of}): the probe measures time there, so this latency is in no \
         row but host/start"
    ))
}

/// How much faster than the host's the clock behind `series` ran, in percent, when that is beyond [`DRIFT`] and
/// message latency (`latency_ns` a series, and what the way there and back takes), over all series and in the middle of their time: a clock that drifts does so in
/// every series, while a message that the host read late makes one of them look slow. Series that the host measured
/// itself do not count.
pub(crate) fn clock_drift<'a>(
    series: impl Iterator<Item = &'a SeriesRow>,
    latency_ns: f64,
) -> Option<f64> {
    let (mut probe, mut host, mut latency) = (0.0, 0.0, 0.0);
    let mut each: Vec<(f64, f64)> = Vec::new();
    for row in series.filter(|row| row.host_ns > 0 && row.probe_ns > 0) {
        probe += row.probe_ns as f64;
        host += row.host_ns as f64;
        latency +=
            latency_ns + wire_of(row).unwrap_or(0.0) + SAMPLE_LATENCY_NS * row.samples.len() as f64;
        each.push((row.probe_ns as f64 / row.host_ns as f64 - 1.0, row.host_ns as f64));
    }
    let gap = probe - host;
    let middle = middle(each);
    let drifts = host > 0.0
        && gap.abs() > DRIFT * host + latency
        && middle.abs() > DRIFT
        && (middle > 0.0) == (gap > 0.0);
    let percent = 100.0 * gap / host;
    drifts.then(|| if middle.abs() < gap.abs() / host { 100.0 * middle } else { percent })
}

/// The value in the middle of the weight, of (value, weight).
fn middle(mut each: Vec<(f64, f64)>) -> f64 {
    each.sort_by(|a, b| a.0.total_cmp(&b.0));
    let half = each.iter().map(|(_, weight)| weight).sum::<f64>() / 2.0;
    let mut below = 0.0;
    for (value, weight) in each {
        below += weight;
        if below >= half {
            return value;
        }
    }
    0.0
}

/// What `layer` is.
pub(crate) fn identity(campaign: &Campaign, layer: usize) -> Identity {
    let row = &campaign.layers[layer];
    Identity::of(Known {
        kind: row.kind.raw(),
        settings: row.settings.raw(),
        artifacts: &row.artifacts,
        hello: first_hello(campaign, layer),
    })
}

/// Everything that is off about `layer`.
pub(crate) fn notes(campaign: &Campaign, layer: usize) -> Vec<Note> {
    let booted = first_hello(campaign, layer).is_some();
    let remark = identity(campaign, layer).remark.filter(|_| booted);
    let mut notes: Vec<Note> = remark.into_iter().collect();
    let mut add = |kind, text: Option<String>| {
        notes.extend(text.map(|text| Note { kind, text: text.into() }))
    };
    let own = first_hello(campaign, layer);
    let base = campaign.baseline();
    let name = campaign.plan.baseline.raw();
    if let (Some(own), Some(base)) = (own, base.and_then(|b| first_hello(campaign, b))) {
        let wide = has_all_cpus(campaign, own);
        for (kind, text) in differences(own, base, name) {
            add(kind, text.filter(|_| kind != "cpus" || !wide));
        }
        add("several_cpus", wide.then(|| several_cpus(campaign, name)));
    }
    add("kernel_changed", kernel_changed(campaign, layer));
    add("pinning", pinning(campaign, layer));
    add("one_cpu", one_cpu(campaign, layer));
    add("cpu_quota", quota(campaign, layer));
    add("wire", wire(campaign, layer));
    add("clock_drift", boot_drift(campaign, layer));
    notes
}

pub(crate) fn first_hello(campaign: &Campaign, layer: usize) -> Option<&Hello> {
    let own = |boot: &&Boot| boot.layer == layer && boot.role != Role::OneCpu;
    campaign.boots.iter().filter(own).find_map(|boot| boot.hello.as_ref())
}

/// Whether a layer runs on more CPUs than the campaign's others, because it is made for them.
fn has_all_cpus(campaign: &Campaign, hello: &Hello) -> bool {
    let wide = campaign.plan.wide.len() as u64;
    wide > 0 && usable_cpus(hello) == wide
}

fn several_cpus(campaign: &Campaign, baseline: &str) -> String {
    let all = campaign.plan.wide.len();
    let usually = format!("it runs on {all} CPUs, as it usually does");
    let programs: Vec<&str> = campaign.plan.programs.iter().flat_map(rows_of).collect();
    let is_program = |bench: &BenchInfo| programs.contains(&&*bench.name);
    let mut own = campaign.benchmarks.iter().filter(|bench| bench.suite != HOST);
    if own.all(is_program) {
        return format!("{usually}, and so do the other layers that can use them");
    }
    let also = match programs.is_empty() {
        true => "",
        false => " in all rows but those of programs",
    };
    format!(
        "{usually}, and so does {baseline} when compared with this layer; the other layers run on {}{also}. Its series last for a third \
         of a second, so that they meet the fast and the slow mode of its system calls",
        campaign.plan.cpus.len()
    )
}

fn rows_of(planned: &PlannedProgram) -> impl Iterator<Item = &str> {
    planned.rows.iter().map(|row| &*row.benchmark)
}

/// What should be the same on layer and baseline, and is not.
pub(crate) fn differences(
    own: &Hello,
    base: &Hello,
    name: &str,
) -> Vec<(&'static str, Option<String>)> {
    let texts = |what: &str, own: &str, base: &str| {
        let known = !own.is_empty() && !base.is_empty();
        (known && own != base).then(|| format!("{what} {own}; {name} has {base}"))
    };
    let numbers = |what: &str, own: u64, base: u64| {
        (own != base && own > 0 && base > 0).then(|| format!("{what} {own}; {name} has {base}"))
    };
    vec![
        ("kernel", texts("kernel", &own.kernel, &base.kernel)),
        ("machine", texts("machine", &own.machine, &base.machine)),
        ("cpus", numbers("usable CPUs:", usable_cpus(own), usable_cpus(base))),
        ("page_size", numbers("page size", own.page_size, base.page_size)),
        ("thp", texts("transparent huge pages", &own.thp, &base.thp)),
        ("scratch_fs", texts("scratch files on", &own.scratch_fs, &base.scratch_fs)),
        ("mitigations", mitigations(&own.mitigations, &base.mitigations, name)),
        ("clock_source", texts("clock source", &own.clock_source, &base.clock_source)),
    ]
}

/// CPUs that the probe could run on.
fn usable_cpus(hello: &Hello) -> u64 {
    let pinned = hello.affinity.len() as u64;
    if pinned == 0 { hello.cpus.into() } else { pinned.min(hello.cpus.max(1).into()) }
}

fn mitigations(own: &[Mitigation], base: &[Mitigation], name: &str) -> Option<String> {
    if own.is_empty() || base.is_empty() {
        return None;
    }
    let states = |list: &[Mitigation]| -> BTreeMap<String, String> {
        list.iter().map(|m| (m.name.clone(), m.state.clone())).collect()
    };
    let (own, base) = (states(own), states(base));
    let differ: Vec<&str> = base
        .iter()
        .filter(|(vulnerability, state)| own.get(*vulnerability) != Some(state))
        .map(|(vulnerability, _)| vulnerability.as_str())
        .collect();
    let first = differ.iter().take(3).copied().collect::<Vec<_>>().join(", ");
    let more = if differ.len() > 3 { ", ..." } else { "" };
    (!differ.is_empty())
        .then(|| format!("{} of {name}'s CPU mitigations differ ({first}{more})", differ.len()))
}

/// Boots of one layer that ran on different kernels cannot be averaged.
fn kernel_changed(campaign: &Campaign, layer: usize) -> Option<String> {
    let first = first_hello(campaign, layer)?;
    let boots = campaign.boots.iter().filter(|boot| boot.layer == layer);
    let other = boots.filter_map(|boot| boot.hello.as_ref()).find(|hello| {
        (&hello.kernel, &hello.kernel_version) != (&first.kernel, &first.kernel_version)
    })?;
    Some(format!(
        "its kernel changed between boots ({} {}, then {} {})",
        first.kernel, first.kernel_version, other.kernel, other.kernel_version
    ))
}

/// Whether a layer that shares the host's kernel ran where the plan put it. A guest numbers its CPUs itself.
fn pinning(campaign: &Campaign, layer: usize) -> Option<String> {
    let planned = campaign.plan.all_cpus();
    let native = campaign.layers.iter().position(|row| row.kind == "native")?;
    let host = first_hello(campaign, native)?;
    let mut boots = campaign.boots.iter().filter(|boot| boot.layer == layer);
    let stray = boots.find_map(|boot| {
        let hello = boot.hello.as_ref()?;
        let shares = hello.kernel == host.kernel && hello.kernel_version == host.kernel_version;
        let strayed = hello.affinity.iter().any(|cpu| !planned.contains(cpu));
        (shares && !planned.is_empty() && strayed).then_some(hello)
    })?;
    Some(format!(
        "not pinned as planned: it may run on CPUs {:?}, the plan says {planned:?}",
        stray.affinity
    ))
}

/// gVisor's systrap spins for the next system call only where its sandbox sees two CPUs, which is how people start it.
fn one_cpu(campaign: &Campaign, layer: usize) -> Option<String> {
    let hello = first_hello(campaign, layer)?;
    let systrap = identity(campaign, layer).what.contains("systrap");
    (systrap && usable_cpus(hello) == 1).then(|| {
        "it sees one CPU, and systrap's fast path for system calls is off there: with two, calls that follow each other closely cost \
         a fraction of this. '--pin auto' or 'none' measure it as it usually runs, on a machine with two CPUs"
            .into()
    })
}

/// A quota of CPU time below what the layer could use: the kernel stops it in between.
fn quota(campaign: &Campaign, layer: usize) -> Option<String> {
    let boots = campaign.boots.iter().filter(|boot| boot.layer == layer);
    let binding = boots.filter_map(|boot| boot.hello.as_ref()).filter_map(|hello| {
        let cpus = usable_cpus(hello) as f64;
        (hello.cpu_quota > 0.0 && hello.cpu_quota < cpus).then_some((hello.cpu_quota, cpus))
    });
    let (quota, cpus) = binding.min_by(|a, b| a.0.total_cmp(&b.0))?;
    Some(format!(
        "its control group has a quota of {quota:.2} CPUs, and it may run on {cpus}: once the quota of a period is used up the \
         kernel stops it until the next one. Its series are long enough to meet several periods, and the mean shows what that costs; \
         the best case lies between two stops"
    ))
}

/// The worst boot's clock against the host's, over all its series.
fn boot_drift(campaign: &Campaign, layer: usize) -> Option<String> {
    if !has_own_clock(campaign, layer) {
        return None;
    }
    let mut by_boot: BTreeMap<usize, Vec<&SeriesRow>> = BTreeMap::new();
    for row in &campaign.series {
        by_boot.entry(row.boot).or_default().push(row);
    }
    let boots = campaign.boots.iter().enumerate().filter(|(_, boot)| boot.layer == layer);
    let worst = boots
        .filter_map(|(at, boot)| {
            let series = by_boot.get(&at)?;
            Some((clock_drift(series.iter().copied(), LATENCY_NS.0)?, boot.block))
        })
        .max_by(|a, b| a.0.abs().total_cmp(&b.0.abs()))?;
    let (percent, block) = worst;
    Some(format!(
        "its clock ran {} compared with the host's in block {}, so its times are too {}",
        fast_or_slow(percent),
        block + 1,
        if percent < 0.0 { "short" } else { "long" }
    ))
}
