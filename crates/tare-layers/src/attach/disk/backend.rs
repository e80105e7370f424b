//! Who serves the disk of a virtual machine: QEMU itself, or `tare disk serve` in a process beside it, over vhost-user. Its
//! segments, ring, queues and locks can be set (docs/lab/pv-disk.md).

use super::{Attached, Disk, drive};
use crate::{BootSpec, Host, Program, Setting, SettingError, Settings, Unavailable};
use std::io;
use std::path::PathBuf;
use tare_keeper::Helper;

pub(crate) const BACKEND: Setting = Setting {
    key: "backend",
    about: "who serves disk=: qemu (default), or tare, over vhost-user in a process of its own",
};
pub(crate) const BACKEND_ARGS: Setting = Setting {
    key: "backend_args",
    about: "arguments of that process, as of 'tare disk serve': --segments 11 --ring 1024 --lock global",
};

/// The socket, in the boot's folder.
const SOCKET: &str = "disk.socket";

#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Backend {
    args: Vec<String>,
}

impl Backend {
    /// Reads the settings of a machine with `disk`, and perhaps `others`; `None` where QEMU serves it.
    pub fn read(
        settings: &Settings,
        disk: Option<&Disk>,
        others: bool,
    ) -> Result<Option<Backend>, SettingError> {
        let args = settings.words(BACKEND_ARGS.key);
        let of_qemu = [drive::CACHE.key, drive::AIO.key, drive::QUEUES.key];
        // They may be meant for the machine's other disks.
        let idle = of_qemu.iter().find(|key| !others && settings.get(key).is_some());
        match settings.one_of(BACKEND.key, &["qemu", "tare"])? {
            Some("tare") if disk.is_none() => {
                Err(SettingError("backend=tare serves the disk that disk= names: add it".into()))
            }
            Some("tare") => match idle {
                Some(key) => Err(SettingError(format!(
                    "{key}= is QEMU's and does nothing to a disk of backend=tare: see backend_args="
                ))),
                None => Ok(Some(Backend { args })),
            },
            _ if !args.is_empty() => {
                Err(SettingError("backend_args= are those of backend=tare: add it".into()))
            }
            _ => Ok(None),
        }
    }

    pub fn program(host: &Host) -> Result<PathBuf, Unavailable> {
        host.tare.clone().ok_or_else(|| {
            Unavailable::new(
                "this program does not contain the back end",
                "use the command tare, which does",
            )
        })
    }

    /// Adds the back end of `disk` and the device to `program`, a machine with so many MiB of memory, which both then see.
    pub fn serve(
        &self,
        host: &Host,
        boot: &BootSpec,
        disk: &Attached,
        memory: u64,
        mut program: Program,
    ) -> io::Result<Program> {
        let tare = Backend::program(host)?;
        let file = format!("file:{}", boot.short_name(&disk.path, "disk-served")?);
        let words =
            ["disk", "serve", "--ready", "--socket", SOCKET, "--writable", "--device", &file];
        let past = (!disk.direct).then_some("--cached");
        let args = words.into_iter().chain(past).map(str::to_owned);
        program.helpers.push(Helper {
            what: "the disk's back end".into(),
            program: tare,
            args: args.chain(self.args.iter().cloned()).collect(),
            env: Vec::new(),
        });
        let shared = format!("memory-backend-memfd,id=shared,size={memory}M,share=on");
        let socket = format!("socket,id=served,path={SOCKET}");
        let device = "vhost-user-blk-pci,chardev=served";
        let program = program.args(["-object", &shared, "-machine", "memory-backend=shared"]);
        Ok(program.args(["-chardev", &socket, "-device", device]))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_back_end_has_a_disk_and_arguments_have_a_back_end() {
        let read = |text: &str| {
            let settings = Settings::parse(&format!("q{text}")).unwrap();
            let others = settings.get("files").is_some();
            Backend::read(&settings, Disk::read(&settings).unwrap().as_ref(), others)
        };
        assert_eq!(read("").unwrap(), None);
        assert_eq!(read(",disk=32M,backend=qemu").unwrap(), None);
        let args = vec!["--segments".to_owned(), "11".to_owned()];
        let set = read(",disk=32M,backend=tare,backend_args=--segments 11").unwrap();
        assert_eq!(set, Some(Backend { args }));
        let refused = |text: &str| read(text).unwrap_err().to_string();
        assert!(refused(",backend=tare").contains("disk="));
        assert!(refused(",disk=none,backend=tare").contains("disk="));
        assert!(refused(",disk=32M,backend_args=--segments 11").contains("backend=tare"));
        assert!(refused(",disk=32M,backend=tarr").contains("did you mean tare"));
        assert!(refused(",disk=32M,backend=tare,queues=2").contains("queues= is QEMU's"));
        assert!(read(",disk=32M,files=32M,backend=tare,cache=none").unwrap().is_some());
    }
}
