//! The table of layers: one file and one row each. `tare list`, `tare doctor` and the docs read it.

mod command;
mod kvm;
mod microvm;
mod mock;
mod native;
mod oci;
mod presets;
mod qemu;
mod sim;
mod ssh;
mod uml;

pub use command::{Recipe, Tested};
pub use kvm::with_root;
pub use sim::fork;

use crate::aliases;
use crate::attach::disk;
use crate::attach::disk::files;
use crate::attach::hosted::hosted;
use crate::attach::net;
use crate::attach::root;
use crate::settings::suggestion;
use crate::{Layer, Setting, SettingError, Settings};
use tare_proto::Machine;

/// Who takes a kind of layer that nobody has named.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unnamed {
    /// Campaigns, and whoever looks at what runs here.
    Weighed,
    /// Only who looks; campaigns leave it out for this reason.
    Tried(&'static str),
    /// Nobody (the mock).
    Ignored,
}

/// A kind of layer: what `--layers` and `--layer` name.
pub struct LayerKind {
    /// The name.
    pub name: &'static str,
    /// One line: what it is.
    pub about: &'static str,
    /// The machine that it runs on; `None` for one that runs on none (the mock).
    pub machine: Option<Machine>,
    /// The settings it takes beside `name` and `kind`.
    pub settings: &'static [Setting],
    /// Settings that this row fixes unless they are given (`accel=kvm`).
    pub defaults: &'static [(&'static str, &'static str)],
    /// Who takes it when no layer is named.
    pub unnamed: Unnamed,
    /// What is known of it, for a kind that is words alone.
    pub words: Option<&'static Recipe>,
    /// Makes the layer from its settings.
    pub make: fn(&Settings) -> Result<Box<dyn Layer>, SettingError>,
}

/// Every kind of layer, in the order that scoreboards show: those of the real machine first.
pub const KINDS: &[LayerKind] = &[
    native::KIND,
    oci::RUNC,
    oci::CRUN,
    oci::RUNSC,
    uml::KIND,
    qemu::KIND,
    kvm::KIND,
    presets::PODMAN,
    presets::DOCKER,
    presets::BWRAP,
    presets::NSPAWN,
    presets::LXC,
    presets::CHROOT,
    ssh::KIND,
    microvm::KVMTOOL,
    microvm::CLOUD_HYPERVISOR,
    microvm::FIRECRACKER,
    command::KIND,
    sim::native::KIND,
    sim::xen_pv::KIND,
    sim::xen_domu::KIND,
    sim::xen_pvh::KIND,
    sim::uml::KIND,
    sim::runsc::KIND,
    sim::kvm::KIND,
    sim::i686::WITHOUT_PAE,
    sim::i686::WITH_PAE,
    sim::aarch64::KIND,
    sim::ppc64::KIND,
    sim::ppc64_kvm::HV,
    sim::ppc64_kvm::PR,
    mock::KIND,
];

/// Whether simulated machines of `kind` have performance counters, which their kernel reads: a processor of x86 that QEMU translates
/// has none, and one of POWER has some that do not tell the modes apart.
pub fn has_counters(kind: &str) -> bool {
    kind == sim::aarch64::KIND.name
}

/// The kinds of layers that `machine` has.
pub fn kinds_of(machine: Machine) -> impl Iterator<Item = &'static LayerKind> {
    KINDS.iter().filter(move |kind| kind.machine.is_none_or(|own| own == machine))
}

