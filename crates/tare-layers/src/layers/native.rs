//! `native`: the probe as an ordinary process of this host; the usual baseline.

use crate::attach::net::Net;
use crate::attach::root::Root;
use crate::attach::{Attachments, disk, knobs, net, pages, root, scratch};
use crate::{
    BootSpec, Host, Launch, Layer, LayerKind, Program, Second, Setting, SettingError, Unavailable,
    Unnamed,
};
use nix::unistd::{AccessFlags, access};
use std::io;
use std::path::Path;
use tare_proto::{DISK, DISK_FOLDER, Machine, NET, NET_NAMESPACE, ROOT, ROOT_HERE};

pub const KIND: LayerKind = LayerKind {
    name: "native",
    about: "a process on this host, without any layer",
    machine: Some(Machine::Real),
    settings: &[
        disk::SETTING,
        net::SETTING,
        root::SETTING,
        root::OVERLAY,
        scratch::SETTING,
        pages::KSM,
        pages::THP,
        knobs::SETTING,
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
            attachments: Attachments::read(settings, &[Net::Host, Net::Veth], 0)?,
            slower: settings.get("slower").map(percent).transpose()?,
        }))
    },
};

/// Why an ordinary user's programs cannot write to a disk of their own natively.
const AS_IT_IS: &str = "an ordinary user's command runs on this host's files as they are, and writes where they lie, not to a disk of its own";

struct Native {
    attachments: Attachments,
    /// A percentage.
    slower: Option<String>,
}

fn percent(text: &str) -> Result<String, SettingError> {
    let fine = text.parse::<f64>().is_ok_and(|percent| (0.0..=1000.0).contains(&percent));
    let wrong = || SettingError(format!("slower={text}: a percentage from 0 to 1000, such as 2"));
    fine.then(|| text.to_owned()).ok_or_else(wrong)
}

impl Layer for Native {
    fn root(&self) -> Option<&Path> {
        self.attachments.root.as_ref().map(|root| root.lower.as_path())
    }

    fn check(&self, host: &Host) -> Result<(), Unavailable> {
        let as_it_is = self.attachments.root.as_ref().is_some_and(Root::is_as_it_is);
        if as_it_is && self.attachments.scratch().is_some() {
            return Err(Unavailable::new(
                AS_IT_IS,
                "run tare as root, or give the command a root of its own (--root)",
            ));
        }
        let made = self.attachments.root.as_ref().filter(|_| !as_it_is);
        made.map_or(Ok(()), Root::check)?;
        self.attachments.check_disks(host)
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
        let given = self.attachments.of_process(host, boot, &mut program)?;
        program = program.env(DISK_FOLDER, given.files.to_string_lossy());
        if let Some(disk) = given.disk {
            program = program.env(DISK, disk.to_string_lossy());
        }
        if let Some(net) = given.net {
            program = program.env(NET, net.told);
            if let Some(namespace) = net.namespace {
                program = program.env(NET_NAMESPACE, namespace.to_string_lossy());
            }
        }
        if let Some(root) = &self.attachments.root {
            let told = if root.is_as_it_is() {
                ROOT_HERE.to_owned()
            } else {
                root.told(boot, &mut program)?
            };
            program = program.env(ROOT, told);
            root.record(&mut program);
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
