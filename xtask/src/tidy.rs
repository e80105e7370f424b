//! What the compiler does not check: every file says what it is for, the map names every crate,
//! nothing is left half done.

use crate::shell::root;
use anyhow::{Result, bail};
use std::fs;
use std::path::{Path, PathBuf};

/// Checks the whole tree and lists everything that is wrong.
pub fn tidy() -> Result<()> {
    let mut wrong = Vec::new();
    for path in rust_files(root()) {
        let text = fs::read_to_string(&path)?;
        let name = path.strip_prefix(root()).unwrap_or(&path).display();
        if !text.starts_with("//!") {
            wrong.push(format!("{name}: does not open with a //! line that says what it is for"));
        }
        // Split so that this file does not find itself.
        for mark in [
            concat!("TO", "DO"),
            concat!("FIX", "ME"),
            concat!("todo", "!("),
            concat!("#[ign", "ore"),
        ] {
            if text.contains(mark) {
                wrong.push(format!("{name}: {mark} left in it"));
            }
        }
    }
    let map = fs::read_to_string(root().join("ARCHITECTURE.md"))?;
    for entry in fs::read_dir(root().join("crates"))? {
        let name = entry?.file_name().to_string_lossy().into_owned();
        if !map.contains(&format!("`{name}`")) {
            wrong.push(format!("ARCHITECTURE.md: does not name the crate `{name}`"));
        }
    }
    if !wrong.is_empty() {
        bail!("{}", wrong.join("\n"));
    }
    Ok(())
}

/// Every Rust file below `folder`, without what is built.
fn rust_files(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        let name = entry.file_name();
        if path.is_dir() && name != "target" && !name.to_string_lossy().starts_with('.') {
            found.extend(rust_files(&path));
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            found.push(path);
        }
    }
    found
}