/// The layer of `machine` that `settings` describe, and its kind. The kind is `kind=`, or else the name itself.
pub fn configure(
    machine: Machine,
    settings: &Settings,
) -> Result<(&'static LayerKind, Settings, Box<dyn Layer>), SettingError> {
    let mut settings = settings.clone();
    let Some(name) = settings.get("name").or(settings.get("kind")).map(str::to_owned) else {
        return Err(SettingError(format!(
            "'{settings}' names no layer; one with settings is given by --layer 'name=NAME,kind=KIND,{settings}'"
        )));
    };
    aliases::resolve(&mut settings);
    let wanted = settings.get("kind").unwrap_or(&name).to_owned();
    let Some(kind) = kinds_of(machine).find(|kind| kind.name == wanted) else {
        let elsewhere = KINDS.iter().find(|kind| kind.name == wanted).and_then(|kind| kind.machine);
        let hint = match elsewhere {
            Some(other) => format!(" (--machine {other} has it)"),
            None if settings.get("kind").is_none() => " (or say which with kind=)".into(),
            None => String::new(),
        };
        return Err(SettingError(format!(
            "no layer '{wanted}' on the {machine} machine; {}{hint}",
            near(machine, &wanted)
        )));
    };
    check_name(&name)?;
    settings.default_to("name", &name);
    settings.default_to("kind", kind.name);
    for (key, value) in kind.defaults {
        settings.default_to(key, value);
    }
    let mut known = vec!["name", "kind"];
    known.extend(kind.settings.iter().map(|setting| setting.key));
    let in_layer = |e: SettingError| SettingError(format!("layer {name}: {e}"));
    match kind.words {
        Some(recipe) => (recipe.complete)(&mut settings), // other settings may stand in its words
        None => settings.only(&known).map_err(in_layer)?,
    }
    let layer = (kind.make)(&settings).map_err(in_layer)?;
    let layer = hosted(layer, kind.settings, &settings).map_err(in_layer)?;
    Ok((kind, settings, layer))
}

/// The kinds of `machine` whose names, or other names, are near `wanted`.
fn near(machine: Machine, wanted: &str) -> String {
    let kinds: Vec<&str> = kinds_of(machine).map(|kind| kind.name).collect();
    let others = aliases::ALIASES.iter().filter(|(_, kind, _)| kinds.contains(kind));
    let all: Vec<&str> = kinds.iter().copied().chain(others.map(|(name, ..)| *name)).collect();
    match suggestion(wanted, &all) {
        meant if meant.starts_with("did") => meant,
        _ => suggestion(wanted, &kinds),
    }
}

/// What a benchmark needs whose service is asked from outside of the layer: a network on which the host reaches it.
pub const SERVED: &str = "served";

/// The setting of a layer of `kind`, and its value, that give what a benchmark `needs` (a disk, a network); `None` when the kind has
/// no such setting.
pub fn usual(kind: &LayerKind, needs: &str) -> Option<(&'static str, &'static str)> {
    let key = if needs == SERVED { net::SETTING.key } else { needs };
    let setting = kind.settings.iter().find(|setting| setting.key == key)?;
    let value = match needs {
        "disk" => disk::USUAL,
        "files" => files::USUAL,
        "net" => net::usual(kind.name),
        SERVED => net::reachable(kind.name),
        "root" => root::usual(setting)?,
        _ => return None,
    };
    Some((setting.key, value))
}

/// Whether the kind called `name` on `machine` has its programs' root from an image.
pub fn takes_image(machine: Machine, name: &str) -> bool {
    let kinds = kinds_of(machine).filter(|kind| kind.name == name);
    kinds.flat_map(|kind| kind.settings).any(root::takes_image)
}

