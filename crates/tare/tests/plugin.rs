//! The plugin in QEMU: a guest whose only program is hand-written, so that every count is known, and
//! what QEMU says when the plugin refuses. One boot, about ten seconds.

mod plugin_program;

use plugin_program::{DATA, Program, mark, number};
use serde_json::Value;
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use tare_layers::{BootSpec, Host, Launch, Plugin, Settings, configure};
use tare_proto::Machine;

const LOOPS: u32 = 1_000_000;
const LOADS: u32 = 100;
const STORES: u32 = 50;
const CALLS: u32 = 500;
const FAULTS: u32 = 8;

const PLUGIN: &str = env!("TARE_PLUGIN_FILE");

#[test]
fn counts_are_those_of_a_program_counted_by_hand() {
    let folder = tempfile::tempdir().unwrap();
    let result = boot(folder.path(), &counted_by_hand());
    let mut lines = result.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    let head = lines.next().expect("a first line");
    assert_eq!((&head["tare_plugin"], &head["regions"]), (&1.into(), &2.into()), "{head}");
    assert_eq!(head["misplaced"], false, "{head}");
    let region = lines.next().expect("a region");
    let told_after = lines.next().expect("another");
    assert_eq!(
        (&told_after["id"], &told_after["ops"], &told_after["counts"]["probe/instructions"]),
        (&8.into(), &10.into(), &LOADS.into()),
        "{told_after}"
    );
    assert_eq!(
        (&region["id"], &region["ops"], &region["per"]),
        (&7.into(), &1000.into(), &1.0.into())
    );
    let count = |name: &str| region["counts"][name].as_u64().unwrap_or(0);
    // A store that faults is tried twice, and counted so; it stores once.
    let instructions =
        (1 + 2 * LOOPS) + LOADS + STORES + (1 + 4 * CALLS) + (2 + 4 * FAULTS + FAULTS);
    assert_eq!(count("probe/instructions"), u64::from(instructions), "{region}");
    assert_eq!(count("probe/accesses"), u64::from(LOADS + STORES + FAULTS), "{region}");
    assert_eq!(count("probe/syscalls"), u64::from(CALLS), "{region}");
    assert_eq!(count("kernel/page_faults"), u64::from(FAULTS), "{region}");
    // A system call is some hundred instructions of the kernel; nothing else ran.
    assert!(count("kernel/instructions") > u64::from(CALLS) * 50, "{region}");
    assert_eq!(count("user/instructions") + count("hypervisor/instructions"), 0, "{region}");
    // A page that was never touched is in no TLB: each walk is one of the eight pages, or a flush's.
    assert!(count("model/probe/dtlb_walks") >= u64::from(FAULTS), "{region}");
}

/// Marks around a loop of two instructions, loads, stores, system calls and first touches of pages.
fn counted_by_hand() -> Vec<u8> {
    let mut program = Program::default();
    let data = DATA as u32;
    program.code(&mark(0x0300));
    touch(&mut program, data + 0x10_0000, 16);
    program.code(&mark(0x0301));
    program.code(&number(1.0f64.to_bits(), 0x0101)).code(&number(7, 0x0100));
    program.code(&number(0, 0x0102)).code(&number(1000, 0x0103));
    program.store(data).code(&mark(0x0200));
    program.set_ecx(LOOPS).code(&[0xff, 0xc9, 0x75, 0xfc]); // dec %ecx; jnz to it
    for _ in 0..LOADS {
        program.load(data);
    }
    for _ in 0..STORES {
        program.store(data);
    }
    program.code(&[0xbb]).code(&CALLS.to_le_bytes()); // mov $CALLS, %ebx
    // mov $getppid, %eax; syscall; dec %ebx; jnz
    program.code(&[0xb8, 110, 0, 0, 0, 0x0f, 0x05, 0xff, 0xcb, 0x75, 0xf5]);
    touch(&mut program, data + 0x20_0000, FAULTS);
    program.code(&mark(0x0201));
    // A batch whose operations are told after it.
    program.code(&number(8, 0x0100)).code(&number(0, 0x0103)).code(&mark(0x0200));
    for _ in 0..LOADS {
        program.load(data);
    }
    program.code(&mark(0x0201)).code(&number(10, 0x0104)).code(&number(0, 0x0100));
    program.power_off().elf()
}

