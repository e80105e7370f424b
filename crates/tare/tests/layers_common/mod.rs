//! What the tests of layers share: a place of their own, and a search for anything left of it.
#![allow(dead_code)] // each test program uses its part

pub mod endings;
pub mod words;

use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};
use tare_layers::{BootName, Host, Keeper, Layer, Session, SessionError, Settings, configure};
use tare_proto::{Machine, Request};

/// Long enough for any boot on a busy machine whose disk stalls.
pub const LONG: Duration = Duration::from_secs(120);

/// An ordinary user and group, with no rights of their own.
pub const NOBODY: u32 = 65534;

/// gVisor as its users have it today: `cargo xtask packages testing` builds it.
pub const CURRENT_GVISOR: &str =
    concat!("runsc,runtime=", env!("CARGO_MANIFEST_DIR"), "/../../target/gvisor/runsc");

/// A folder of the test's own that every user may enter. Its name marks all that belongs to it.
pub struct Place {
    pub folder: PathBuf,
    pub host: Host,
    pub keeper: Keeper,
    marker: String,
    /// Processes of boots here, with their start times: numbers are used again.
    watched: Mutex<Vec<(u32, String)>>,
    /// Interfaces of others that were there before.
    foreign: Vec<String>,
}

impl Place {
    pub fn new() -> Place {
        static PLACES: AtomicU32 = AtomicU32::new(0);
        let number = PLACES.fetch_add(1, Ordering::Relaxed);
        let name = format!("layers-test-{}-{number}-", std::process::id());
        let folder = std::env::temp_dir().join(name);
        fs::create_dir(&folder).unwrap();
        let open = |path: &Path| fs::set_permissions(path, Permissions::from_mode(0o777)).unwrap();
        open(&folder);
        for name in ["boots", "cache"] {
            fs::create_dir(folder.join(name)).unwrap();
            open(&folder.join(name));
        }
        copy_program(env!("TARE_PROBE_FILE"), &folder.join("tare-probe"));
        copy_program(env!("TARE_VMM_FILE"), &folder.join("tare-vmm"));
        copy_program(env!("CARGO_BIN_EXE_tare"), &folder.join("tare"));
        Place::at(&folder)
    }

    /// The same place in another process.
    pub fn at(folder: &Path) -> Place {
        let vmm = Some(folder.join("tare-vmm"));
        let tare = Some(folder.join("tare"));
        let host = Host { vmm, tare, ..Host::new(folder.join("tare-probe"), folder.join("cache")) };
        let temporary = format!("TMPDIR={}", folder.join("boots").display());
        let args = vec![temporary, folder.join("tare").display().to_string(), "keep".into()];
        let keeper = Keeper { program: "env".into(), args, ..Keeper::default() };
        let marker = folder.file_name().unwrap().to_str().unwrap().to_owned();
        let watched = Mutex::default();
        Place { folder: folder.to_owned(), host, keeper, marker, watched, foreign: interfaces() }
    }

    /// Starts a boot that is named after this place.
    pub fn start(&self, layer: &dyn Layer, log: Option<&Path>) -> Result<Session, SessionError> {
        static BOOTS: AtomicU32 = AtomicU32::new(0);
        let number = BOOTS.fetch_add(1, Ordering::Relaxed);
        let id = format!("{}{}-{number}", self.marker, std::process::id());
        self.start_as(&id, number, layer, log)
    }

    /// The same for a boot with that name.
    pub fn start_as(
        &self,
        id: &str,
        number: u32,
        layer: &dyn Layer,
        log: Option<&Path>,
    ) -> Result<Session, SessionError> {
        let id = id.to_owned();
        tare_layers::start(
            layer,
            &self.host,
            &self.keeper,
            &BootName { id, number, ..BootName::default() },
            &[],
            log,
            || false,
        )
    }

    pub fn program(&self, name: &str, script: &str) -> PathBuf {
        let text = self.folder.join(format!("{name}.text"));
        fs::write(&text, format!("#!/bin/sh\n{script}\n")).unwrap();
        let path = self.folder.join(name);
        copy_program(&text, &path);
        fs::set_permissions(&path, Permissions::from_mode(0o755)).unwrap();
        path
    }

    /// Notes every process below this one; all must be gone when a boot has ended.
    pub fn watch(&self) -> usize {
        let mut open = children(std::process::id());
        let mut watched = self.watched.lock().unwrap();
        while let Some(pid) = open.pop() {
            watched.extend(start_time(pid).map(|time| (pid, time)));
            open.extend(children(pid));
        }
        watched.len()
    }

    /// Fails unless, within a while, nothing is left of any boot here.
    pub fn assert_clean(&self, after: &str) {
        let deadline = Instant::now() + Duration::from_secs(20);
        loop {
            let traces = self.traces();
            if traces.is_empty() {
                self.watched.lock().unwrap().clear();
                return;
            }
            assert!(Instant::now() < deadline, "{after} left {traces:#?}");
            std::thread::sleep(Duration::from_millis(20));
        }
    }

