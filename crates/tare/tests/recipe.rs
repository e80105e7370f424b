//! CONTRIBUTING's recipe for a new benchmark works as it is written: one file and one row.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// The first code block after the line that holds `heading`.
fn block_after(text: &str, heading: &str) -> String {
    let rest =
        &text[text.find(heading).unwrap_or_else(|| panic!("CONTRIBUTING.md lacks '{heading}'"))..];
    let start = rest.find("```rust\n").expect("a code block") + "```rust\n".len();
    rest[start..start + rest[start..].find("```").expect("its end")].to_owned()
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap().flatten() {
        let source = entry.path();
        let target = to.join(entry.file_name());
        if source.is_dir() {
            copy(&source, &target)
        } else {
            fs::copy(source, target).map(drop).unwrap()
        }
    }
}

#[test]
fn a_new_benchmark_is_one_file_and_one_row() {
    let recipe = fs::read_to_string(root().join("CONTRIBUTING.md")).unwrap();
    let file = block_after(&recipe, "crates/tare-probe/src/benches/kernel/getuid.rs");
    let row = block_after(&recipe, "crates/tare-probe/src/benches/mod.rs");

    let tree = tempfile::tempdir().unwrap();
    for name in ["crates/tare-probe", "crates/tare-proto"] {
        copy(&root().join(name), &tree.path().join(name));
    }
    let manifest = fs::read_to_string(root().join("Cargo.toml")).unwrap();
    fs::write(
        tree.path().join("Cargo.toml"),
        manifest.replace(", \"xtask\"", "").replace("default-members = [\"crates/tare\"]", ""),
    )
    .unwrap();
    fs::copy(root().join("Cargo.lock"), tree.path().join("Cargo.lock")).unwrap();
    let benches = tree.path().join("crates/tare-probe/src/benches");
    fs::write(benches.join("kernel/getuid.rs"), file).unwrap();
    let family = benches.join("kernel/mod.rs");
    let text = fs::read_to_string(&family).unwrap();
    fs::write(&family, format!("{text}\npub mod getuid;\n")).unwrap();
    let table = benches.join("mod.rs");
    let text = fs::read_to_string(&table).unwrap();
    let all = text.find("pub const ALL").expect("the table");
    let end = all + text[all..].find("\n];").expect("the table's end") + 1;
    fs::write(&table, [&text[..end], &row, &text[end..]].concat()).unwrap();

    let target = Path::new(env!("CARGO_TARGET_TMPDIR")).join("recipe");
    let built = Command::new(env!("CARGO"))
        .args(["build", "--quiet", "--package", "tare-probe", "--target-dir"])
        .arg(&target)
        .current_dir(tree.path())
        .output()
        .unwrap();
    assert!(built.status.success(), "{}", String::from_utf8_lossy(&built.stderr));
    let probe = |args: &[&str]| {
        let output = Command::new(target.join("debug/tare-probe")).args(args).output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap()
    };
    assert!(probe(&["list"]).contains("kernel/getuid"));
    assert!(probe(&["run", "kernel/getuid"]).contains("ns"));
}
