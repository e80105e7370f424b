//! What the processes of a layer see of this host's mounts: all of them, a copy that goes with them, or one in which hardly
//! anything can be written.

use crate::host::availability::user_namespaces;
use crate::{Unavailable, programs};
use nix::errno::Errno;
use nix::fcntl::AT_FDCWD;
use nix::mount::{MsFlags, mount};
use nix::sched::{CloneFlags, unshare};
use nix::sys::prctl;
use nix::sys::signal::Signal;
use nix::sys::stat::Mode;
use nix::unistd::{chdir, getegid, geteuid, mkdir, symlinkat};
use serde::{Deserialize, Serialize};
use std::ffi::{CStr, CString, OsString};
use std::fmt::Display;
use std::fs;
use std::io;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Longest time for trying it.
const LOOK: Duration = Duration::from_secs(10);

/// Which mounts a layer's processes have.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Mounts {
    /// Those of this host.
    #[default]
    Shared,
    /// A copy: what they mount goes with them.
    Own,
    /// A copy that is read-only, but for the boot's folders and these files and folders, and has no procfs, whose links
    /// (`/proc/PID/root`) lead to other processes' mounts. Files in memory lie at `memory`, a folder of the boot's that has a
    /// file system of its own.
    ReadOnly {
        /// What can be written all the same.
        but: Vec<PathBuf>,
        /// Where files in memory lie.
        memory: PathBuf,
    },
}

