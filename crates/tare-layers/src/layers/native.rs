//! `native`: the probe as an ordinary process of this host; the usual baseline.

use crate::{BootSpec, Host, Launch, Layer, LayerKind, Program, Unavailable};
use nix::unistd::{AccessFlags, access};
use std::io;
use std::path::Path;

pub const KIND: LayerKind = LayerKind {
    name: "native",
    about: "a process of this host, under no layer",
    settings: &[],
    defaults: &[],
    only_by_name: false,
    make: |_| Ok(Box::new(Native)),
};

struct Native;

impl Layer for Native {
    fn check(&self, _host: &Host) -> Result<(), Unavailable> {
        Ok(())
    }

    fn launch(&self, host: &Host, boot: &BootSpec) -> io::Result<Launch> {
        let scratch = scratch_parent(boot).join(format!("{}-scratch", boot.id));
        let mut program = Program::new(&host.probe).arg("serve");
        // The environment of a process is part of what exec costs: the same few bytes everywhere.
        program.env = vec![("TARE_SCRATCH".into(), scratch.to_string_lossy().into_owned())];
        program.folders.push(scratch);
        Ok(Launch::Program(program))
    }
}

/// Memory-backed like every other layer's scratch folder, where the host has that.
fn scratch_parent<'a>(boot: &BootSpec<'a>) -> &'a Path {
    let shared_memory = Path::new("/dev/shm");
    match access(shared_memory, AccessFlags::W_OK | AccessFlags::X_OK) {
        Ok(()) => shared_memory,
        Err(_) => boot.folder,
    }
}
