//! Counting what a simulated machine executes: the plugin that QEMU is given, and what it writes.

use crate::Unavailable;
use crate::files::bounded;
use serde::Deserialize;
use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;
use tare_keeper::programs::{output, plain};
use tare_proto::MAX_COUNTERS;
use tare_proto::counter::Place;

/// Longest file of counts that is read, in bytes: several times what a whole suite makes.
const LONGEST: u64 = 256 << 20;

/// Most terms that one request's value is made of.
const MOST_TERMS: u32 = 64;

/// The first QEMU that takes no plugin of version 1 of its interface any more.
const TOO_NEW: u32 = 9;

/// Long enough for QEMU to print its help on a busy host.
const PATIENCE: Duration = Duration::from_secs(20);

/// What QEMU loads to count.
#[derive(Debug, Clone)]
pub struct Plugin {
    /// The shared object.
    pub file: PathBuf,
    /// Whether caches and TLBs are modelled too.
    pub model: bool,
}

/// What was counted in a boot.
#[derive(Debug, Default)]
pub struct Counts {
    /// By request.
    pub requests: BTreeMap<u32, Counted>,
    /// What was called by what, in kernels and hypervisors; each behind its parent. The first ones are the places themselves.
    pub called: Vec<Called>,
    /// The modules that the machine's kernels had loaded.
    pub modules: Vec<LoadedModule>,
}

/// A module that a kernel has loaded.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LoadedModule {
    /// Of the kernel of a machine inside which the layer runs.
    pub outside: bool,
    /// Its name, as [`tare_proto::mark::named`] has it.
    pub name: u64,
    /// Where its code begins.
    pub at: u64,
}

/// A function that was called or entered.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Called {
    /// The number of what called it; its own of a place.
    pub parent: usize,
    /// Whose code it is.
    pub place: Place,
    /// Its address.
    pub start: u64,
}

/// What was counted of one request, per operation.
#[derive(Debug, Default)]
pub struct Counted {
    /// Instructions and crossings by place, by name.
    pub counters: BTreeMap<String, f64>,
    /// Instructions by what was called (a number of [`Counts::called`]) and the address of the block of code that they are in; at address 0 is
    /// what the plugin had no room for.
    pub executed: BTreeMap<(usize, u64), f64>,
    /// Entries from less privileged code by the address that is entered.
    pub entered: BTreeMap<(Place, u64), f64>,
}

/// Why there are no counts.
#[derive(Debug, thiserror::Error)]
pub enum CountError {
    /// The file is not there or cannot be read.
    #[error("what was counted cannot be read from {0}: {1}")]
    File(PathBuf, io::Error),
    /// The file is not what the plugin writes: cut short, or of another version.
    #[error("{0} holds no counts: {1}")]
    Foreign(PathBuf, String),
}

impl Plugin {
    /// Reads what the plugin wrote to `path` during a boot; `None` when there is no file: the layer is
    /// none that counts (the plugin makes its file when it is loaded, and without it QEMU does not start).
    pub fn read(path: &Path) -> Result<Option<Counts>, CountError> {
        if !path.exists() {
            return Ok(None);
        }
        let file = |e| CountError::File(path.to_owned(), e);
        let text = bounded::text(path, LONGEST).map_err(file)?;
        parse(&text).map(Some).map_err(|why| CountError::Foreign(path.to_owned(), why))
    }

    /// The argument of QEMU's `-plugin` for counting into the file `out`; `domains` where a second kernel serves the measured one.
    pub(crate) fn argument(&self, out: &str, domains: bool) -> String {
        // In QEMU's lists a comma is doubled to be one.
        let doubled = |text: &str| text.replace(',', ",,");
        let model = if self.model { "on" } else { "off" };
        format!(
            "file={},out={},model={model}{}",
            doubled(&self.file.to_string_lossy()),
            doubled(out),
            if domains { ",domains=on" } else { "" }
        )
    }

    pub(crate) fn check(&self, emulator: &Path) -> Result<(), Unavailable> {
        let ask = |argument| output(plain(emulator).arg(argument), PATIENCE);
        let name = emulator.display();
        let help = ask("-help").unwrap_or_default();
        if !help.lines().any(|line| line.trim_start().starts_with("-plugin")) {
            return Err(Unavailable::new(
                format!("{name} is built without plugins, so nothing can be counted"),
                "leave --count, --model and --explain out, or give a QEMU that has -plugin (emulator=)",
            ));
        }
        let version = ask("--version").unwrap_or_default();
        match major(&version) {
            Some(major) if major < TOO_NEW => Ok(()),
            _ => Err(Unavailable::new(
                format!(
                    "{name} does not support version 1 of the plugin interface: {}",
                    version.lines().next().unwrap_or_default()
                ),
                "leave --count, --model and --explain out, or give a QEMU from 6.0 to 8.2 (emulator=)",
            )),
        }
    }
}

