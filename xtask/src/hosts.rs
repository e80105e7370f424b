//! What `tare merge` costs with many hosts: `cargo xtask hosts [--hosts N]` makes campaigns of scripted layers, 26 rows, five
//! layers and 20 blocks each, and merges a quarter, half and all of them.

use crate::release::{self, tare};
use crate::shell::{self, cargo, run};
use anyhow::{Context, Result, bail};
use std::fs;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

const HOSTS: usize = 1000;

/// What each host has measured.
const LAYERS: usize = 5;
const BLOCKS: &str = "20";
const ROWS: usize = 26;

/// Makes the campaigns, merges them and prints a table.
pub fn hosts(args: &[String]) -> Result<()> {
    let hosts = match args {
        [] => HOSTS,
        [flag, n] if flag == "--hosts" => n.parse()?,
        _ => bail!("cargo xtask hosts [--hosts N]"),
    };
    let folder = release::build_with_folder("hosts")?;
    template(&folder)?;
    let all = folder.join("all").display().to_string();
    let count = hosts.to_string();
    let made = ["run", "--release", "--package", "tare-store", "--example", "hosts", "--"];
    let template = folder.join("template").display().to_string();
    cargo(&[&made[..], &[template.as_str(), &all, &count]].concat(), &[])?;
    println!("| hosts | time | memory | merged.json | report.html |\n|--:|--:|--:|--:|--:|");
    for part in [hosts / 4, hosts / 2, hosts] {
        merge(&folder, part)?;
    }
    fs::remove_dir_all(&folder).context("cannot remove the generated campaigns")
}

fn template(folder: &Path) -> Result<()> {
    let out = folder.join("template").display().to_string();
    let mut words = ["run", "--baseline", "native", "--blocks", BLOCKS, "--short", "--out", &out]
        .map(str::to_owned)
        .to_vec();
    for layer in 0..LAYERS {
        let name = if layer == 0 { "native".into() } else { format!("layer{layer}") };
        words.extend([
            "--layer".into(),
            format!("name={name},kind=mock,value={}", 100 * (layer + 1)),
        ]);
    }
    let listed = shell::output(Command::new(tare()).args(["list", "--json"]))?;
    let listed: serde_json::Value =
        serde_json::from_slice(&listed.stdout).context("tare list --json")?;
    let benches = listed["benchmarks"].as_array().context("no benchmarks in tare list")?;
    let plain = benches
        .iter()
        .filter(|bench| bench["suite"] == "vmi")
        .filter_map(|bench| bench["name"].as_str());
    for name in plain.take(ROWS) {
        words.extend(["--bench".into(), name.to_owned()]);
    }
    run(&tare().display().to_string(), &words, &[])
}

/// Merges the first `hosts` of them, and prints what that took.
fn merge(folder: &Path, hosts: usize) -> Result<()> {
    let mut command = Command::new(tare());
    command.args(["merge", "--short", "--out", "merged"]).current_dir(folder);
    command.args((0..hosts).map(|host| format!("all/host{host:05}")));
    let begin = Instant::now();
    let mut child = command.stdout(Stdio::null()).spawn().context("cannot start tare")?;
    let memory = highest_memory(&mut child)?;
    let seconds = begin.elapsed().as_secs_f64();
    let size = |name: &str| {
        fs::metadata(folder.join("merged").join(name)).map(|file| file.len() as f64 / 1e6)
    };
    let merged = size("merged.json")?;
    let page = size("report.html")?;
    println!("| {hosts} | {seconds:.1} s | {memory} MiB | {merged:.1} MB | {page:.1} MB |");
    Ok(())
}

/// Waits for its end; the most memory that it ever held, in MiB.
fn highest_memory(child: &mut Child) -> Result<u64> {
    let status = format!("/proc/{}/status", child.id());
    let mut most = 0;
    loop {
        let text = fs::read_to_string(&status).unwrap_or_default();
        let peak = text.lines().find_map(|line| line.strip_prefix("VmHWM:"));
        let kib = peak.and_then(|peak| peak.trim().trim_end_matches(" kB").parse::<u64>().ok());
        most = most.max(kib.unwrap_or(0));
        match child.try_wait()? {
            Some(status) if status.success() => return Ok(most.div_ceil(1024)),
            Some(status) => bail!("tare merge failed ({status})"),
            None => sleep(Duration::from_millis(10)),
        }
    }
}
