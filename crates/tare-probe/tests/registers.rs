//! A User-Mode Linux before 6.14 on a processor with AMX keeps no more of a process' registers than SSE has (`tare-layers`,
//! `registers.rs`). The C library inside is told so; a crate that asks the processor itself would find AVX, and compute wrongly
//! whenever the process is interrupted: checksums of the line to tare were wrong in one of ten boots.

use std::process::Command;

/// Crates of the probe that ask at run time, unless they are built without their standard library.
const ASKING: [&str; 2] = ["crc32fast", "memchr"];

#[test]
fn nothing_in_the_probe_looks_for_avx_at_run_time() {
    let mut cargo = Command::new(env!("CARGO"));
    cargo.args(["tree", "--offline", "--package", "tare-probe", "--edges", "normal,features"]);
    cargo.args(["--prefix", "none"]).current_dir(env!("CARGO_MANIFEST_DIR"));
    let output = cargo.output().unwrap();
    let tree = String::from_utf8(output.stdout).unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    for asking in ASKING {
        assert!(tree.contains(asking), "the probe has no {asking} any more: drop it here");
        assert!(!tree.contains(&format!("{asking} feature \"std\"")), "{asking} of:\n{tree}");
    }
}
