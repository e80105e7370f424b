//! The files of a release, whatever they are packed into.

use crate::run::{program, said};
use crate::{Release, licences, parts, sbom};
use anyhow::{Context, Result};
use std::fs;
use std::path::Path;
use std::process::Command;

/// A file's name and its bytes.
pub type File = (String, Vec<u8>);

/// The files of a release.
pub struct Contents {
    /// The command.
    pub binary: Vec<u8>,
    /// The manual's pages.
    pub manual: Vec<File>,
    /// Completions, by shell.
    pub completions: Vec<File>,
    /// README, change log, the documentation, tare's own licences.
    pub papers: Vec<File>,
    /// The licences of what others have written.
    pub licences: String,
    /// The bill of materials.
    pub sbom: String,
}

impl Contents {
    /// Gathers the files; the binary itself writes its manual and its completions.
    pub fn of(release: &Release) -> Result<Contents> {
        let parts = parts::all(&release.root, release.is_static)?;
        let read = |path: &Path| fs::read(path).with_context(|| path.display().to_string());
        let paper = |name: &str| Ok((name.to_owned(), read(&release.root.join(name))?));
        let papers = ["README.md", "CHANGELOG.md", "LICENSE-MIT", "LICENSE-APACHE"];
        let generated = |shell: &str| -> Result<File> {
            let text = said(Command::new(&release.binary).args(["generate", shell]))?;
            Ok((shell.to_owned(), format!("{text}\n").into_bytes()))
        };
        Ok(Contents {
            binary: read(&release.binary)?,
            manual: manual(&release.binary)?,
            completions: ["bash", "zsh", "fish"]
                .map(generated)
                .into_iter()
                .collect::<Result<_>>()?,
            papers: papers
                .into_iter()
                .map(str::to_owned)
                .chain(manual_pages(&release.root)?)
                .map(|name| paper(&name))
                .collect::<Result<_>>()?,
            licences: licences::text(&parts)?,
            sbom: sbom::text(release, &parts),
        })
    }
}

/// The pages of the documentation, and the picture that the README shows.
fn manual_pages(root: &Path) -> Result<Vec<String>> {
    let mut names = vec!["docs/figures/layers.svg".to_owned()];
    for folder in ["docs", "docs/lab"] {
        for entry in fs::read_dir(root.join(folder)).with_context(|| folder.to_owned())? {
            let name = entry?.file_name().to_string_lossy().into_owned();
            names.extend(name.ends_with(".md").then(|| format!("{folder}/{name}")));
        }
    }
    names.sort();
    Ok(names)
}

fn manual(binary: &Path) -> Result<Vec<File>> {
    let folder = tempfile::tempdir()?;
    program(Command::new(binary).args(["generate", "man", "--out"]).arg(folder.path()))?;
    let mut pages = Vec::new();
    for entry in fs::read_dir(folder.path())? {
        let entry = entry?;
        pages.push((entry.file_name().to_string_lossy().into_owned(), fs::read(entry.path())?));
    }
    pages.sort();
    Ok(pages)
}

/// Writes `bytes` to `path`, whose folders are made; `mode` is what everybody may do with it.
pub fn put(path: &Path, bytes: &[u8], mode: u32) -> Result<()> {
    use std::os::unix::fs::PermissionsExt;
    let written = || -> Result<()> {
        fs::create_dir_all(path.parent().unwrap_or(Path::new("/")))?;
        fs::write(path, bytes)?;
        Ok(fs::set_permissions(path, fs::Permissions::from_mode(mode))?)
    };
    written().with_context(|| format!("cannot write {}", path.display()))
}
