//! Files that tare writes where people say: whole, in place where that is meant, never through another's link; and a
//! result that is lost is a failure.

mod common;

use common::{Bench, done, wait_until};
use nix::sys::stat::Mode;
use std::fs::{self, File};
use std::io::Read;
use std::os::unix::fs::{FileTypeExt, MetadataExt, symlink};
use std::process::Stdio;
use tare_store::load;

/// Every verb that writes a file, but for its name.
const WRITERS: &[&str] = &[
    "export c --out",
    "export c --format json --out",
    "report c --out",
    "report c --format text --out",
    "report c --format svg --out",
    "report c c --out",
];

fn bench() -> Bench {
    let bench = Bench::new();
    let layers = "--layers mock --layer name=b,kind=mock";
    bench.ok(&format!("run {layers} --bench lmbench/null_call --blocks 2 --out c"));
    bench
}

#[test]
fn a_link_of_a_guessed_name_is_not_written_through() {
    let bench = bench();
    let victim = bench.write("victim", "mine");
    for name in ["out.part", "c/report.html.part", "c/scoreboard.txt.part"] {
        symlink(&victim, bench.path(name)).unwrap();
    }
    for writer in WRITERS {
        bench.ok(&format!("{writer} out"));
        assert!(fs::symlink_metadata(bench.path("out")).unwrap().is_file(), "{writer}");
        assert!(bench.path("out.part").is_symlink(), "{writer}");
    }
    bench.ok("resume c --blocks 3");
    assert_eq!(fs::read_to_string(&victim).unwrap(), "mine");
    assert_eq!(bench.names(), ["c", "out", "out.part", "victim"], "nothing unfinished is left");
}

#[test]
fn an_own_link_leads_on_and_stays() {
    let bench = bench();
    fs::write(bench.path("real"), "old").unwrap();
    common::set_mode(bench.path("real"), 0o600);
    symlink("real", bench.path("out")).unwrap();
    bench.ok("export c --out out");
    assert!(bench.path("out").is_symlink());
    assert!(fs::read_to_string(bench.path("real")).unwrap().starts_with("block,slot"));
    let mode = fs::metadata(bench.path("real")).unwrap().mode() & 0o777;
    assert_eq!(mode, 0o600, "what was private stays so");
    symlink("loop", bench.path("loop")).unwrap();
    assert!(bench.tare("export c --out loop").err.contains("links"));
}

#[test]
fn a_link_of_another_user_is_refused() {
    if !nix::unistd::geteuid().is_root() {
        return; // nobody else can give a link away
    }
    let bench = bench();
    let victim = bench.write("victim", "mine");
    symlink(&victim, bench.path("out")).unwrap();
    std::os::unix::fs::lchown(bench.path("out"), Some(65534), None).unwrap();
    for writer in WRITERS {
        bench.fails(&format!("{writer} out"), 1, "symbolic link of another user");
    }
    assert_eq!(fs::read_to_string(&victim).unwrap(), "mine");
}

#[test]
fn a_fifo_and_standard_output_are_written_in_place() {
    let bench = bench();
    let fifo = bench.path("fifo");
    nix::unistd::mkfifo(&fifo, Mode::S_IRUSR | Mode::S_IWUSR).unwrap();
    for writer in WRITERS {
        let mut child = bench.start(&format!("{writer} fifo"));
        let mut text = String::new();
        File::open(&fifo).unwrap().read_to_string(&mut text).unwrap();
        assert!(child.wait().unwrap().success(), "{writer}");
        assert!(text.contains("null_call"), "{writer}: {text:.200}");
        assert!(fs::symlink_metadata(&fifo).unwrap().file_type().is_fifo(), "{writer}");
        let through = bench.ok(&format!("{writer} /dev/stdout")).out;
        assert!(through.contains("null_call"), "{writer}: {through:.200}");
    }
}

