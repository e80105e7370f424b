//! The root of programs: the container's own, a namespace of mounts that the probe makes, or what a guest mounts. It is made
//! when a program is first asked for, so that a boot without programs has none of it.

use super::{names, stage};
use crate::sys::uid;
use crate::{device, facts, free};
use std::ffi::CString;
use std::fs::{self, File};
use std::io::{self, Read, Write};
use std::net::Shutdown;
use std::os::fd::{IntoRawFd, RawFd};
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::sync::OnceLock;
use tare_proto::{
    ROOT, ROOT_DISK, ROOT_FOLDER, ROOT_HERE, ROOT_HOSTFS, ROOT_IMAGE, ROOT_NONE, ROOT_OVERLAY,
};

/// Where a guest makes the root of its programs.
const GUEST: &str = "/tare-root";

/// What a child does to be in the root.
#[derive(Clone)]
pub enum Root {
    /// Nothing.
    Here,
    /// It changes its root to this folder.
    Folder(CString),
    /// It joins these namespaces, which stay open, in this order.
    Namespaces(Vec<RawFd>),
}

/// The part of a guest's memory that its programs may fill with files, in percent.
const OF_GUEST: u64 = 50;

/// The root, or why this layer has none. With `own_network` it has no network but a loopback interface of its own.
pub fn root(own_network: bool) -> Result<&'static Root, String> {
    static ROOT: OnceLock<Result<Root, String>> = OnceLock::new();
    static ALONE: OnceLock<Result<Root, String>> = OnceLock::new();
    let root = if own_network && shares_network() { &ALONE } else { &ROOT };
    root.get_or_init(|| make(own_network)).as_ref().map_err(Clone::clone)
}

/// Whether programs have the host's network: over the host's own files, natively.
fn shares_network() -> bool {
    let told = std::env::var(ROOT).unwrap_or_default();
    told.strip_prefix(ROOT_OVERLAY).is_some_and(|both| both.ends_with(":/"))
}

impl Root {
    /// Enters it; only makes system calls, as is allowed between fork and exec.
    pub fn enter(&self) -> io::Result<()> {
        match self {
            Root::Here => Ok(()),
            // SAFETY: the path is NUL-terminated.
            Root::Folder(path) => done(unsafe { libc::chroot(path.as_ptr()) }),
            Root::Namespaces(all) => all.iter().try_for_each(|one| {
                // SAFETY: setns takes two numbers.
                done(unsafe { libc::setns(*one, 0) })
            }),
        }
    }
}

fn done(result: libc::c_int) -> io::Result<()> {
    if result == 0 { Ok(()) } else { Err(io::Error::last_os_error()) }
}

fn make(own_network: bool) -> Result<Root, String> {
    let told = std::env::var(ROOT).unwrap_or_default();
    if told.starts_with(ROOT_HERE) {
        if own_network && uid() != 0 {
            return Err("natively a service takes root, for a network of its own".into());
        }
        let done = names::make_known(Path::new("/"));
        // An ordinary user's program on the host's files as they are: its names are the host's affair.
        let done = if uid() == 0 { done } else { Ok(()) };
        return done.map(|()| Root::Here).map_err(|why| format!("no names in /etc: {why}"));
    }
    if let Some(why) = told.strip_prefix(ROOT_NONE) {
        return Err(why.trim().to_owned());
    }
    if let Some(folder) = told.strip_prefix(ROOT_HOSTFS) {
        return guest("none", "hostfs", folder);
    }
    if let Some(device) = told.strip_prefix(ROOT_IMAGE) {
        return guest(device, "erofs", "");
    }
    if let Some(folder) = told.strip_prefix(ROOT_FOLDER) {
        return of_guest(Path::new(folder)).map_err(|why| format!("no root for programs: {why}"));
    }
    match overlay(&told) {
        Some((mib, stage, lower)) => {
            let made = namespaces(mib, Path::new(stage), Path::new(lower), own_network);
            made.map_err(|why| why.to_string())
        }
        None => Err("this kind of layer cannot show a program this host's files; give the program a root of its own (--root)".into()),
    }
}

/// How much the overlay holds, in MiB, where it is to be, and over what.
fn overlay(told: &str) -> Option<(&str, &str, &str)> {
    let (mib, folders) = told.strip_prefix(ROOT_OVERLAY)?.split_once(':')?;
    let (stage, lower) = folders.split_once(':')?;
    Some((mib, stage, lower))
}

