//! `native`: the probe as an ordinary process of this host; the usual baseline.

use crate::attach::disk::files;
use crate::attach::disk::{self, Disk};
use crate::attach::net::{self, Net};
use crate::attach::pages;
use crate::attach::root::{self, Root};
use crate::{
    BootSpec, Host, Launch, Layer, LayerKind, Program, Second, Setting, SettingError, Unavailable,
    Unnamed,
};
use nix::unistd::{AccessFlags, access};
use std::io;
use std::path::Path;
use tare_proto::{DISK, DISK_FOLDER, Machine, NET};

pub const KIND: LayerKind = LayerKind {
    name: "native",
    about: "a process on this host, without any layer",
    machine: Some(Machine::Real),
    settings: &[
        disk::SETTING,
        net::SETTING,
        root::SETTING,
        pages::KSM,
        pages::THP,
        Setting {
            key: "slower",
            about: "percent by which every operation takes longer than it would, to see whether tare finds it",
        },
    ],
    defaults: &[],
    unnamed: Unnamed::Weighed,
    words: None,
    make: |settings| {
        Ok(Box::new(Native {
            disk: Disk::read(settings)?,
            net: Net::read(settings, &[Net::Host])?,
            root: Root::read(settings)?,
            slower: settings.get("slower").map(percent).transpose()?,
        }))
    },
};

struct Native {
    disk: Option<Disk>,
    net: Option<Net>,
    root: Option<Root>,
    /// A percentage.
    slower: Option<String>,
}

fn percent(text: &str) -> Result<String, SettingError> {
    let fine = text.parse::<f64>().is_ok_and(|percent| (0.0..=1000.0).contains(&percent));
    let wrong = || SettingError(format!("slower={text}: a percentage from 0 to 1000, such as 2"));
    fine.then(|| text.to_owned()).ok_or_else(wrong)
}

impl Layer for Native {
    fn check(&self, host: &Host) -> Result<(), Unavailable> {
        self.root.as_ref().map_or(Ok(()), Root::check)?;
        self.disk.as_ref().map_or(Ok(()), |disk| disk.check(host))
    }

    fn launch(&self, host: &Host, boot: &BootSpec) -> io::Result<Launch> {
        let scratch = scratch_parent(boot).join(format!("{}-scratch", boot.id));
        // A file that has just been written, as a container's is: how the page cache holds a file decides what its pages cost
        // to map, and 10% of a fork is that.
        let probe = boot.folder.join("tare-probe");
        let second = Second::Command(vec![probe.to_string_lossy().into_owned(), "hello".into()]);
        let mut program = Program::new(&probe).arg("serve").with_second(second);
        program.copies.push((host.probe.clone(), probe));
        if let Some(percent) = &self.slower {
            program = program.arg("--slower").arg(percent);
        }
        // The environment of a process is part of what exec costs: the same few bytes everywhere.
        program.env = vec![("TARE_SCRATCH".into(), scratch.to_string_lossy().into_owned())];
        program.folders.push(scratch);
        let files = files::folder(boot, &mut program);
        program = program.env(DISK_FOLDER, files.to_string_lossy());
        if let Some(disk) = &self.disk {
            let path = disk.attach(host, boot, &mut program)?.path;
            program = program.env(DISK, path.to_string_lossy());
        }
        if let Some(net) = self.net {
            let told = net.attach(host, boot, &mut program)?.told;
            program = program.env(NET, told);
        }
        if let Some(root) = &self.root {
            let (variable, told) = root.told(boot)?;
            program = root.recorded(program.env(variable, told));
        }
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