    /// Processes, mounts, cgroups and files that carry this place's name.
    fn traces(&self) -> Vec<String> {
        let mut found = named(&self.folder.join("boots"), "", 1);
        // A record of a boot goes when nothing of it is left.
        found.extend(named(&self.folder.join("cache"), &self.marker, 2));
        for (root, depth) in [("/sys/fs/cgroup", 4), ("/dev/shm", 1), ("/run", 3)] {
            found.extend(named(Path::new(root), &self.marker, depth));
        }
        // LXC's locks, by the folder of the boot.
        let boots = self.folder.join("boots");
        let locks = Path::new("/run/lxc/lock").join(boots.strip_prefix("/").unwrap_or(&boots));
        found.extend(named(&locks, "", 1));
        found.extend(self.of_runtimes());
        found.extend(interfaces().into_iter().filter(|name| !self.foreign.contains(name)));
        let mounts = fs::read_to_string("/proc/self/mountinfo").unwrap();
        found.extend(mounts.lines().filter(|l| l.contains(&self.marker)).map(str::to_owned));
        let watched = self.watched.lock().unwrap();
        let alive = watched.iter().filter(|(pid, time)| start_time(*pid).as_ref() == Some(time));
        found.extend(alive.map(|(pid, _)| format!("process {pid}, seen while booted")));
        let entries = fs::read_dir("/proc").unwrap().flatten();
        let pids = entries.filter_map(|e| e.file_name().to_str()?.parse::<u32>().ok());
        let others = pids.filter(|&pid| pid != std::process::id() && pid != parent());
        found.extend(others.filter(|&pid| self.marks(pid)).map(|pid| format!("process {pid}")));
        found
    }

    /// What a runtime remembers of a container of this place, which an engine has given a name of its own.
    fn of_runtimes(&self) -> Vec<String> {
        let states = fs::read_dir("/run/runc").into_iter().flatten().flatten();
        let files = states.map(|entry| entry.path().join("state.json"));
        let of_here =
            |file: &PathBuf| fs::read_to_string(file).is_ok_and(|text| text.contains(&self.marker));
        files.filter(of_here).map(|file| file.display().to_string()).collect()
    }

    /// Whether a process has this place's name in its words, its folder or its mounts. A sandbox's
    /// helpers may have none of them: see [`Place::watch`].
    fn marks(&self, pid: u32) -> bool {
        let within = |bytes: &[u8]| String::from_utf8_lossy(bytes).contains(&self.marker);
        let file = |name: &str| fs::read(format!("/proc/{pid}/{name}")).unwrap_or_default();
        let cwd = fs::read_link(format!("/proc/{pid}/cwd")).unwrap_or_default();
        ["cmdline", "mountinfo"].iter().any(|name| within(&file(name)))
            || within(cwd.as_os_str().as_encoded_bytes())
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        if std::env::var_os(PLACE).is_none() {
            let _ = fs::remove_dir_all(&self.folder);
        }
    }
}

/// Names the place for a test program that starts itself again.
pub const PLACE: &str = "LAYERS_TEST_PLACE";

fn parent() -> u32 {
    std::os::unix::process::parent_id()
}

/// Everything under `root`, to a depth, whose name contains `part`.
fn named(root: &Path, part: &str, depth: u32) -> Vec<String> {
    let mut found = Vec::new();
    for entry in fs::read_dir(root).into_iter().flatten().flatten() {
        if entry.file_name().to_string_lossy().contains(part) {
            found.push(entry.path().display().to_string());
        }
        if depth > 1 && entry.file_type().is_ok_and(|kind| kind.is_dir()) {
            found.extend(named(&entry.path(), part, depth - 1));
        }
    }
    found
}

/// The kind of a layer that may have settings.
pub fn kind_of(name: &str) -> &str {
    name.split(',').next().unwrap_or(name)
}

pub fn layer(settings: &str) -> Box<dyn Layer> {
    configure(Machine::Real, &Settings::parse(settings).unwrap()).unwrap().2
}

/// A request for the shortest benchmark that every layer has.
pub fn null_call(samples: u32, limit_ms: u64) -> Request {
    Request {
        id: 7,
        bench: "lmbench/null_call".into(),
        samples,
        batch_ns: 100_000,
        limit_ms,
        events: false,
        cache_bytes: 0,
        turns: false,
        term: None,
        program: None,
    }
}

pub fn disk_reads() -> Request {
    Request { bench: "disk/randread_4k@4".into(), ..null_call(3, 200) }
}

/// A request for files on a disk, by more users than a guest has memory for: only who has such files looks at that.
pub fn too_many_on_disk() -> Request {
    Request { bench: "aim7/mix-disk@500".into(), ..null_call(1, 200) }
}

pub fn one_on_disk() -> Request {
    Request { bench: "aim7/mix-disk@1".into(), ..null_call(1, 200) }
}

/// A request that every layer with a network to the host can answer.
pub fn net_transactions() -> Request {
    Request { bench: "net/tcp_rr".into(), ..null_call(3, 200) }
}

fn interfaces() -> Vec<String> {
    let entries = fs::read_dir("/sys/class/net").into_iter().flatten().flatten();
    let names = entries.map(|entry| entry.file_name().to_string_lossy().into_owned());
    names.filter(|name| name.starts_with("tare")).collect()
}

/// The processes that `of` has started or adopted.
pub fn children(of: u32) -> Vec<u32> {
    let tasks = fs::read_dir(format!("/proc/{of}/task")).into_iter().flatten().flatten();
    let texts = tasks.map(|t| fs::read_to_string(t.path().join("children")).unwrap_or_default());
    texts.flat_map(|t| t.split(' ').filter_map(|w| w.parse().ok()).collect::<Vec<_>>()).collect()
}

/// When a process started, unless it has ended.
fn start_time(pid: u32) -> Option<String> {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    let mut fields = stat[stat.rfind(')')? + 2..].split(' ');
    let living = fields.next()? != "Z";
    living.then(|| fields.nth(18).unwrap_or_default().to_owned())
}

/// Copies in another process: a file that this one has open for writing would be busy when another
/// test, forked at that moment, holds the descriptor too and this one starts the program.
pub fn copy_program(from: impl AsRef<std::ffi::OsStr>, to: &Path) {
    let copied = std::process::Command::new("cp").arg(from).arg(to).status().unwrap();
    assert!(copied.success());
}
