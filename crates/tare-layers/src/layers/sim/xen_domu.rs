//! `xen-domu`: the same kernel image as a PV domain beside Xen's first, which gives it its disk and its console; and what
//! its sibling on nested paging (`xen_pvh.rs`) has in common with it.

use super::board::PC;
use super::inside::Inside;
use super::machine::ARGUMENTS;
use super::toolstack::{self, BLOCK, DOMAIN, MODULES, Toolstack};
use super::xen::{self, Dom0, XEN, XEN_ARGS, Xen};
use super::{APPEND, CPU, EMULATOR, KERNEL, MEMORY, disk, ring, root};
use crate::attach::balloon;
use crate::{
    BootSpec, Host, Launch, Layer, LayerKind, SessionError, Setting, SettingError, Settings,
    Unavailable, Unnamed,
};
use std::{fs, io};
use tare_proto::{DISK, Machine};

pub const KIND: LayerKind = LayerKind {
    name: "xen-domu",
    about: "the same kernel as a PV domain of Xen, its disk in dom0",
    machine: Some(Machine::Sim),
    settings: &[
        KERNEL,
        APPEND,
        DOM0_APPEND,
        MEMORY,
        balloon::SETTING,
        root::SETTING,
        disk::SETTING,
        TSC,
        XEN,
        XEN_ARGS,
        CPU,
        EMULATOR,
    ],
    defaults: &[("tsc", "native")],
    unnamed: Unnamed::Weighed,
    words: None,
    make,
};

pub(super) const TSC: Setting = Setting {
    key: "tsc",
    about: "how the domain reads the clock: native (default: nothing traps), default, always_emulate",
};

pub(super) const DOM0_APPEND: Setting = Setting {
    key: "dom0_append",
    about: "more arguments of dom0's kernel, for the back end of the disk: xen_blkback.max_ring_page_order=0",
};

/// What `tsc_mode` of a domain can be.
const TSC_MODES: &[&str] = &["native", "default", "always_emulate"];

/// Memory of dom0 beside its disk, in MiB: it holds its initramfs, the domain's kernel in it, and a copy of that.
const DOM0: u64 = 384;

/// Where dom0 has the domain's kernel and its initramfs.
const GUEST_KERNEL: &str = "/vmlinux";
const GUEST_INITRAMFS: &str = "/initramfs";

/// The driver of the domain's disk, and what it calls it.
const FRONTEND: &str = "xen_blkfront";
const NAME: &str = "xvda";

/// A domain beside the first one.
pub(super) struct Domain {
    pub(super) xen: Xen,
    /// Which type it is of, as lines of its description.
    kind: Vec<(&'static str, String)>,
    tsc: String,
    dom0_append: Vec<String>,
}

fn make(settings: &Settings) -> Result<Box<dyn Layer>, SettingError> {
    Ok(Box::new(Domain::new(settings, xen::MODEL, vec![("type", quoted("pv"))])?))
}

impl Domain {
    /// `cpu` is the machine's usual model.
    pub(super) fn new(
        settings: &Settings,
        cpu: &str,
        kind: Vec<(&'static str, String)>,
    ) -> Result<Domain, SettingError> {
        let tsc = settings.one_of(TSC.key, TSC_MODES)?.unwrap_or(TSC_MODES[0]).to_owned();
        let dom0_append = settings.words(DOM0_APPEND.key);
        if dom0_append.iter().any(|word| word.contains(',')) {
            let why = "dom0_append: a comma would end dom0's arguments there";
            return Err(SettingError(why.into()));
        }
        let mut xen = Xen::new(settings, cpu)?;
        xen.machine.domains = true;
        ring::check(&xen.machine)?;
        Ok(Domain { xen, kind, tsc, dom0_append })
    }

    /// As the toolstack reads it.
    fn description(&self) -> String {
        let machine = &self.xen.machine;
        let mut own = "console=hvc0 tare.line=/dev/hvc0 tare.end=later".to_owned();
        let mut disk = String::new();
        if machine.disk.is_some() {
            own.push_str(&format!(" {DISK}=/dev/{NAME}"));
            disk = format!("\"format=raw,vdev={NAME},access=rw,target={}\"", disk::DEVICE);
        }
        let lines = [
            ("name", quoted("domu")),
            ("kernel", quoted(GUEST_KERNEL)),
            ("ramdisk", quoted(GUEST_INITRAMFS)),
            ("extra", quoted(&machine.measured(&own))),
            ("memory", machine.memory.to_string()),
            ("vcpus", "1".into()),
            ("tsc_mode", quoted(&self.tsc)),
            ("disk", format!("[{disk}]")),
            ("on_poweroff", quoted("destroy")),
            ("on_reboot", quoted("destroy")),
            ("on_crash", quoted("destroy")),
        ];
        let lines = self.kind.iter().chain(&lines);
        lines.map(|(key, value)| format!("{key} = {value}\n")).collect()
    }

    /// Dom0 with all that it takes to start the domain.
    fn dom0(&self, host: &Host, boot: &BootSpec, toolstack: &Toolstack) -> io::Result<Dom0> {
        let machine = &self.xen.machine;
        let drivers = machine.disk.map_or(&[][..], |_| &[FRONTEND]);
        let domain = boot.folder.join("domain");
        let block = boot.folder.join("block");
        fs::write(&domain, self.description())?;
        fs::write(&block, toolstack::block())?;
        let inside = Inside {
            machine,
            modules: MODULES,
            packages: &toolstack.files(),
            files: vec![
                (GUEST_KERNEL, machine.kernel.elf(host)?),
                (GUEST_INITRAMFS, machine.measured_initramfs(host, boot, drivers)?),
                (DOMAIN, domain),
                (BLOCK, block),
            ],
            inner: toolstack.inner(),
            root: None,
        };
        let disk = machine.disk.map(|disk| format!(" {}", disk.arguments())).unwrap_or_default();
        let more: String = self.dom0_append.iter().map(|word| format!(" {word}")).collect();
        Ok(Dom0 {
            initramfs: inside.initramfs(host, boot)?,
            arguments: format!("console=hvc0 {ARGUMENTS} {}{disk}{more}", PC.line),
            memory: DOM0 + machine.disk.map_or(0, |disk| disk.size) + machine.root_beside(),
        })
    }
}

impl Layer for Domain {
    fn check(&self, host: &Host) -> Result<(), Unavailable> {
        self.xen.check(host)?;
        Toolstack::find()?.files().iter().try_for_each(|files| files.tree(host).map(drop))
    }

