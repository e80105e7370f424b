//! What a benchmark and its original share: a file on the disk, the other end of a network.

use crate::shell::root;
use anyhow::{Context, Result};
use std::fs::{self, File};
use std::io::Write;
use std::path::PathBuf;
use std::process::{Child, Stdio};
use std::time::Duration;

/// Size of the disk, in MiB.
const DISK_MIB: usize = 256;

/// The disk, below the root of the repository; commands run there.
pub const DISK: &str = "target/fidelity/disk";

/// A file that is a disk, and iperf's server; both go when this is dropped.
pub struct Shared {
    server: Option<Child>,
}

impl Shared {
    /// Makes what the benchmarks called `benches` need; the server runs as `urgent`ly as its clients.
    pub fn new<'a>(benches: impl Iterator<Item = &'a str>, urgent: &[&str]) -> Result<Shared> {
        let mut shared = Shared { server: None };
        for bench in benches {
            if bench.starts_with("disk/") && !disk().exists() {
                fill()?;
            }
            if bench.starts_with("net/") && shared.server.is_none() {
                let mut server = super::command(urgent, "iperf");
                let address = ["-s", "-B", "127.0.0.1", "-p", "21987", "-l", "8K", "-w", "64K"];
                server.args(address).stdout(Stdio::null());
                shared.server = Some(server.spawn().context("cannot start iperf")?);
                std::thread::sleep(Duration::from_millis(500));
            }
        }
        Ok(shared)
    }
}

impl Drop for Shared {
    fn drop(&mut self) {
        if let Some(server) = &mut self.server {
            let _ = server.kill();
            let _ = server.wait();
        }
        let _ = fs::remove_file(disk());
    }
}

pub fn disk() -> PathBuf {
    root().join(DISK)
}

/// As a layer's image is: really written, of what no disk compresses.
fn fill() -> Result<()> {
    let mut file = File::create(disk())?;
    let mut state = 0x9e37_79b9_7f4a_7c15u64;
    let mut next = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state.to_le_bytes()
    };
    for _ in 0..DISK_MIB {
        let chunk: Vec<u8> = (0..1 << 17).flat_map(|_| next()).collect();
        file.write_all(&chunk)?;
    }
    Ok(file.sync_all()?)
}