/// How much programs may write, and what changes that; `None` where no overlay is limited.
pub fn room() -> Option<String> {
    let told = std::env::var(ROOT).unwrap_or_default();
    let of_container = || told.strip_prefix(ROOT_HERE)?.strip_prefix(':');
    let free = |place: &str| Some(free::space(&CString::new(place).ok()?).ok()?? >> 20);
    let of_process = overlay(&told).map(|(mib, stage, _)| (mib, stage));
    match of_process.or(of_container().map(|mib| (mib, "/"))) {
        Some((stage::IN_FOLDER, place)) => {
            let free = free(place)?;
            return Some(format!(
                "what it writes lies on a disk of this host, where {free} MiB are left (--scratch disk=DIR)"
            ));
        }
        Some((mib, _)) => {
            return Some(format!(
                "what it writes may take {mib} MiB of this host's memory (--overlay-limit)"
            ));
        }
        None => {}
    }
    let is_guest = [ROOT_HOSTFS, ROOT_IMAGE].iter().any(|kind| told.starts_with(kind));
    if is_guest && std::env::var_os(ROOT_DISK).is_some() {
        let free = free(GUEST)?;
        return Some(format!(
            "what it writes lies on a disk, where {free} MiB are left (--overlay-limit); {ON_FULL}"
        ));
    }
    is_guest.then(|| {
        let mib = facts::memory_kib("MemTotal") * OF_GUEST / 100 / 1024;
        format!("what it writes may take half of this guest's memory, {mib} MiB (--memory)")
    })
}

/// Lets a guest's kernel forget what it has cached of the host's files: User-Mode Linux keeps one of the host's open for each, and
/// may have no more of them than the host lets it. The next program's own runs to warm up fill its caches again.
pub fn forget_files() {
    if std::env::var(ROOT).is_ok_and(|told| told.starts_with(ROOT_HOSTFS)) {
        let _ = fs::write("/proc/sys/vm/drop_caches", "3"); // what is still too many is said by the program that fails
    }
}

/// A guest's root: a read-only file system below an overlay in memory, or on the guest's disk for that.
fn guest(source: &str, kind: &str, options: &str) -> Result<Root, String> {
    let stage = Path::new(GUEST);
    let lower = stage.join("lower");
    let disk = disk()?;
    let make = || -> io::Result<Root> {
        fs::create_dir_all(stage)?;
        match &disk {
            Some(disk) => stage::mount(disk, stage, "ext4", libc::MS_NODEV, "")?,
            None => stage::memory(stage, &format!("{OF_GUEST}%"))?,
        }
        fs::create_dir(&lower)?;
        stage::mount(source, &lower, kind, libc::MS_RDONLY, options)?;
        of_guest(&stage::overlay(stage, None, &lower)?)
    };
    make().map_err(|why| match why.raw_os_error() {
        Some(libc::EIO) if disk.is_some() => format!("no root for programs: {why}; {ON_FULL}"),
        _ => format!("no root for programs: {why}"),
    })
}

/// Why a guest's disk answers with errors of input and output.
const ON_FULL: &str = "its disk is a file of this host, and the host's disk may be full";

/// The disk to which this guest's programs write, if it was given one.
fn disk() -> Result<Option<String>, String> {
    let Ok(disk) = std::env::var(ROOT_DISK) else { return Ok(None) };
    let size = device::size(&disk);
    let why = |error| format!("no disk for what programs write: {}", device::why(&disk, &error));
    size.map(|_| ()).map_err(why)?;
    Ok(Some(disk))
}

/// The root at the folder `root` of a guest, with what programs expect there.
fn of_guest(root: &Path) -> io::Result<Root> {
    for (kind, place) in [("proc", "proc"), ("sysfs", "sys"), ("devtmpfs", "dev")] {
        let place = root.join(place);
        fs::create_dir_all(&place)?;
        stage::mount(kind, &place, kind, 0, "")?;
    }
    stage::devices(root)?;
    names::call_guest()?;
    names::make_known(root)?;
    Ok(Root::Folder(CString::new(root.as_os_str().as_encoded_bytes())?))
}

/// A process makes the namespaces, the probe opens them, and the process is gone.
fn namespaces(mib: &str, stage: &Path, lower: &Path, own_network: bool) -> io::Result<Root> {
    let (mut ours, mut theirs) = UnixStream::pair()?;
    let child = crate::process::fork(|| {
        let made = stage::namespace(mib, stage, lower, own_network);
        let told = made.as_ref().map_or_else(ToString::to_string, |_| String::new());
        let _ = theirs.write_all(told.as_bytes());
        let _ = theirs.shutdown(Shutdown::Write);
        let _ = theirs.read(&mut [0]); // until the probe has opened them
        0
    })?;
    drop(theirs);
    let mut why = String::new();
    ours.read_to_string(&mut why)?;
    let kinds = ["user", "mnt", "net"].into_iter().skip(usize::from(!stage::has_users()));
    let open = |kind| File::open(format!("/proc/{child}/ns/{kind}"));
    let opened = match why.is_empty() {
        true => kinds.map(open).collect::<io::Result<Vec<File>>>(),
        false => Err(io::Error::other(why)),
    };
    let _ = ours.shutdown(Shutdown::Both); // the child holds a copy of it
    let _ = crate::process::wait(child);
    // They stay open for the life of the probe.
    Ok(Root::Namespaces(opened?.into_iter().map(IntoRawFd::into_raw_fd).collect()))
}