/// The major version in what `qemu-system-x86_64 --version` says.
fn major(said: &str) -> Option<u32> {
    let number = said.strip_prefix("QEMU emulator version ")?;
    number.split('.').next()?.parse().ok()
}

#[derive(Deserialize)]
struct Head {
    tare_plugin: u32,
    regions: usize,
    /// Where the text of Xen's first domain is, for copies of the machine.
    #[serde(default)]
    dom0: Option<String>,
    /// Marks came from elsewhere than where the probe is linked.
    misplaced: bool,
    /// Parent, place and address of each function that was called.
    called: Vec<(usize, String, String)>,
    /// Whether it is outside of the layer, the name as a number, and the address of each module.
    modules: Vec<(bool, String, String)>,
}

/// What was counted of one term of a request.
#[derive(Deserialize)]
struct Region {
    id: u32,
    term: u32,
    negative: bool,
    per: f64,
    ops: u64,
    counts: BTreeMap<String, u64>,
    executed: Written,
    entered: Written,
}

/// Counts by the name of a place and by an address in hexadecimal.
type Written = BTreeMap<String, BTreeMap<String, u64>>;

/// The argument by which the plugin of a copy knows what that of the machine itself, which has written `counts`, has found.
pub(crate) fn known_to_copies(counts: &[u8]) -> String {
    let head = counts.split(|byte| *byte == b'\n').next().unwrap_or_default();
    let head = serde_json::from_slice::<Head>(head).ok();
    let dom0 = head.and_then(|head| head.dom0).filter(|dom0| hexadecimal(dom0).is_some());
    dom0.map_or_else(String::new, |dom0| format!(",dom0={dom0}"))
}

/// Reads what a machine has counted, or one after another several copies of it.
fn parse(text: &str) -> Result<Counts, String> {
    let mut lines = text.lines();
    let mut head = Some(lines.next().ok_or("it is empty")?);
    let (mut all, mut known) = (Counts::default(), Known::new());
    while let Some(begin) = head {
        let of: Head = serde_json::from_str(begin).map_err(|e| format!("its first line: {e}"))?;
        of.check()?;
        for module in &of.modules {
            all.modules.push(read_module(module).ok_or("an odd module")?);
        }
        let numbers = add_called(&mut all.called, &mut known, &of.called)?;
        for read in 0..of.regions {
            let cut = || format!("it is cut short: {read} of {} regions", of.regions);
            let region = lines.next().ok_or_else(cut)?;
            let region: Region =
                serde_json::from_str(region).map_err(|e| format!("a region: {e}"))?;
            add(all.requests.entry(region.id).or_default(), region, &numbers)?;
        }
        head = lines.next();
    }
    Ok(all)
}

impl Head {
    /// Whether it is the plugin's, and what it counted the probe's.
    fn check(&self) -> Result<(), String> {
        if self.tare_plugin != 1 {
            return Err(format!("it is of version {}", self.tare_plugin));
        }
        match self.misplaced {
            true => Err("the probe is not linked where the plugin looks for it; build tare \
                         without TARE_PROBE"
                .into()),
            false => Ok(()),
        }
    }
}

