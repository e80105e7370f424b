//! Tracepoints by name: their numbers and where their records hold what. Where tracefs is mounted nowhere, an own instance is used, which
//! stands in no folder and goes with its descriptor.

use std::ffi::CStr;
use std::fs;
use std::io;
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd};
use std::path::{Path, PathBuf};

/// Where systems mount it.
const USUAL: [&str; 2] = ["/sys/kernel/tracing", "/sys/kernel/debug/tracing"];

/// `FSCONFIG_CMD_CREATE` (`linux/mount.h`).
const CREATE: libc::c_uint = 6;

/// `FSOPEN_CLOEXEC` and `FSMOUNT_CLOEXEC`.
const CLOSE_ON_EXEC: libc::c_uint = 1;

/// The file system of tracepoints.
pub(crate) struct Tracefs {
    root: PathBuf,
    _own: Option<OwnedFd>,
}

/// A tracepoint.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Format {
    pub id: u64,
    fields: Vec<(String, Field)>,
}

/// Where a record holds a number.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Field {
    offset: usize,
    size: usize,
}

impl Tracefs {
    pub(crate) fn open() -> io::Result<Tracefs> {
        let mounted = USUAL.iter().map(Path::new).find(|path| path.join("events/sched").is_dir());
        if let Some(path) = mounted {
            return Ok(Tracefs { root: path.to_owned(), _own: None });
        }
        let own = own_instance()?;
        let root = PathBuf::from(format!("/proc/self/fd/{}", own.as_raw_fd()));
        Ok(Tracefs { root, _own: Some(own) })
    }

    /// The one at `root`, whatever it is.
    #[cfg(test)]
    pub(crate) fn at(root: &Path) -> Tracefs {
        Tracefs { root: root.to_owned(), _own: None }
    }

    /// The tracepoint of this name (`sched/sched_switch`).
    pub(crate) fn tracepoint(&self, name: &str) -> io::Result<Format> {
        let text = fs::read_to_string(self.root.join("events").join(name).join("format"))?;
        Format::parse(&text).ok_or_else(|| io::Error::other("its format is not understood"))
    }
}

/// An instance that is mounted nowhere.
fn own_instance() -> io::Result<OwnedFd> {
    let made = |fd: libc::c_long| match fd {
        // SAFETY: a descriptor that the kernel has just made for us.
        0.. => Ok(unsafe { OwnedFd::from_raw_fd(fd as i32) }),
        _ => Err(io::Error::last_os_error()),
    };
    let name: &CStr = c"tracefs";
    // SAFETY: the name is a text that outlives the call.
    let context = unsafe { libc::syscall(libc::SYS_fsopen, name.as_ptr(), CLOSE_ON_EXEC) };
    let context = made(context)?;
    let (fd, none) = (context.as_raw_fd(), std::ptr::null::<libc::c_char>());
    // SAFETY: the command takes neither key nor value.
    let created = unsafe { libc::syscall(libc::SYS_fsconfig, fd, CREATE, none, none, 0) };
    if created != 0 {
        return Err(io::Error::last_os_error());
    }
    // SAFETY: plain numbers.
    made(unsafe { libc::syscall(libc::SYS_fsmount, fd, CLOSE_ON_EXEC, 0) })
}

impl Format {
    pub(crate) fn parse(text: &str) -> Option<Format> {
        let id = text.lines().find_map(|line| line.strip_prefix("ID:"))?.trim().parse().ok()?;
        let fields = text.lines().filter_map(field).collect();
        Some(Format { id, fields })
    }

    /// Where the field of this name is.
    pub(crate) fn field(&self, name: &str) -> Option<Field> {
        Some(self.fields.iter().find(|(known, _)| known == name)?.1)
    }
}

/// A line `field:TYPE NAME; offset:N; size:N; signed:N;`.
fn field(line: &str) -> Option<(String, Field)> {
    let mut parts = line.trim().split(';').map(str::trim);
    let named = parts.next()?.strip_prefix("field:")?;
    let name = named.rsplit([' ', '*']).next()?.split('[').next()?.to_owned();
    let mut number = |key: &str| parts.next()?.strip_prefix(key)?.parse::<usize>().ok();
    let (offset, size) = (number("offset:")?, number("size:")?);
    Some((name, Field { offset, size }))
}

impl Field {
    /// The letters in `raw`, up to a NUL; `None` when the record is shorter.
    pub(crate) fn letters(self, raw: &[u8]) -> Option<&[u8]> {
        raw.get(self.offset..self.offset + self.size)?.split(|letter| *letter == 0).next()
    }

    /// The word of 8 bytes at place `at` of a field that is a list of them; `None` when the record or the field is shorter.
    pub(crate) fn word(self, at: usize, raw: &[u8]) -> Option<u64> {
        let field = raw.get(self.offset..self.offset + self.size)?;
        Some(u64::from_ne_bytes(field.chunks_exact(8).nth(at)?.try_into().ok()?))
    }

    /// The number in `raw`, sign-extended; `None` when the record is shorter, or the field is no number.
    pub(crate) fn of(self, raw: &[u8]) -> Option<i64> {
        let bytes = raw.get(self.offset..self.offset + self.size)?;
        Some(match self.size {
            4 => i32::from_ne_bytes(bytes.try_into().ok()?).into(),
            8 => i64::from_ne_bytes(bytes.try_into().ok()?),
            _ => return None,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FORMAT: &str = "name: sched_waking\nID: 375\nformat:\n\
        \tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n\n\
        \tfield:char comm[16];\toffset:8;\tsize:16;\tsigned:0;\n\
        \tfield:pid_t pid;\toffset:24;\tsize:4;\tsigned:1;\n\
        \tfield:long state;\toffset:32;\tsize:8;\tsigned:1;\n\n\
        print fmt: \"comm=%s pid=%d\", REC->comm, REC->pid\n";

    #[test]
    fn a_format_says_where_numbers_are() {
        let format = Format::parse(FORMAT).unwrap();
        assert_eq!(format.id, 375);
        let mut raw = [0u8; 40];
        raw[24..28].copy_from_slice(&(-7i32).to_ne_bytes());
        raw[32..].copy_from_slice(&(1i64 << 40).to_ne_bytes());
        let read = |name: &str, raw: &[u8]| format.field(name).and_then(|field| field.of(raw));
        assert_eq!(read("pid", &raw), Some(-7));
        assert_eq!(read("state", &raw), Some(1 << 40));
        assert_eq!(read("state", &raw[..39]), None, "cut short");
        assert_eq!(read("comm", &raw), None, "no number");
        raw[8..11].copy_from_slice(b"sh\0");
        let letters = |raw| format.field("comm").and_then(|field| field.letters(raw));
        assert_eq!((letters(&raw), letters(&raw[..20])), (Some(&b"sh"[..]), None));
        assert_eq!(format.field("args"), None);
        assert!(Format::parse("name: x\n").is_none());
    }
}