/// Names appear in tables, file names and container ids.
fn check_name(name: &str) -> Result<(), SettingError> {
    let fine = |c: char| c.is_ascii_alphanumeric() || "-_.+".contains(c);
    if name.len() <= 32
        && name.starts_with(|c: char| c.is_ascii_alphanumeric())
        && name.chars().all(fine)
    {
        return Ok(());
    }
    Err(SettingError(format!(
        "'{}' is not a valid name for a layer: up to 32 letters, digits, '-', '_', '.' or '+'",
        name.escape_debug()
    )))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Cpus;
    use std::collections::BTreeSet;

    #[test]
    fn every_file_has_a_row() {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/src/layers");
        let table = include_str!("mod.rs");
        let rows = table.split("pub const KINDS").nth(1).unwrap().split("];").next().unwrap();
        for entry in std::fs::read_dir(folder).unwrap() {
            let name = entry.unwrap().file_name().into_string().unwrap();
            let module = name.trim_end_matches(".rs");
            assert!(module == "mod" || rows.contains(&format!("{module}::")), "{name} has no row");
        }
    }

    #[test]
    fn every_row_makes_a_layer_with_its_defaults() {
        let names: BTreeSet<_> = KINDS.iter().map(|kind| (kind.machine, kind.name)).collect();
        assert_eq!(names.len(), KINDS.len());
        for kind in KINDS {
            let machine = kind.machine.unwrap_or_default();
            let mut asked = Settings::parse(kind.name).unwrap();
            for (key, _) in kind.words.map_or(&[][..], |recipe| recipe.needs) {
                asked.set(key, "x").unwrap();
            }
            if kind.name == command::KIND.name {
                asked.set("start", "{probe} serve").unwrap(); // it has no words of its own
            }
            let (_, settings, _) = configure(machine, &asked).unwrap();
            assert_eq!(settings.get("kind"), Some(kind.name));
            for (key, value) in kind.defaults {
                assert_eq!(settings.get(key), Some(*value), "{}", kind.name);
            }
        }
    }

    fn refusal(text: &str) -> String {
        let refused = configure(Machine::Real, &Settings::parse(text).unwrap());
        refused.err().unwrap_or_else(|| panic!("{text} is accepted")).to_string()
    }

    #[test]
    fn mistakes_name_what_would_be_right() {
        assert!(refusal("qemo").contains("did you mean qemu"), "{}", refusal("qemo"));
        assert!(refusal("qemu,acel=kvm").contains("did you mean accel"));
        assert!(refusal("qemu,accel=kwm").contains("did you mean kvm"));
        assert!(refusal("uml,memory=tiny").contains("512M"));
        assert!(refusal("my/vm,kind=qemu").contains("not a valid name"));
        assert!(refusal("runc,platform=systrap").contains("no setting 'platform'"));
    }

    #[test]
    fn other_names_that_people_type_mean_a_kind() {
        let meant = |machine, text: &str| {
            let (kind, settings, _) = configure(machine, &Settings::parse(text).unwrap()).unwrap();
            (kind.name, settings.get("name").unwrap().to_owned(), settings)
        };
        let (kind, name, _) = meant(Machine::Real, "gvisor");
        assert_eq!((kind, name.as_str()), ("runsc", "gvisor"));
        assert_eq!(meant(Machine::Sim, "xen").0, "xen-pv");
        let (kind, _, settings) = meant(Machine::Real, "name=mine,kind=docker-runsc");
        assert_eq!((kind, settings.get("args")), ("docker", Some("--runtime runsc")));
        assert!(refusal("xen").contains("--machine sim has it"), "{}", refusal("xen"));
        assert!(refusal("gvizor").contains("did you mean gvisor"), "{}", refusal("gvizor"));
        for (alias, kind, _) in aliases::ALIASES {
            let is = |name: &str| KINDS.iter().any(|kind| kind.name == name);
            assert!(is(kind) && !is(alias), "{alias}");
        }
    }

    #[test]
    fn a_layer_whose_pages_are_set_is_still_made_for_as_many_cpus() {
        for (pages, cpus, expected) in [
            ("", "", Cpus::AtLeast(2)),
            (",thp=never", "", Cpus::AtLeast(2)),
            (",thp=never", ",cpus=1", Cpus::Only(1)),
        ] {
            let text = format!("runsc,platform=systrap{pages}{cpus}");
            let (_, _, layer) = configure(Machine::Real, &Settings::parse(&text).unwrap()).unwrap();
            assert_eq!(layer.cpus(), expected, "{text}");
            assert!(layer.has_modes(), "{text}");
        }
    }

    #[test]
    fn one_kind_may_stand_twice_under_two_names() {
        let (kind, settings, _) =
            configure(Machine::Real, &Settings::parse("big,kind=qemu,memory=2G").unwrap()).unwrap();
        assert_eq!((kind.name, settings.get("name")), ("qemu", Some("big")));
    }
}