#[test]
fn a_device_is_written_in_place_and_a_disk_is_not() {
    let bench = bench();
    symlink("/dev/full", bench.path("full")).unwrap();
    symlink("/dev/null", bench.path("null")).unwrap();
    for writer in WRITERS {
        bench.fails(&format!("{writer} full"), 1, "cannot write full");
        bench.ok(&format!("{writer} null"));
        assert!(bench.path("full").is_symlink() && bench.path("null").is_symlink(), "{writer}");
        assert!(bench.tare(&format!("{writer} c")).err.contains("it is a folder"));
    }
    let block = fs::read_dir("/dev").unwrap().flatten().map(|entry| entry.path());
    let mut block = block.filter(|path| {
        fs::symlink_metadata(path).is_ok_and(|found| found.file_type().is_block_device())
    });
    if let Some(disk) = block.next() {
        bench.fails(&format!("export c --out {}", disk.display()), 1, "it is a disk");
    }
}

#[test]
fn a_result_that_is_lost_is_a_failure() {
    let bench = bench();
    bench.write("time.txt", "real 1.00\nuser 0.50\nsys 0.25\n");
    bench.write("metrics.toml", METRICS);
    for line in [
        "--help",
        "run --help",
        "--version",
        "list",
        "list --json",
        "doctor mock",
        "doctor mock --json",
        "show c",
        "show c --format json",
        "report c --format text",
        "report c --format svg",
        "export c",
        "export c --format json",
        "compare c c",
        "compare c c --format json",
        "papers list",
        "papers show 000",
        "explain --from metrics.toml",
        "import --formats",
        "import --auto --layer a time.txt --out i",
        "run --layers mock --bench lmbench/null_call --blocks 1 --out r",
        "resume c --blocks 4",
        "serve c --listen 127.0.0.1:0",
    ] {
        let full = File::options().write(true).open("/dev/full").unwrap();
        let done = done(bench.command(line).stdout(full).output().unwrap());
        assert_eq!(done.code, 1, "tare {line}\n{}", done.err);
        assert!(done.err.contains("cannot write to standard output"), "{line}: {}", done.err);
    }
    assert_eq!(bench.campaign("r").state, "finished", "what was measured is kept");
}

#[test]
fn a_campaign_whose_folder_is_gone_stops() {
    let bench = Bench::new();
    let line = "run --layers mock --bench lmbench/null_call --blocks 1000000 --out c";
    let mut running = bench.start(line);
    // What it prints is not read here, and must not keep it waiting.
    let mut said = running.stderr.take().unwrap();
    let said = std::thread::spawn(move || {
        let mut text = Vec::new();
        said.read_to_end(&mut text).map(|_| String::from_utf8_lossy(&text).into_owned())
    });
    let begun = || load(&bench.path("c")).is_ok_and(|campaign| campaign.boots.len() > 3);
    wait_until("a few boots", begun);
    fs::rename(bench.path("c"), bench.path("elsewhere")).unwrap();
    wait_until("the end", || running.try_wait().unwrap().is_some());
    assert_eq!(running.wait().unwrap().code(), Some(1));
    let said = said.join().unwrap().unwrap();
    let last = said.lines().last().unwrap_or_default();
    assert!(last.contains("c/campaign.db was removed, renamed or replaced"), "{last}");
    assert_eq!(bench.names(), ["elsewhere"], "no second one is begun");
}

const METRICS: &str = "baseline = 'a'
[layer.a]
throughput = 100
cpu_percent = 50
path_length = 1000
cpi = 1
[layer.b]
throughput = 90
cpu_percent = 50
path_length = 1100
cpi = 1
";

#[test]
fn a_reader_may_leave() {
    let bench = bench();
    for line in ["list", "show c", "export c", "export c --format json", "report c --format text"] {
        let (reader, writer) = nix::unistd::pipe().unwrap();
        drop(reader);
        let done = done(bench.command(line).stdout(Stdio::from(writer)).output().unwrap());
        assert_eq!((done.code, done.err.as_str()), (0, ""), "tare {line}");
    }
}

#[test]
fn a_command_is_repeated_word_for_word() {
    let bench = Bench::new();
    let words = ["run", "--layers", "mock", "--bench", "lmbench/null_[c]*", "--blocks", "1"];
    let run = bench.command("").args(words).args(["--out", "a b"]).output().unwrap();
    let text = done(run).out;
    let repeat = "--layers mock --bench 'lmbench/null_[c]*' --blocks 1 --out 'a b'";
    assert!(bench.campaign("a b").plan.command.raw().ends_with(repeat));
    assert!(text.replace("\n  ", " ").contains("'lmbench/null_[c]*'"), "{text}");
}