/// How a process gets there; what it needs is prepared, so that only system calls are left.
pub(crate) struct Entry {
    users: Option<[(&'static CStr, CString); 3]>,
    writable: Vec<CString>,
    memory: Option<CString>,
    folder: CString,
    procfs: Procfs,
}

/// What covers each procfs of this host, and the little of it that kernels read there.
#[derive(Default)]
struct Procfs {
    places: Vec<CString>,
    cpuinfo: Vec<u8>,
    exe: CString,
}

impl Mounts {
    /// The way in for a process of `program` that starts in `folder`, and may write there and in `folders`. `None` where it has
    /// nowhere to go.
    pub(crate) fn entry(
        &self,
        program: &Path,
        folder: &Path,
        folders: &[PathBuf],
    ) -> io::Result<Option<Entry>> {
        let (but, memory) = match self {
            Mounts::Shared => return Ok(None),
            Mounts::Own => (None, None),
            Mounts::ReadOnly { but, memory } => (Some(but), Some(memory)),
        };
        let plain = |path: &PathBuf| Ok(CString::new(path.as_os_str().as_bytes())?);
        let folder = folder.to_owned();
        let writable =
            but.map(|but| [folder.clone()].into_iter().chain(folders.to_vec()).chain(but.clone()));
        let writable = writable.into_iter().flatten().map(|path| plain(&path));
        Ok(Some(Entry {
            users: users()?,
            writable: writable.collect::<io::Result<_>>()?,
            memory: memory.map(plain).transpose()?,
            folder: plain(&folder)?,
            procfs: match memory {
                Some(_) => Procfs::of_this_host(program)?,
                None => Procfs::default(),
            },
        }))
    }
}

/// Whether this host can be made read-only for a layer.
pub fn check() -> Result<(), Unavailable> {
    if !geteuid().is_root() {
        user_namespaces()?;
    }
    let failed = |why: &dyn Display| {
        let why = format!("this host cannot be made read-only for what it starts: {why}");
        let remedy = "run tare where it may mount (as root, not in a container without CAP_SYS_ADMIN; Linux 5.12 or newer), or \
                      give the command a root of its own: --root";
        Unavailable::new(why, remedy)
    };
    let entry =
        Mounts::Own.entry(Path::new("true"), Path::new("/"), &[]).map_err(|e| failed(&e))?;
    let mut nothing = programs::plain("true");
    let enter =
        move || entry.as_ref().map_or(Ok(()), Entry::enter).and_then(|()| read_only(c"/", true));
    // SAFETY: both only make system calls, as is allowed between fork and exec.
    unsafe { nothing.pre_exec(enter) };
    programs::output(&mut nothing, LOOK).map(drop).map_err(|e| failed(&e))
}

/// What an ordinary user, who has mounts of the own only in a user namespace, writes there to be the same user.
fn users() -> io::Result<Option<[(&'static CStr, CString); 3]>> {
    if geteuid().is_root() {
        return Ok(None);
    }
    let user = geteuid();
    let group = getegid();
    Ok(Some([
        (c"/proc/self/setgroups", c"deny".to_owned()),
        (c"/proc/self/uid_map", CString::new(format!("{user} {user} 1"))?),
        (c"/proc/self/gid_map", CString::new(format!("{group} {group} 1"))?),
    ]))
}

impl Entry {
    /// Goes there; only makes system calls, as is allowed between fork and exec.
    pub fn enter(&self) -> io::Result<()> {
        let users =
            if self.users.is_some() { CloneFlags::CLONE_NEWUSER } else { CloneFlags::empty() };
        unshare(CloneFlags::CLONE_NEWNS | users)?;
        for (path, text) in self.users.iter().flatten() {
            write(path, text.to_bytes())?;
        }
        const NONE: Option<&CStr> = None;
        mount(NONE, c"/", NONE, MsFlags::MS_REC | MsFlags::MS_PRIVATE, NONE)?;
        if let Some(memory) = &self.memory {
            // Mounts of their own first: what is read-only is so by mount.
            for path in &self.writable {
                mount(Some(&**path), &**path, NONE, MsFlags::MS_BIND | MsFlags::MS_REC, NONE)?;
            }
            read_only(c"/", true)?;
            for path in &self.writable {
                read_only(path, false)?;
            }
            let flags = MsFlags::MS_NOSUID | MsFlags::MS_NODEV;
            mount(Some(c"tmpfs"), &**memory, Some(c"tmpfs"), flags, Some(c"mode=0700"))?;
            self.procfs.cover()?;
            chdir(&*self.folder)?; // where it was is below the new mount
        }
        Ok(prctl::set_pdeathsig(Signal::SIGKILL)?) // which another user namespace may take away
    }
}

impl Procfs {
    fn of_this_host(program: &Path) -> io::Result<Procfs> {
        let mounted = fs::read_to_string("/proc/self/mountinfo")?;
        let places = places_of_procfs(&mounted).into_iter().filter(|place| place.is_dir());
        let plain = |path: &Path| CString::new(path.as_os_str().as_bytes());
        Ok(Procfs {
            places: places.map(|place| plain(&place)).collect::<Result<_, _>>()?,
            cpuinfo: fs::read("/proc/cpuinfo")?,
            exe: plain(program)?,
        })
    }

    /// Puts a small file system over each; only makes system calls.
    fn cover(&self) -> io::Result<()> {
        let flags = MsFlags::MS_NOSUID | MsFlags::MS_NODEV | MsFlags::MS_NOEXEC;
        for place in &self.places {
            mount(Some(c"tmpfs"), &**place, Some(c"tmpfs"), flags, Some(c"mode=0755,size=16m"))?;
            if **place == *c"/proc" {
                // User-Mode Linux looks for the CPU's features, and newer ones start themselves again by the link.
                write(c"/proc/cpuinfo", &self.cpuinfo)?;
                mkdir(c"/proc/self", Mode::S_IRWXU)?;
                symlinkat(&*self.exe, AT_FDCWD, c"/proc/self/exe")?;
            }
            read_only(place, true)?;
        }
        Ok(())
    }
}

/// Where a procfs is mounted, by the lines of `mountinfo`; what lies below another of them is covered with it.
fn places_of_procfs(mountinfo: &str) -> Vec<PathBuf> {
    let mut places: Vec<PathBuf> = Vec::new();
    for line in mountinfo.lines() {
        let Some((mount, source)) = line.split_once(" - ") else { continue };
        let place = mount.split(' ').nth(4).filter(|_| source.starts_with("proc "));
        let Some(place) = place.map(unescaped) else { continue };
        if !places.iter().any(|above| place.starts_with(above)) {
            places.retain(|below| !below.starts_with(&place));
            places.push(place);
        }
    }
    places
}

/// A path of `mountinfo`, in which blanks and the like are octal numbers behind a backslash.
fn unescaped(text: &str) -> PathBuf {
    let mut bytes = Vec::new();
    let mut rest = text.as_bytes();
    while let [first, behind @ ..] = rest {
        let number = behind.get(..3).filter(|_| *first == b'\\').and_then(octal);
        bytes.push(number.unwrap_or(*first));
        rest = if number.is_some() { &behind[3..] } else { behind };
    }
    OsString::from_vec(bytes).into()
}

fn octal(digits: &[u8]) -> Option<u8> {
    u8::from_str_radix(std::str::from_utf8(digits).ok()?, 8).ok()
}

fn write(path: &CStr, bytes: &[u8]) -> io::Result<()> {
    let how = libc::O_WRONLY | libc::O_CREAT | libc::O_CLOEXEC;
    // SAFETY: the path is NUL-terminated.
    let file = Errno::result(unsafe { libc::open(path.as_ptr(), how, 0o444) })?;
    // SAFETY: the bytes are as long as is said.
    let written = Errno::result(unsafe { libc::write(file, bytes.as_ptr().cast(), bytes.len()) });
    // SAFETY: the descriptor is this function's own.
    unsafe { libc::close(file) };
    Ok(written.map(drop)?)
}

/// Whether what is mounted at `path` and below it is read-only from now on.
fn read_only(path: &CStr, set: bool) -> io::Result<()> {
    let flag = libc::MOUNT_ATTR_RDONLY;
    let (attr_set, attr_clr) = if set { (flag, 0) } else { (0, flag) };
    let attributes = libc::mount_attr { attr_set, attr_clr, propagation: 0, userns_fd: 0 };
    // SAFETY: the path is NUL-terminated, and the attributes are as long as is said.
    let done = unsafe {
        libc::syscall(
            libc::SYS_mount_setattr,
            libc::AT_FDCWD,
            path.as_ptr(),
            libc::AT_RECURSIVE,
            &attributes,
            size_of::<libc::mount_attr>(),
        )
    };
    Ok(Errno::result(done).map(drop)?)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::process::Command;

    /// What `script` prints, run by a shell that has those mounts.
    fn said(mounts: &Mounts, folder: &Path, folders: &[PathBuf], script: &str) -> String {
        let mut shell = Command::new("sh");
        shell.args(["-c", script]).current_dir(folder);
        if let Some(entry) = mounts.entry(Path::new("sh"), folder, folders).unwrap() {
            // SAFETY: `enter` only makes system calls, as is allowed between fork and exec.
            unsafe { shell.pre_exec(move || entry.enter()) };
        }
        let done = shell.output().unwrap();
        String::from_utf8(done.stdout).unwrap()
    }

    #[test]
    fn nothing_can_be_written_but_what_is_named() {
        let place = tempfile::tempdir().unwrap();
        let path = |name: &str| place.path().join(name);
        for folder in ["boot", "boot/memory", "disk", "other"] {
            fs::create_dir(path(folder)).unwrap();
        }
        fs::write(path("file"), "").unwrap();
        let mounts = Mounts::ReadOnly { but: vec![path("file")], memory: path("boot/memory") };
        let script = "cd \"$PWD\"; for file in own memory/in ../disk/in ../file ../other/no ../no /no /tmp/no /dev/shm/no \
                      /proc/self/comm; do (echo x > $file) 2> /dev/null && echo $file; done; echo x > /dev/null && echo null";
        let can = said(&mounts, &path("boot"), &[path("disk")], script);
        let expected = ["own", "memory/in", "../disk/in", "../file", "null"];
        assert_eq!(can.split_whitespace().collect::<Vec<_>>(), expected);
        assert!(
            path("boot/own").exists()
                && path("disk/in").exists()
                && !path("boot/memory/in").exists()
        );
        assert_eq!(
            said(&Mounts::Shared, &path("boot"), &[], "echo x > ../other/yes && echo yes"),
            "yes\n"
        );
    }

    #[test]
    fn no_link_of_procfs_leads_to_other_mounts() {
        let place = tempfile::tempdir().unwrap();
        let memory = place.path().join("memory");
        fs::create_dir(&memory).unwrap();
        let outside = place.path().with_extension("outside");
        let script = format!(
            "echo x > /proc/{}/root{outside}; ls /proc; readlink /proc/self/exe",
            std::process::id(),
            outside = outside.display()
        );
        let said = said(&Mounts::ReadOnly { but: vec![], memory }, place.path(), &[], &script);
        assert_eq!(said.split_whitespace().collect::<Vec<_>>(), ["cpuinfo", "self", "sh"]);
        assert!(!outside.exists());
    }

    #[test]
    fn every_procfs_is_found_wherever_it_is_mounted() {
        let mounted = "22 1 0:20 / /proc rw,nosuid shared:5 - proc proc rw\n\
                       23 22 0:21 / /proc/sys/fs/binfmt_misc rw - autofs systemd-1 rw\n\
                       24 22 0:20 /sys /proc/sys ro - proc proc rw\n\
                       25 1 8:1 / /process rw - ext4 /dev/a rw\n\
                       26 1 0:20 / /srv/a\\040b/proc rw - proc none rw\n";
        let expected = ["/proc", "/srv/a b/proc"].map(PathBuf::from);
        assert_eq!(places_of_procfs(mounted), expected);
        assert_eq!(unescaped("/a\\04"), PathBuf::from("/a\\04"));
    }

    #[test]
    fn mounts_are_shared_unless_a_copy_was_asked_for() {
        let mounts_of =
            |mounts: &Mounts| said(mounts, Path::new("/"), &[], "readlink /proc/self/ns/mnt");
        let own = fs::read_link("/proc/self/ns/mnt").unwrap();
        assert_eq!(mounts_of(&Mounts::Shared).trim(), own.to_str().unwrap());
        assert_ne!(mounts_of(&Mounts::Own).trim(), own.to_str().unwrap());
        check().unwrap();
    }
}