    fn launch(&self, host: &Host, boot: &BootSpec) -> io::Result<Launch> {
        let toolstack = Toolstack::find()?;
        let dom0 = self.dom0(host, boot, &toolstack)?;
        let program = self.xen.program(host, boot, &dom0, self.xen.machine.memory)?;
        let xl = toolstack.xl(host)?;
        Ok(Launch::Program(program.made_of("toolstack", xl, None)))
    }

    fn scripted(&self) -> bool {
        true
    }

    fn explain(&self, error: &SessionError, console: &str) -> Unavailable {
        toolstack::refusal(console).unwrap_or_else(|| xen::explain(error, console))
    }
}

/// A text as the toolstack's configuration has it.
pub(super) fn quoted(text: &str) -> String {
    format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\""))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_set_reaches_the_domain_and_cannot_leave_its_place() {
        let set = "d,kind=xen-domu,memory=400M,disk=32M,tsc=default,append=a=\"b\\c";
        let settings = Settings::parse(set).unwrap();
        let kind = vec![("type", quoted("pv"))];
        let domain = Domain::new(&settings, xen::MODEL, kind).unwrap().description();
        let has = |line: &str| domain.lines().any(|own| own == line);
        assert!(has("memory = 400") && has("tsc_mode = \"default\""), "{domain}");
        assert!(
            domain.contains(" TARE_DISK=/dev/xvda ") && domain.contains(" a=\\\"b\\\\c\"\n"),
            "{domain}"
        );
        assert!(domain.contains("target=/dev/ram0"), "{domain}");
    }

    #[test]
    fn a_driver_that_would_take_all_memory_is_refused() {
        let made = |more: &str| make(&Settings::parse(&format!("d,kind=xen-domu,{more}")).unwrap());
        let large =
            "append=xen_blkfront.max_indirect_segments=256 xen_blkfront.max_ring_page_order=4";
        let refused = made(&format!("disk=128M,{large}")).err().unwrap().to_string();
        assert!(refused.contains("keeps 514 MiB") && refused.contains("memory="), "{refused}");
        let fits =
            ["memory=1G,disk=128M", "disk=none"].map(|more| made(&format!("{more},{large}")));
        assert!(fits.iter().all(Result::is_ok), "where it has room, or no disk");
        assert!(made(&format!("disk=128M,{large} xen_blkfront.feature_persistent=N")).is_ok());
        assert!(made("disk=128M,append=xen_blkfront.max_ring_page_order=4").is_ok());
    }

    #[test]
    fn an_unknown_way_to_read_the_clock_is_refused() {
        let refused = make(&Settings::parse("d,tsc=nativ").unwrap()).err().unwrap();
        assert!(refused.to_string().contains("did you mean native"), "{refused}");
    }
}
