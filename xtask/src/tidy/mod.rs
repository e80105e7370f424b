//! Checks what the compiler does not: every file says what it is for, crates and modules depend on each other as
//! ARCHITECTURE.md says and never in a circle, nothing is too long, nothing is left unfinished, and the pages' links and commands hold.

mod arrows;
mod circles;
mod pages;
mod sizes;
mod tree;

use crate::shell::root;
use anyhow::{Context, Result, bail};
use std::fs;
use std::path::{Path, PathBuf};

struct Source {
    path: PathBuf,
    text: String,
    file: syn::File,
}

/// Checks the whole tree and lists everything that is wrong.
pub fn tidy() -> Result<()> {
    let sources = sources(root())?;
    let map = fs::read_to_string(root().join("ARCHITECTURE.md"))?;
    let mut wrong = Vec::new();
    for source in &sources {
        let name = source.path.display();
        if !source.text.starts_with("//!") {
            wrong.push(format!("{name}: does not open with a //! line that says what it is for"));
        }
        // Split so that this file does not find itself.
        for mark in [
            concat!("TO", "DO"),
            concat!("FIX", "ME"),
            concat!("todo", "!("),
            concat!("#[ign", "ore"),
        ] {
            if source.text.contains(mark) {
                wrong.push(format!("{name}: {mark} left in it"));
            }
        }
        let script = source.path.ends_with("build.rs");
        if !script && root().join(source.path.with_extension("")).is_dir() {
            wrong.push(format!("{name}: a module with a folder is the folder's mod.rs"));
        }
    }
    wrong.extend(arrows::wrong(root(), &map)?);
    wrong.extend(circles::wrong(&sources));
    wrong.extend(sizes::wrong(&sources));
    wrong.extend(pages::wrong(root())?);
    if !wrong.is_empty() {
        bail!("{}", wrong.join("\n"));
    }
    Ok(())
}

fn sources(folder: &Path) -> Result<Vec<Source>> {
    let mut paths = rust_files(folder);
    paths.sort();
    let read = |path: PathBuf| {
        let text = fs::read_to_string(&path)?;
        let path = path.strip_prefix(folder).unwrap_or(&path).to_owned();
        let file = syn::parse_file(&text).with_context(|| path.display().to_string())?;
        Ok(Source { path, text, file })
    };
    paths.into_iter().map(read).collect()
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

/// Sources for the tests of the checks.
#[cfg(test)]
fn written(files: &[(&str, &str)]) -> Vec<Source> {
    let source = |(path, text): &(&str, &str)| Source {
        path: path.into(),
        text: (*text).to_owned(),
        file: syn::parse_file(text).expect("the test's text is Rust"),
    };
    files.iter().map(source).collect()
}