/// First writes to `pages` pages from `from` on: two instructions, then four a page.
fn touch(program: &mut Program, from: u32, pages: u32) {
    program.code(&[0xb8]).code(&from.to_le_bytes()).set_ecx(pages);
    // movb $1, (%rax); add $4096, %rax; dec %ecx; jnz
    program.code(&[0xc6, 0x00, 0x01, 0x48, 0x05, 0x00, 0x10, 0, 0, 0xff, 0xc9, 0x75, 0xf3]);
}

/// What the plugin writes when a guest boots `init` and powers off.
fn boot(folder: &Path, init: &[u8]) -> String {
    let probe = folder.join("init");
    std::fs::write(&probe, init).unwrap();
    let cache = user_cache();
    let (_, _, layer) =
        configure(Machine::Real, &Settings::parse("qemu,cpu=qemu64,machine=pc").unwrap()).unwrap();
    let plugin = Some(Plugin { file: PLUGIN.into(), model: true });
    let host = Host { plugin, ..Host::new(probe, cache) };
    layer.check(&host).unwrap();
    // A campaign's folder may be called anything: here with a comma, and not in UTF-8.
    let logs = folder.join(OsStr::from_bytes(b"a, b\xe9"));
    std::fs::create_dir(&logs).unwrap();
    let out = logs.join("1.counts");
    let boot = BootSpec {
        folder,
        id: "tare-plugin-test",
        number: 0,
        counts: Some(&out),
        script: &[],
        cpus: &[],
        perturbation: 0,
        saved: &tare_layers::Saved::Never,
    };
    let Launch::Program(program) = layer.launch(&host, &boot).unwrap() else {
        panic!("no program")
    };
    let mut qemu = Command::new("timeout");
    qemu.arg("120").arg(&program.program).args(&program.args).current_dir(folder);
    let ended = qemu.output().unwrap();
    let said = String::from_utf8_lossy(&ended.stderr);
    assert!(ended.status.success(), "{said}");
    std::fs::read_to_string(&out).unwrap_or_else(|e| panic!("no counts: {e}; {said}"))
}

/// Where kernels are kept between runs of the tests, as tare keeps them.
fn user_cache() -> PathBuf {
    let home = std::env::var_os("XDG_CACHE_HOME").map(PathBuf::from);
    let home = home.or_else(|| Some(PathBuf::from(std::env::var_os("HOME")?).join(".cache")));
    home.unwrap_or_else(std::env::temp_dir).join("tare")
}

/// QEMU with a machine that never starts, and the plugin with `args`.
fn refused(more: &[&str], args: &str) -> Output {
    let mut qemu = Command::new("timeout");
    qemu.args(["20", "qemu-system-x86_64", "-display", "none", "-nodefaults", "-S"]).args(more);
    qemu.arg("-plugin").arg(format!("{PLUGIN}{args}"));
    qemu.output().unwrap()
}

#[test]
fn what_cannot_be_counted_is_refused_with_the_reason() {
    let rows: &[(&[&str], &str, &str)] = &[
        (&["-M", "q35", "-smp", "2"], ",out=/dev/null", "one virtual CPU, and this has 2"),
        (&["-M", "q35"], "", "out=FILE is missing"),
        (&["-M", "q35"], ",out=/nowhere/at/all", "cannot write /nowhere/at/all"),
        (&["-M", "q35"], ",out=/dev/null,l1d=7", "l1d=7"),
        (&["-M", "q35"], ",out=/dev/null,modle=on", "no argument 'modle'"),
        (&["-M", "q35"], ",out=/dev/null,model=maybe", "on or off"),
    ];
    for (more, args, wanted) in rows {
        let ended = refused(more, args);
        let said = String::from_utf8_lossy(&ended.stderr);
        assert!(!ended.status.success() && said.contains(wanted), "{args}: {said}");
    }
}
