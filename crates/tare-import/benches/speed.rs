//! How fast files are read: `cargo bench -p tare-import`. A line a format, in MB/s of CPU time
//! of one thread; the goal is 100 MB/s for
//! line formats. Then 10⁴ result files, from the disk into a campaign; the goal is 10 s.

use nix::time::{ClockId, clock_gettime};
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Instant;
use tare_import::{Import, Origin, parse, recognise};

/// Every file is repeated until it has this many bytes.
const BYTES: usize = 16 << 20;

/// Files that are imported into one campaign.
const FILES: usize = 10_000;

fn main() {
    let data = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data");
    let mut files: Vec<PathBuf> =
        fs::read_dir(&data).expect("the samples").flatten().map(|entry| entry.path()).collect();
    files.sort();
    println!("{:28} {:18} {:>8} {:>12}", "file", "format", "MB/s", "figures/s");
    for file in files.iter().filter(|file| repeats(file)) {
        throughput(file);
    }
    many(&data.join("unixbench-hv.txt"));
}

/// Whether a file twice is still a file of its format: XML and some JSON are not.
fn repeats(file: &Path) -> bool {
    file.extension().is_none_or(|ending| ending != "xml")
}

fn throughput(file: &Path) {
    let one = fs::read_to_string(file).expect("a sample");
    let text = one.repeat(BYTES.div_ceil(one.len()));
    let format = recognise(&one).expect("its format");
    let stem = file.file_stem().unwrap_or_default().to_string_lossy();
    let mut best = f64::INFINITY;
    let mut figures = 0;
    for _ in 0..3 {
        let start = cpu_seconds();
        figures = parse(format, &text, &stem, "layer").expect("the file repeated").figures.len();
        best = best.min(cpu_seconds() - start);
    }
    let rate = text.len() as f64 / 1e6 / best;
    let count = figures as f64 / best;
    println!("{stem:28} {:18} {rate:8.0} {count:12.2e}", format.name);
}

/// What this thread has used: other programs on the machine do not count.
fn cpu_seconds() -> f64 {
    let now = clock_gettime(ClockId::CLOCK_THREAD_CPUTIME_ID).expect("a clock");
    now.tv_sec() as f64 + now.tv_nsec() as f64 * 1e-9
}

/// `FILES` files of their own, read, recognised, parsed and stored.
fn many(sample: &Path) {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let text = fs::read_to_string(sample).expect("a sample");
    for n in 0..FILES {
        fs::write(folder.path().join(format!("{n}.txt")), &text).expect("a file");
    }
    let start = Instant::now();
    let mut import = Import::default();
    for n in 0..FILES {
        let bytes = fs::read(folder.path().join(format!("{n}.txt"))).expect("a file");
        let text = String::from_utf8_lossy(&bytes);
        let format = recognise(&text).expect("its format");
        let parsed = parse(format, &text, "n", "layer").expect("UnixBench");
        import.add(if n % 2 == 0 { "a" } else { "b" }, format.name, parsed);
    }
    let read = start.elapsed().as_secs_f64();
    let origin = Origin { baseline: "a".into(), margin: 0.02, ..Origin::default() };
    import.store(&folder.path().join("c"), &origin).expect("a campaign");
    let all = start.elapsed().as_secs_f64();
    println!(
        "{FILES} UnixBench files of {} bytes: read in {read:.2} s, stored after {all:.2} s",
        text.len()
    );
}
