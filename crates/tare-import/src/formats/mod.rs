//! The formats, one file each, and their table. The first row that recognises a file reads it, so rows that
//! others' text may contain come last.

pub mod aim;
pub mod dbench;
pub mod fio;
pub mod google_benchmark;
pub mod hackbench;
pub mod hyperfine;
pub mod iperf3;
pub mod kernel_build;
pub mod lmbench;
pub mod lmbench_summary;
pub mod netperf;
pub mod perf_bench;
pub mod perf_stat;
pub mod phoronix;
pub mod stream;
pub mod stress_ng;
pub mod sysbench;
pub mod time;
pub mod unixbench;

use crate::Format;

/// How much of a file is looked at to recognise its format.
const HEAD: usize = 64 * 1024;

/// Every format.
pub const FORMATS: &[&Format] = &[
    &unixbench::FORMAT,
    &stream::FORMAT,
    &lmbench_summary::FORMAT,
    &lmbench::FORMAT,
    &sysbench::FORMAT,
    &hackbench::FORMAT,
    &perf_bench::FORMAT,
    &dbench::FORMAT,
    &netperf::FORMAT,
    &iperf3::FORMAT,
    &fio::FORMAT,
    &stress_ng::FORMAT,
    &hyperfine::FORMAT,
    &google_benchmark::FORMAT,
    &phoronix::FORMAT,
    &aim::FORMAT,
    &perf_stat::FORMAT,
    &kernel_build::FORMAT,
    &time::FORMAT,
];

/// The format called `name`.
pub fn find(name: &str) -> Option<&'static Format> {
    FORMATS.iter().copied().find(|format| format.name == name)
}

/// The first format in the table that `text` looks like.
pub fn recognise(text: &str) -> Option<&'static Format> {
    let mut end = text.len().min(HEAD);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    let head = &text[..end];
    FORMATS.iter().copied().find(|format| (format.sniff)(head))
}

#[cfg(test)]
mod tests {
    use super::FORMATS;

    #[test]
    fn every_file_has_its_row() {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/src/formats");
        let files = std::fs::read_dir(folder).expect("the folder").flatten();
        let stems = files.map(|f| f.path().file_stem().unwrap().to_string_lossy().into_owned());
        let mut stems: Vec<String> =
            stems.filter(|s| s != "mod").map(|s| s.replace('_', "-")).collect();
        let mut names: Vec<&str> = FORMATS.iter().map(|format| format.name).collect();
        stems.sort();
        names.sort_unstable();
        assert_eq!(stems, names);
    }
}
