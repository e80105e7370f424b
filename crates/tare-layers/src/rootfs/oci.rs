//! Images that are already on this host: an OCI layout, and what `docker save` writes. Nothing is pulled.

use super::archive;
use super::error::{RootError, damaged};
use super::inside::place;
use super::room::Room;
use crate::files::bounded;
use serde_json::Value;
use sha2::{Digest, Sha256};
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

/// The largest index or manifest.
const MANIFEST: u64 = 4 << 20;

/// Most indexes between the layout and the manifest.
const DEPTH: u32 = 4;

/// Unpacks the image of a layout; what it is made of.
pub(super) fn unpack_layout(
    layout: &Path,
    tree: &Path,
    room: &mut Room,
) -> Result<String, RootError> {
    let mut found = json(&layout.join("index.json"))?;
    for _ in 0..DEPTH {
        let Some(manifests) = found["manifests"].as_array() else { break };
        let ours = manifests.iter().find(|one| one["platform"]["architecture"] == architecture());
        let chosen =
            ours.or(manifests.first()).ok_or_else(|| damaged("its index names no image"))?;
        found = json(&blob(layout, &chosen["digest"])?)?;
    }
    let layers = found["layers"].as_array().ok_or_else(|| damaged("it has no layers"))?;
    fs::create_dir(tree)?;
    let mut made_of = format!("oci:{}", layout.display());
    for layer in layers {
        archive::unpack(&blob(layout, &layer["digest"])?, tree, true, room)?;
        made_of.push_str(&format!("\n{}", layer["digest"].as_str().unwrap_or_default()));
    }
    Ok(made_of)
}

/// Unpacks the first image of what `docker save` has written; what it is made of.
pub(super) fn unpack_docker(
    file: &Path,
    work: &Path,
    tree: &Path,
    room: &mut Room,
) -> Result<String, RootError> {
    let saved = work.join("saved");
    fs::create_dir(&saved)?;
    archive::unpack(file, &saved, false, room)?;
    let manifest = json(&saved.join("manifest.json"))?;
    let layers = manifest[0]["Layers"].as_array();
    let layers = layers.ok_or_else(|| damaged("its manifest.json names no layers"))?;
    fs::create_dir(tree)?;
    let mut made_of = format!("docker-archive:{}", file.display());
    for layer in layers {
        let name = layer.as_str().ok_or_else(|| damaged("a layer has no name"))?;
        archive::unpack(&regular(place(&saved, Path::new(name))?)?, tree, true, room)?;
        made_of.push_str(&format!("\n{name}"));
    }
    fs::remove_dir_all(&saved)?;
    Ok(made_of)
}

/// The file of a digest, which is what the digest says.
fn blob(layout: &Path, digest: &Value) -> Result<PathBuf, RootError> {
    let text = digest.as_str().unwrap_or_default();
    let hash = text
        .strip_prefix("sha256:")
        .filter(|hash| hash.len() == 64 && hash.bytes().all(|byte| byte.is_ascii_hexdigit()));
    let hash =
        hash.ok_or_else(|| damaged(format!("'{}' is no sha256 digest", text.escape_debug())))?;
    let path = regular(layout.join("blobs/sha256").join(hash))?;
    let named = RootError::file(&path);
    let mut found = Sha256::new();
    io::copy(&mut File::open(&path).map_err(named)?, &mut found).map_err(named)?;
    match format!("{:x}", found.finalize()) == hash.to_lowercase() {
        true => Ok(path),
        false => Err(damaged(format!("{} is not what its digest says", path.display()))),
    }
}

/// `path`, if it is a file and no link to one.
fn regular(path: PathBuf) -> Result<PathBuf, RootError> {
    match fs::symlink_metadata(&path) {
        Ok(found) if found.is_file() => Ok(path),
        Ok(_) => Err(RootError::Forbidden(format!("{} is not a regular file", path.display()))),
        Err(e) => Err(RootError::file(&path)(e)),
    }
}

fn json(path: &Path) -> Result<Value, RootError> {
    let text = bounded::text(path, MANIFEST).map_err(RootError::file(path))?;
    serde_json::from_str(&text).map_err(|e| damaged(format!("{}: {e}", path.display())))
}

fn architecture() -> &'static str {
    match std::env::consts::ARCH {
        "x86_64" => "amd64",
        "aarch64" => "arm64",
        other => other,
    }
}
