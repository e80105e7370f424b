//! Where programs run: an overlay in memory over files that stay as they are. What programs write vanishes with it.
//!
//! Without room in memory (0 MiB), what they write stays in the stage's folder, on the disk where that lies. A stage in a folder where
//! it has stayed begins with it.
//!
//! An overlay shows one file system. Over the host's root, every file system that is mounted below it gets an overlay of
//! its own in its place; what cannot have one is shown read-only.

use super::names;
use crate::interface;
use crate::sys::{file_system, uid};
use std::ffi::CString;
use std::fs::{self, File};
use std::io;
use std::os::fd::AsRawFd;
use std::os::unix::fs::{MetadataExt, chown};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::ptr;
use std::sync::OnceLock;

/// The room in memory that stands for none: what is written stays in the stage's folder.
pub const IN_FOLDER: &str = "0";

/// Kinds of file systems that hold no files: the program gets its own of them.
const WITHOUT_FILES: &[&str] = &[
    "proc",
    "sysfs",
    "devtmpfs",
    "devpts",
    "cgroup",
    "cgroup2",
    "mqueue",
    "debugfs",
    "tracefs",
    "securityfs",
    "pstore",
    "bpf",
    "configfs",
    "fusectl",
    "hugetlbfs",
    "autofs",
    "binfmt_misc",
    "nsfs",
    "rpc_pipefs",
    "efivarfs",
    "selinuxfs",
];

/// The folders that a program finds in any case.
const HOST: &[&str] = &["proc", "sys", "dev"];

/// `tare-probe stage MIB STAGE LOWER COMMAND...`: becomes `COMMAND`, in a namespace of mounts where the root is at
/// STAGE/root. Returns only when that fails.
pub fn main(mib: &str, stage: &str, lower: &str, command: &[&str]) -> i32 {
    let made = alone(0).and_then(|()| build(mib, Path::new(stage), Path::new(lower)));
    let why = match (made, command) {
        (Err(why), _) => why,
        (Ok(_), [program, args @ ..]) => Command::new(program).args(args).exec(),
        (Ok(_), []) => io::Error::other("no command"),
    };
    eprintln!("tare-probe: {why}");
    1
}

/// Leaves this process in a namespace of mounts whose root is the stage's, with room for so many `mib`. A network that the layer was
/// given stays. Otherwise, over a root of its own or with `own_network`, it has one of its own with the loopback interface alone: two
/// boots of the host are alive at once, and their servers want the same ports.
pub fn namespace(mib: &str, stage: &Path, lower: &Path, own_network: bool) -> io::Result<()> {
    let alone_at = stage.join("own-network");
    let stage = match mib == IN_FOLDER && own_network {
        true => fs::create_dir_all(&alone_at).map(|()| alone_at.as_path())?, // beside one with the host's network
        false => stage,
    };
    if interface::has_namespace() || (lower == Path::new("/") && !own_network) {
        alone(0)?;
    } else {
        alone(libc::CLONE_NEWNET)?;
        interface::loopback_up();
    }
    let root = build(mib, stage, lower)?;
    for name in HOST {
        let place = root.join(name);
        fs::create_dir_all(&place)?;
        bind(&Path::new("/").join(name), &place, libc::MS_REC)?;
    }
    memory_at(&root.join("dev/shm"), "mode=1777,size=10%")?;
    std::env::set_current_dir(&root)?;
    // SAFETY: both paths are NUL-terminated constants.
    check("pivot_root", unsafe {
        libc::syscall(libc::SYS_pivot_root, c".".as_ptr(), c".".as_ptr())
    })?;
    // SAFETY: the path is a NUL-terminated constant.
    check("umount of the host's root", unsafe {
        libc::umount2(c".".as_ptr(), libc::MNT_DETACH).into()
    })?;
    names::make_known(Path::new("/"))
}

/// Whether namespaces of mounts need one of users: an ordinary user's do. In that namespace the user is root, so that it is known from
/// before.
pub fn has_users() -> bool {
    static USERS: OnceLock<bool> = OnceLock::new();
    *USERS.get_or_init(|| uid() != 0)
}