/// The number of each function of [`Counts::called`] by its parent's (none for a place), its place and its address.
type Known = BTreeMap<(Option<usize>, &'static str, u64), usize>;

/// Adds the functions that one machine has called, unless they are known; their numbers among `all`.
fn add_called(
    all: &mut Vec<Called>,
    known: &mut Known,
    called: &[(usize, String, String)],
) -> Result<Vec<usize>, String> {
    let mut numbers = Vec::new();
    for (at, node) in called.iter().enumerate() {
        let own = read_called(at, node).ok_or("an odd function")?;
        let parent = numbers.get(own.parent).copied();
        let number = *known.entry((parent, own.place.name(), own.start)).or_insert(all.len());
        if number == all.len() {
            all.push(Called { parent: parent.unwrap_or(number), ..own });
        }
        numbers.push(number);
    }
    Ok(numbers)
}

/// Adds one term's share of each operation, as the probe adds its costs. `numbers` are those of the functions that its machine called.
fn add(sum: &mut Counted, region: Region, numbers: &[usize]) -> Result<(), String> {
    let Region { id, term, negative, per, ops, counts, executed, entered } = region;
    if ops == 0 || !per.is_finite() || per <= 0.0 || term > MOST_TERMS {
        return Err(format!("request {id}: {ops} operations, divided by {per}, in term {term}"));
    }
    let sign = if negative { -1.0 } else { 1.0 };
    let share = |count: u64| sign * count as f64 / ops as f64 / per;
    for (name, count) in counts {
        let fine = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || "_/".contains(c);
        if name.len() > 64 || !name.chars().all(fine) {
            return Err(format!("request {id}: an odd name"));
        }
        *sum.counters.entry(name).or_default() += share(count);
    }
    let odd = || format!("request {id}: an odd place or address");
    for (node, addresses) in executed {
        let node = node.parse().ok().and_then(|node: usize| numbers.get(node)).ok_or_else(odd)?;
        for (address, count) in addresses {
            let address = hexadecimal(&address).ok_or_else(odd)?;
            *sum.executed.entry((*node, address)).or_default() += share(count);
        }
    }
    for (place, addresses) in entered {
        let place = place_called(&place).ok_or_else(odd)?;
        for (address, count) in addresses {
            let address = hexadecimal(&address).ok_or_else(odd)?;
            *sum.entered.entry((place, address)).or_default() += share(count);
        }
    }
    let few = sum.counters.len() <= MAX_COUNTERS;
    few.then_some(()).ok_or_else(|| format!("request {id}: too many counters"))
}

fn hexadecimal(address: &str) -> Option<u64> {
    u64::from_str_radix(address, 16).ok()
}

fn place_called(name: &str) -> Option<Place> {
    Place::ALL.into_iter().find(|place| place.name() == name)
}

/// Function number `at`, whose parent is before it, or is itself of a place.
fn read_called(at: usize, (parent, place, start): &(usize, String, String)) -> Option<Called> {
    let (place, start) = (place_called(place)?, hexadecimal(start)?);
    let is_place = Place::ALL.get(at) == Some(&place) && *parent == at;
    (*parent < at || is_place).then_some(Called { parent: *parent, place, start })
}

fn read_module((outside, name, at): &(bool, String, String)) -> Option<LoadedModule> {
    Some(LoadedModule { outside: *outside, name: hexadecimal(name)?, at: hexadecimal(at)? })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::process::Command;

    const HEAD: &str = r#"{"tare_plugin":1,"regions":2,"model":null,"misplaced":false,"modules":[[true,"a1","ffffffffc0000000"]],"called":[[0,"probe","0"],[1,"user","0"],[2,"kernel","0"],[3,"dom0","0"],[4,"hypervisor","0"],[2,"kernel","ffffffff81000000"]]}"#;
    const PLUS: &str = r#"{"id":3,"term":0,"negative":false,"per":2.0,"ops":10,"batches":1,"counts":{"kernel/instructions":1000,"hypercall/iret":20},"executed":{"5":{"ffffffff81000000":900,"ffffffff81000010":100}},"entered":{"kernel":{"ffffffff81000000":10}}}"#;
    const MINUS: &str = r#"{"id":3,"term":1,"negative":true,"per":2.0,"ops":5,"batches":1,"counts":{"kernel/instructions":100},"executed":{"5":{"ffffffff81000010":100}},"entered":{}}"#;

    #[test]
    fn terms_are_summed_as_the_probe_sums_their_costs() {
        let counts = parse(&[HEAD, PLUS, MINUS].join("\n")).unwrap();
        let Counted { counters, executed, entered } = &counts.requests[&3];
        let place = Place::Kernel;
        assert_eq!(counts.called[5], Called { parent: 2, place, start: 0xffff_ffff_8100_0000 });
        let module = LoadedModule { outside: true, name: 0xa1, at: 0xffff_ffff_c000_0000 };
        assert_eq!(counts.modules, [module]);
        let wanted = [("hypercall/iret", 1.0), ("kernel/instructions", 40.0)];
        assert_eq!(*counters, wanted.map(|(name, value)| (name.to_owned(), value)).into());
        let at = |address: u64| (5, 0xffff_ffff_8100_0000 + address);
        assert_eq!(*executed, BTreeMap::from([(at(0), 45.0), (at(16), -5.0)]));
        assert_eq!(*entered, BTreeMap::from([((place, 0xffff_ffff_8100_0000), 0.5)]));
    }

    #[test]
    fn what_several_machines_counted_is_of_the_same_functions() {
        let other = HEAD.replace(":2,\"model\"", ":1,\"model\"");
        let other = other.replace("[2,\"kernel\",\"f", "[1,\"user\",\"77\"],[2,\"kernel\",\"f");
        let fourth = PLUS.replace("\"id\":3", "\"id\":4").replace("\"5\":", "\"6\":");
        let counts = parse(&[HEAD, PLUS, MINUS, &other, &fourth].join("\n")).unwrap();
        assert_eq!(counts.called.len(), 7);
        assert_eq!(counts.called[6], Called { parent: 1, place: Place::User, start: 0x77 });
        assert_eq!(counts.called[3], Called { parent: 3, place: Place::Dom0, start: 0 });
        let of = |request: u32| counts.requests[&request].executed.keys().map(|(node, _)| *node);
        assert!(of(3).chain(of(4)).all(|node| node == 5), "{counts:?}");
        assert!(parse(&[HEAD, PLUS, MINUS, "{}"].join("\n")).unwrap_err().contains("first line"));
    }

    #[test]
    fn what_is_not_the_plugins_is_refused() {
        let refused = |lines: &[&str]| parse(&lines.join("\n")).unwrap_err();
        assert!(refused(&[]).contains("empty"));
        assert!(refused(&[HEAD, PLUS]).contains("1 of 2 regions"));
        assert!(refused(&["{}"]).contains("first line"));
        assert!(refused(&[&HEAD.replace(":1,", ":7,")]).contains("version 7"));
        assert!(refused(&[&HEAD.replace("false", "true")]).contains("TARE_PROBE"));
        assert!(refused(&[HEAD, &PLUS[..40]]).contains("a region"));
        assert!(
            refused(&[HEAD, &PLUS.replace("\"ops\":10", "\"ops\":0")]).contains("0 operations")
        );
        assert!(refused(&[HEAD, &PLUS.replace("2.0", "-2.0")]).contains("divided by -2"));
        assert!(refused(&[HEAD, &PLUS.replace("iret", "\\u001b[2J")]).contains("odd name"));
        for (whole, odd) in
            [("81000010", "x"), ("\"5\":", "\"6\":"), ("\"kernel\":{", "\"moon\":{")]
        {
            assert!(refused(&[HEAD, &PLUS.replace(whole, odd)]).contains("odd place"), "{odd}");
        }
        assert!(refused(&[&HEAD.replace("a1", "m1"), PLUS]).contains("odd module"));
        let orphan = HEAD.replace("[2,\"kernel\",\"f", "[7,\"kernel\",\"f");
        assert!(refused(&[&orphan, PLUS]).contains("odd function"));
        let folder = Plugin::read(Path::new("/")).unwrap_err().to_string();
        assert!(folder.contains("cannot be read from /"), "{folder}");
        assert!(Plugin::read(Path::new("/nowhere/counts")).unwrap().is_none());
    }

    fn emulator(folder: &Path, help: &str, version: &str) -> PathBuf {
        use std::os::unix::fs::PermissionsExt;
        let path = folder.join("qemu");
        let script = format!(
            "#!/bin/sh\ncase $1 in\n-help) echo '{help}';;\n--version) echo '{version}';;\nesac\n"
        );
        std::fs::write(folder.join("text"), script).unwrap();
        // Copied by another process: a descriptor of ours that a fork holds would make it busy.
        let copied = Command::new("cp").arg(folder.join("text")).arg(&path).status().unwrap();
        assert!(copied.success());
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).unwrap();
        path
    }

    #[test]
    fn a_qemu_that_cannot_count_says_why() {
        let folder = tempfile::tempdir().unwrap();
        let plugin = Plugin { file: "/plugin".into(), model: false };
        let check = |help, version| plugin.check(&emulator(folder.path(), help, version));
        let has = "-plugin [file=]<file>";
        assert!(check(has, "QEMU emulator version 7.2.22 (Debian)").is_ok());
        let without = check("-smp n", "QEMU emulator version 7.2.22").unwrap_err();
        assert!(without.why.contains("built without plugins"), "{without}");
        let newer = check(has, "QEMU emulator version 9.0.1").unwrap_err();
        assert!(newer.why.contains("version 9.0.1") && newer.remedy.contains("8.2"), "{newer}");
    }
}
