//! A layer is available when it really boots the probe within a deadline; nothing less counts.

use sha2::{Digest, Sha256};
use std::fs::File;
use std::io::{self, Read};
use std::path::Path;
use std::time::{Duration, Instant};
use tare_layers::{Artifact, BootName, Host, Keeper, Layer, Session, Unavailable, fresh_id};
use tare_proto::Hello;
use tare_store::StoredArtifact;

/// A layer that booted.
pub struct Trial {
    /// What the probe found there.
    pub hello: Hello,
    /// From start to greeting.
    pub start: Duration,
    /// From start to complete removal.
    pub whole: Duration,
    /// The files that make the layer.
    pub artifacts: Vec<StoredArtifact>,
    /// What could not be removed.
    pub left: Vec<String>,
}

/// Boots `layer` once, to see whether it does.
pub fn trial(
    layer: &dyn Layer,
    host: &Host,
    keeper: &Keeper,
    within: Duration,
    interrupted: fn() -> bool,
) -> Result<Trial, Unavailable> {
    layer.check(host)?;
    let begin = Instant::now();
    let name = BootName { id: fresh_id(), ..BootName::default() };
    let started = Session::start(layer, host, keeper, &name, &[], None, interrupted);
    let mut session = started.map_err(|e| layer.explain(&e, ""))?;
    let greeting = match session.greet(within) {
        Ok(greeting) => greeting,
        Err(error) => {
            let mut unavailable = layer.explain(&error, &session.console_tail());
            let left = session.abandon().left;
            left.iter().for_each(|path| unavailable.why += &format!("; not removed: {path}"));
            return Err(unavailable);
        }
    };
    let artifacts = session.artifacts().to_vec();
    let left = session.end(Duration::from_secs(5)).left;
    let whole = begin.elapsed();
    let artifacts = artifacts.iter().map(describe).collect();
    Ok(Trial { hello: greeting.hello, start: greeting.start, whole, artifacts, left })
}

/// The artifact with its hash and what it says of itself.
fn describe(artifact: &Artifact) -> StoredArtifact {
    StoredArtifact {
        role: artifact.role.clone(),
        path: artifact.path.display().to_string(),
        sha256: sha256(&artifact.path).unwrap_or_default(),
        version: artifact.version(),
    }
}

fn sha256(path: &Path) -> io::Result<String> {
    let mut file = File::open(path)?;
    let mut hash = Sha256::new();
    let mut buffer = vec![0; 1 << 20];
    loop {
        match file.read(&mut buffer)? {
            0 => return Ok(hash.finalize().iter().map(|byte| format!("{byte:02x}")).collect()),
            n => hash.update(&buffer[..n]),
        }
    }
}
