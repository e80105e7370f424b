//! What a release is made of: the crates that are linked into its programs, and what comes with the tool chain.

use crate::run::said;
use anyhow::{Context, Result};
use cargo_metadata::{CargoOpt, DependencyKind, Metadata, MetadataCommand, PackageId, TargetKind};
use std::collections::{BTreeMap, BTreeSet};
use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The command and the programs that it carries.
const PROGRAMS: [&str; 4] = ["tare", "tare-probe", "tare-vmm", "tare-plugin"];

#[derive(Debug, Clone)]
pub struct Part {
    pub name: String,
    pub version: String,
    /// The SPDX expression of its licence.
    pub licence: String,
    pub origin: Origin,
    /// SHA-256 of the archive that it was built from, where the lock file has it.
    pub checksum: Option<String>,
    /// The names and versions of what it needs.
    pub needs: Vec<(String, String)>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Origin {
    /// This repository.
    Own,
    /// A crate, whose sources are in this folder.
    Crate(PathBuf),
    /// The tool chain that builds it; the sentence says how it gets into the release.
    ToolChain(&'static str),
}

/// Every part of a release for this architecture, sorted by name.
pub fn all(root: &Path, is_static: bool) -> Result<Vec<Part>> {
    let metadata = metadata(root)?;
    let checksums = checksums(root)?;
    let nodes = &metadata.resolve.as_ref().context("cargo metadata has no graph")?.nodes;
    let graph: BTreeMap<&PackageId, Vec<&PackageId>> =
        nodes.iter().map(|node| (&node.id, linked(node))).collect();
    let mut open: Vec<&PackageId> = metadata
        .workspace_packages()
        .into_iter()
        .filter(|package| PROGRAMS.contains(&package.name.as_str()))
        .map(|package| &package.id)
        .collect();
    let mut found = BTreeSet::new();
    while let Some(id) = open.pop() {
        // What a procedural macro needs runs in the compiler and is not in the program.
        if !is_macro(&metadata, id) && found.insert(id) {
            open.extend(graph.get(id).into_iter().flatten());
        }
    }
    let part = |id: &&PackageId| part(&metadata, id, &graph, &found, &checksums);
    let mut parts: Vec<Part> = found.iter().map(part).collect();
    parts.extend(tool_chain(is_static)?);
    parts.sort_by(|a, b| (&a.name, &a.version).cmp(&(&b.name, &b.version)));
    Ok(parts)
}

fn metadata(root: &Path) -> Result<Metadata> {
    let platform = format!("{}-unknown-linux-gnu", env::consts::ARCH);
    let mut command = MetadataCommand::new();
    command.manifest_path(root.join("Cargo.toml")).features(CargoOpt::SomeFeatures(vec![]));
    command.other_options(vec!["--locked".into(), "--filter-platform".into(), platform]);
    command.exec().context("cargo metadata")
}

/// What is linked into whatever needs this crate.
fn linked(node: &cargo_metadata::Node) -> Vec<&PackageId> {
    let normal = |dep: &&cargo_metadata::NodeDep| {
        dep.dep_kinds.iter().any(|kind| kind.kind == DependencyKind::Normal)
    };
    node.deps.iter().filter(normal).map(|dep| &dep.pkg).collect()
}

fn is_macro(metadata: &Metadata, id: &PackageId) -> bool {
    metadata[id].targets.iter().any(|target| target.kind.contains(&TargetKind::ProcMacro))
}

fn part(
    metadata: &Metadata,
    id: &PackageId,
    graph: &BTreeMap<&PackageId, Vec<&PackageId>>,
    found: &BTreeSet<&PackageId>,
    checksums: &BTreeMap<(String, String), String>,
) -> Part {
    let package = &metadata[id];
    let named = |id: &PackageId| (metadata[id].name.to_string(), metadata[id].version.to_string());
    let folder = package.manifest_path.parent().map(|folder| folder.as_std_path().to_owned());
    let needs = graph.get(id).into_iter().flatten().filter(|id| found.contains(*id));
    Part {
        name: package.name.to_string(),
        version: package.version.to_string(),
        licence: package.license.clone().unwrap_or_default(),
        origin: match package.source {
            Some(_) => Origin::Crate(folder.unwrap_or_default()),
            None => Origin::Own,
        },
        checksum: checksums.get(&named(id)).cloned(),
        needs: needs.map(|id| named(id)).collect(),
    }
}

/// The checksums of the lock file, by name and version.
fn checksums(root: &Path) -> Result<BTreeMap<(String, String), String>> {
    let text = fs::read_to_string(root.join("Cargo.lock")).context("Cargo.lock")?;
    let entry = |entry: &str| {
        let value = |key: &str| {
            let line = entry.lines().find_map(|line| line.strip_prefix(&format!("{key} = \"")));
            line.map(|line| line.trim_end_matches('"').to_owned())
        };
        Some(((value("name")?, value("version")?), value("checksum")?))
    };
    Ok(text.split("[[package]]").filter_map(entry).collect())
}

/// What no manifest names: the standard library, SQLite inside of its crate, and the C library of a static program.
fn tool_chain(is_static: bool) -> Result<Vec<Part>> {
    let rustc = said(Command::new(env::var_os("RUSTC").unwrap_or("rustc".into())).arg("-V"))?;
    let rust = rustc.split(' ').nth(1).unwrap_or(&rustc).to_owned();
    let part = |name: &str, version: String, licence: &str, how| Part {
        name: name.into(),
        version,
        licence: licence.into(),
        origin: Origin::ToolChain(how),
        checksum: None,
        needs: Vec::new(),
    };
    let how = "The standard library of Rust is linked into every program.";
    let small = "musl, as this version of Rust brings it, is linked statically into the probe for 32-bit machines, where tare \
                 carries one.";
    let mut parts = vec![
        part("musl", rust.clone(), "MIT", small),
        part("rust-std", rust, "MIT OR Apache-2.0", how),
    ];
    let libc = said(Command::new("getconf").arg("GNU_LIBC_VERSION"))?;
    let libc = libc.trim_start_matches("glibc ").to_owned();
    let how = if is_static {
        "The GNU C Library is linked statically into every program. tare's sources are free, so that anybody can link them with \
         another version of it: cargo xtask dist."
    } else {
        "The GNU C Library is linked statically into the programs that tare carries. tare's sources are free, so that anybody \
         can link them with another version of it."
    };
    parts.push(part("glibc", libc, "LGPL-2.1-or-later", how));
    Ok(parts)
}
