//! `uml`: User-Mode Linux, a kernel that is a process of this host.
//!
//! Its kernel is its own; it has one CPU, and each guest process is a host process that it traces.

use crate::{
    BootSpec, Host, Launch, Layer, LayerKind, Program, Setting, Unavailable, initramfs, programs,
};
use std::io;

pub const KIND: LayerKind = LayerKind {
    name: "uml",
    about: "User-Mode Linux: a Linux kernel as a process, one CPU",
    settings: &[
        Setting { key: "kernel", about: "the kernel, a program (default linux.uml)" },
        Setting { key: "memory", about: "the guest's memory (default 256M)" },
        Setting { key: "args", about: "more arguments of the kernel" },
    ],
    defaults: &[],
    only_by_name: false,
    make: |settings| {
        Ok(Box::new(Uml {
            kernel: settings.get("kernel").unwrap_or("linux.uml").to_owned(),
            memory: settings.mebibytes("memory", 256)?,
            args: settings.words("args"),
        }))
    },
};

struct Uml {
    kernel: String,
    memory: u64,
    args: Vec<String>,
}

impl Layer for Uml {
    fn check(&self, _host: &Host) -> Result<(), Unavailable> {
        programs::find(&self.kernel).map(drop)
    }

    fn launch(&self, host: &Host, boot: &BootSpec) -> io::Result<Launch> {
        let kernel = programs::find(&self.kernel).map_err(|e| io::Error::other(e.to_string()))?;
        let initramfs = initramfs::write(host, boot)?;
        let program = Program::new(&kernel)
            .arg(format!("mem={}M", self.memory))
            .arg(format!("initrd={}", initramfs.display()))
            .arg(format!("uml_dir={}", boot.folder.display()))
            .arg(format!("umid={}", boot.id))
            // The console writes to standard error; the first serial line is the probe's.
            .args(["con=null", "con0=null,fd:2", "ssl=null", "ssl0=fd:0,fd:1"])
            .args(["quiet", "panic=-1", "tare.line=/dev/ttyS0"])
            // More than half of Debian's boot would be a benchmark of RAID-6, which nothing uses.
            .arg("initcall_blacklist=raid6_select_algo")
            .args(&self.args);
        Ok(Launch::Program(program.made_of("kernel", kernel, Some("--version"))))
    }
}
