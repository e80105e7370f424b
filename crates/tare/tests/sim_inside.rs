//! Layers inside the simulated machine: a system call costs several times more in each, the counts say where, and what
//! fails in there is told.

mod common;

use common::{Bench, count, instructions, mean, series};
use std::io::Write;
use std::process::Command;
use tare_layers::{BootSpec, Host, Launch, Settings, configure};
use tare_proto::{FromProbe, INNER, Inner, Machine, decode};

const BENCH: &str = "lmbench/null_call";

/// Two boots of each layer (one to try it, one that counts) and a third of the baseline: some two minutes.
#[test]
fn a_system_call_costs_more_inside_and_the_counts_say_where() {
    let bench = Bench::new();
    bench.ok(&format!(
        "run --machine sim --layers native,uml,runsc --bench {BENCH} --blocks 1 --seed 1 --count --require --out c"
    ));
    let campaign = bench.campaign("c");
    let of = |layer| series(&campaign, layer, BENCH);
    let user = |layer| count(of(layer), "user/instructions");
    let kernel = |layer| count(of(layer), "kernel/instructions");
    let bare = mean(of("native"));
    for layer in ["uml", "runsc"] {
        let inside = mean(of(layer));
        assert!(inside > 10.0 * bare, "{layer}: {inside}, bare {bare}");
        // What it adds is its own kernel, a program, and what the machine's kernel does for that.
        assert!(user(layer) > 100.0, "{layer}: {}", user(layer));
        assert!(kernel(layer) > 5.0 * kernel("native"), "{layer}: {}", kernel(layer));
        // More than its own call: the layer's calls to the machine's kernel.
        assert!(count(of(layer), "user/syscalls") > 1.0, "{layer}");
        let sum = instructions(of(layer));
        assert!((sum / inside - 1.0).abs() < 0.01, "{layer}: {sum} of {inside}");
    }
    assert_eq!(user("native"), 0.0, "nothing but the probe runs there");
}

#[test]
fn what_fails_inside_is_told_with_a_remedy() {
    let bench = Bench::new();
    let done = bench.tare("doctor --machine sim runsc,platform=none");
    assert_eq!(done.code, 4, "{}", done.out);
    assert!(done.out.contains("/usr/bin/runsc"), "{}", done.out);
    assert!(done.out.contains("exit status: 128"), "{}", done.out);
    assert!(done.out.contains("remedy: use a platform that this runsc has"), "{}", done.out);
}

/// One boot of the bare machine; the second of its archives says what to start.
#[test]
fn a_step_that_fails_is_named_and_ends_the_machine() {
    let folder = tempfile::tempdir().unwrap();
    let (_, _, layer) =
        configure(Machine::Sim, &Settings::parse("native").unwrap()).expect("a layer");
    let host = Host::new(env!("TARE_PROBE_FILE").into(), common::cache());
    layer.check(&host).unwrap();
    let id = "tare-step";
    let number = 0;
    let counts = None;
    let script = &[][..];
    let perturbation = 0;
    let boot = BootSpec {
        folder: folder.path(),
        id,
        number,
        counts,
        script,
        cpus: &[],
        perturbation,
        saved: &tare_layers::Saved::Never,
    };
    let Launch::Program(program) = layer.launch(&host, &boot).unwrap() else {
        panic!("no program")
    };
    let words = |line: &str| line.split(' ').map(str::to_owned).collect::<Vec<_>>();
    let steps = vec![words("/init list"), words("/init nonsense")];
    let inner = Inner { steps, program: words("/init overhead"), ..Inner::default() };
    let initramfs = std::fs::OpenOptions::new().append(true).open(folder.path().join("initramfs"));
    let text = serde_json::to_vec(&inner).unwrap();
    initramfs.unwrap().write_all(&archive(INNER, &text)).unwrap();
    let mut qemu = Command::new("timeout");
    qemu.arg("300").arg(&program.program).args(&program.args).current_dir(folder.path());
    let ended = qemu.output().unwrap();
    let said = ended.stdout;
    let console = String::from_utf8_lossy(&ended.stderr).into_owned();
    assert!(ended.status.success(), "{console}");
    let said: Vec<FromProbe> =
        String::from_utf8_lossy(&said).lines().map(|line| decode(line).unwrap()).collect();
    let message = "/init nonsense: exit status: 2".to_owned();
    assert_eq!(said, [FromProbe::Panic { message }], "{console}");
    assert!(console.contains("lmbench/null_call"), "the first step's output: {console}");
}

/// An archive that holds one file, as the kernel's documentation describes it (`newc`).
fn archive(name: &str, content: &[u8]) -> Vec<u8> {
    let mut bytes = Vec::new();
    for (name, content) in [(name, content), ("TRAILER!!!", &[])] {
        let mode = 0o100_644;
        let length = content.len();
        let named = name.len() + 1;
        let fields = [0, mode, 0, 0, 1, 0, length, 0, 0, 0, 0, named, 0];
        let header: String = fields.iter().map(|field| format!("{field:08x}")).collect();
        bytes.extend(format!("070701{header}{name}\0").bytes());
        bytes.resize(bytes.len().next_multiple_of(4), 0);
        bytes.extend(content);
        bytes.resize(bytes.len().next_multiple_of(4), 0);
    }
    bytes
}

#[test]
fn a_package_that_cannot_be_had_is_named() {
    let bench = Bench::new();
    let offline = bench.script("apt-get", "echo 'E: Temporary failure' >&2\nexit 100\n");
    let folder = offline.parent().unwrap().display();
    let path = format!("{folder}:{}", std::env::var("PATH").unwrap());
    for (layer, package) in [("uml", "libc6"), ("runsc", "runsc")] {
        let line = format!("doctor --machine sim {layer},kernel={}", env!("CARGO_BIN_EXE_tare"));
        let mut command = bench.command(&line);
        command.env("PATH", &path).env("TARE_CACHE", bench.path("empty"));
        let done = common::done(command.output().expect("tare starts"));
        assert_eq!(done.code, 4, "{}", done.out);
        let told = format!("the package {package} is not available: apt-get: E: Temporary failure");
        assert!(done.out.replace("\n", " ").contains(&told), "{}", done.out);
        assert!(done.out.contains("as root: apt-get update"), "{}", done.out);
    }
}