/// A namespace of mounts of its own, from which nothing gets out, and those of `more`.
fn alone(more: libc::c_int) -> io::Result<()> {
    let user = uid();
    let group = group();
    let users = if has_users() { libc::CLONE_NEWUSER } else { 0 };
    // SAFETY: unshare takes a number.
    let made = unsafe { libc::unshare(libc::CLONE_NEWNS | users | more) };
    check("a namespace of mounts", made.into())?;
    if users != 0 {
        fs::write("/proc/self/setgroups", "deny")?;
        fs::write("/proc/self/uid_map", format!("0 {user} 1"))?;
        fs::write("/proc/self/gid_map", format!("0 {group} 1"))?;
    }
    mount("none", Path::new("/"), "", libc::MS_REC | libc::MS_PRIVATE, "")
}

fn group() -> u32 {
    // SAFETY: getgid has no preconditions.
    unsafe { libc::getgid() }
}

/// The root at `stage`, over `lower`; where it is.
fn build(mib: &str, stage: &Path, lower: &Path) -> io::Result<PathBuf> {
    let table = fs::read_to_string("/proc/self/mountinfo")?;
    let kept = File::open(stage)?; // the memory hides it
    if mib != IN_FOLDER {
        memory(stage, &format!("{mib}m"))?;
    }
    let refused = |error: io::Error| match (mib, error.kind()) {
        (IN_FOLDER, io::ErrorKind::InvalidInput) => {
            let kind = file_system(stage);
            io::Error::other(format!(
                "{error}: this kernel takes no {kind} for what is written over other files; name a folder of another file system \
                 (--scratch disk=DIR)"
            ))
        }
        _ => error,
    };
    let root = overlay(stage, Some(&kept), lower).map_err(refused)?;
    if lower == Path::new("/") {
        for (number, (place, kind)) in mounted(&table).into_iter().enumerate() {
            let inside = root.join(place.strip_prefix("/").unwrap_or(&place));
            if WITHOUT_FILES.contains(&kind) || !inside.exists() {
                continue;
            }
            let over = || over(stage, Some(&kept), &number.to_string(), &place, &inside);
            let is_folder = place.is_dir() && inside.is_dir();
            if !is_folder || over().is_err() {
                bind(&place, &inside, 0)?;
                mount("none", &inside, "", libc::MS_REMOUNT | libc::MS_BIND | libc::MS_RDONLY, "")?;
            }
        }
    }
    Ok(root)
}

/// Memory for what is written, at `stage`, of that `size`.
pub fn memory(stage: &Path, size: &str) -> io::Result<()> {
    mount("tmpfs", stage, "tmpfs", libc::MS_NODEV, &format!("mode=0755,size={size}"))
}

/// An overlay over `lower`, and over what an earlier one has `kept`, with its memory at `stage`; where it is.
pub fn overlay(stage: &Path, kept: Option<&File>, lower: &Path) -> io::Result<PathBuf> {
    let root = stage.join("root");
    fs::create_dir_all(&root)?;
    over(stage, kept, "root", lower, &root)?;
    Ok(root)
}

/// What every root needs beside files, in a guest.
pub fn devices(root: &Path) -> io::Result<()> {
    memory_at(&root.join("dev/shm"), "mode=1777")?;
    let pts = root.join("dev/pts");
    fs::create_dir_all(&pts)?;
    mount("devpts", &pts, "devpts", 0, "newinstance,ptmxmode=0666,mode=0620")?;
    let links = [("fd", "fd"), ("fd/0", "stdin"), ("fd/1", "stdout"), ("fd/2", "stderr")];
    for (target, name) in links {
        let link = root.join("dev").join(name);
        if !link.exists() {
            std::os::unix::fs::symlink(format!("/proc/self/{target}"), link)?;
        }
    }
    Ok(())
}

fn memory_at(place: &Path, options: &str) -> io::Result<()> {
    fs::create_dir_all(place)?;
    mount("tmpfs", place, "tmpfs", libc::MS_NOSUID | libc::MS_NODEV, options)
}

