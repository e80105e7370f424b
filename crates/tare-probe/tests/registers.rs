//! A User-Mode Linux before 6.14 on a processor with AMX keeps no more of a process' registers than SSE has (`tare-layers`,
//! `registers.rs`). The C library inside is told so; a crate that asks the processor itself would find AVX, and compute wrongly
//! whenever the process is interrupted: checksums of the line to tare were wrong in one of ten boots.

use std::process::Command;

/// Crates of the probe that ask at run time, unless they are built without their standard library.
const ASKING: [&str; 2] = ["crc32fast", "memchr"];

/// Crates of TLS that ask for instructions of their own, whose registers are those of SSE: AES, PCLMULQDQ, and SHA for SHA-256, the only
/// hash of its cipher suite (for SHA-512, sha2 asks for AVX2).
const WITHIN_SSE: [&str; 3] = ["aes", "polyval", "sha2"];

fn tree(words: &[&str]) -> String {
    let mut cargo = Command::new(env!("CARGO"));
    cargo.args(["tree", "--offline", "--package", "tare-probe", "--prefix", "none"]).args(words);
    let output = cargo.current_dir(env!("CARGO_MANIFEST_DIR")).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

#[test]
fn nothing_in_the_probe_looks_for_avx_at_run_time() {
    let tree = tree(&["--edges", "normal,features"]);
    for asking in ASKING {
        assert!(tree.contains(asking), "the probe has no {asking} any more: drop it here");
        assert!(!tree.contains(&format!("{asking} feature \"std\"")), "{asking} of:\n{tree}");
    }
}

#[test]
fn cryptography_asks_for_instructions_within_the_registers_of_sse() {
    let asking = tree(&["--edges", "normal", "--invert", "cpufeatures", "--depth", "1"]);
    let names = asking.lines().skip(1).filter_map(|line| line.split(' ').next());
    let other: Vec<&str> = names.filter(|name| !WITHIN_SSE.contains(name)).collect();
    assert!(other.is_empty(), "{other:?} in:\n{asking}");
}