/// Mounts an overlay over `lower` at `place`. What is written goes to folders of that `name` in the stage. Files are
/// named by descriptors, since a path may hold what separates options.
fn over(
    stage: &Path,
    kept: Option<&File>,
    name: &str,
    lower: &Path,
    place: &Path,
) -> io::Result<()> {
    let written = kept.map(|kept| format!("{}/upper-{name}", by_descriptor(kept)));
    let written = written.and_then(|written| File::open(written).ok());
    let folders = ["upper", "work"].map(|kind| stage.join(format!("{kind}-{name}")));
    folders.iter().try_for_each(fs::create_dir)?;
    if let (Ok(like), [upper, _]) = (fs::metadata(lower), &folders) {
        fs::set_permissions(upper, like.permissions())?; // /tmp stays open to all
        let _ = chown(upper, Some(like.uid()), Some(like.gid())); // fails for ids that are not mapped
    }
    let open = |path: &Path| File::open(path);
    let files = [open(lower)?, open(&folders[0])?, open(&folders[1])?];
    let [mut lower, upper, work] = files.each_ref().map(by_descriptor);
    if let Some(written) = &written {
        lower = format!("{}:{lower}", by_descriptor(written));
    }
    let own = if has_users() { ",userxattr" } else { "" };
    let options = format!("lowerdir={lower},upperdir={upper},workdir={work}{own}");
    // A program of the files below that runs as its owner runs as whoever starts it.
    let over = |more: &str| {
        mount("overlay", place, "overlay", libc::MS_NOSUID, &format!("{options}{more}"))
    };
    // A file keeps its number when it is copied up: git compares that before and after it makes a link.
    over(",xino=on").or_else(|_| over(""))
}

fn by_descriptor(file: &File) -> String {
    format!("/proc/self/fd/{}", file.as_raw_fd())
}

fn bind(from: &Path, to: &Path, more: libc::c_ulong) -> io::Result<()> {
    mount(&from.to_string_lossy(), to, "", libc::MS_BIND | more, "")
}

/// mount(2), whose error names the place.
pub fn mount(
    source: &str,
    place: &Path,
    kind: &str,
    flags: libc::c_ulong,
    options: &str,
) -> io::Result<()> {
    let [from, kind, data] = [source, kind, options].map(CString::new);
    let (from, kind, data) = (from?, kind?, data?);
    let to = CString::new(place.as_os_str().as_encoded_bytes())?;
    let kind_or_none = if kind.is_empty() { ptr::null() } else { kind.as_ptr() };
    // SAFETY: every string is NUL-terminated and lives through the call.
    let done = unsafe {
        libc::mount(from.as_ptr(), to.as_ptr(), kind_or_none, flags, data.as_ptr().cast())
    };
    let what = format!("mount of {} at {}", kind.to_string_lossy(), place.display());
    check(&what, done.into())
}

fn check(what: &str, done: libc::c_long) -> io::Result<()> {
    let error = io::Error::last_os_error();
    if done == 0 { Ok(()) } else { Err(io::Error::new(error.kind(), format!("{what}: {error}"))) }
}

/// Every place below the root where something is mounted, parents first, with the kind of its last mount.
fn mounted(table: &str) -> Vec<(PathBuf, &str)> {
    let mut places: Vec<(PathBuf, &str)> = Vec::new();
    for line in table.lines() {
        let kind = line.split_once(" - ").and_then(|(_, rest)| rest.split(' ').next());
        let (Some(place), Some(kind)) = (line.split(' ').nth(4), kind) else { continue };
        let place = PathBuf::from(plain(place));
        places.retain(|(other, _)| *other != place);
        let hidden = HOST.iter().any(|name| place.starts_with(Path::new("/").join(name)));
        if place != Path::new("/") && !hidden {
            places.push((place, kind));
        }
    }
    places
}

/// A path of the kernel's tables, which write blanks and backslashes as three octal digits.
fn plain(escaped: &str) -> String {
    let mut bytes = Vec::new();
    let mut rest = escaped.as_bytes();
    while let [first, others @ ..] = rest {
        let digits = others.get(..3).and_then(|digits| std::str::from_utf8(digits).ok());
        let byte = digits.and_then(|digits| u8::from_str_radix(digits, 8).ok());
        match byte.filter(|_| *first == b'\\') {
            Some(byte) => (bytes.push(byte), rest = &others[3..]),
            None => (bytes.push(*first), rest = others),
        };
    }
    String::from_utf8_lossy(&bytes).into_owned()
}
