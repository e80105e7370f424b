//! Names that programs look up on any machine: `localhost`, and what the machine calls itself.

use crate::sys::node_name;
use std::fs::{self, OpenOptions};
use std::io::{self, Write};
use std::path::Path;

/// What a guest is called, and every container of tare's.
const GUEST: &str = "tare";

/// What a kernel calls itself that nobody has named.
const NONE: &str = "(none)";

/// The largest file of names that is read.
const MOST: u64 = 1 << 20;

/// Names this guest, unless it has a name.
pub fn call_guest() -> io::Result<()> {
    if node_name() != NONE {
        return Ok(());
    }
    // SAFETY: the name is as long as is said.
    match unsafe { libc::sethostname(GUEST.as_ptr().cast(), GUEST.len()) } {
        0 => Ok(()),
        _ => Err(io::Error::last_os_error()),
    }
}

/// Adds to `/etc` of the root at `root` what is missing: both names in `hosts`, `hostname`, and a `resolv.conf` without a
/// server. What is there stays as it is.
pub fn make_known(root: &Path) -> io::Result<()> {
    let etc = root.join("etc");
    let own = node_name();
    fs::create_dir_all(&etc)?;
    for (name, text) in [("hostname", format!("{own}\n")), ("resolv.conf", String::new())] {
        let path = etc.join(name);
        if fs::symlink_metadata(&path).is_err() {
            fs::write(path, text)?;
        }
    }
    let hosts = etc.join("hosts");
    let there = match (fs::symlink_metadata(&hosts), fs::metadata(&hosts)) {
        (Err(_), _) => String::new(),
        (Ok(_), Ok(found)) if found.is_file() && found.len() <= MOST => {
            String::from_utf8_lossy(&fs::read(&hosts)?).into_owned()
        }
        _ => return Ok(()), // a link to nowhere, or no file of names
    };
    let more = missing(&there, &own);
    if more.is_empty() {
        return Ok(());
    }
    OpenOptions::new().create(true).append(true).open(hosts)?.write_all(more.as_bytes())
}

/// Lines for those of the names that `hosts` lacks.
fn missing(hosts: &str, own: &str) -> String {
    let lines = || hosts.lines().map(|line| line.split('#').next().unwrap_or_default());
    let known = |name: &str| lines().any(|line| line.split_whitespace().skip(1).any(|w| w == name));
    let mut names = vec!["localhost", own];
    names.dedup();
    names.retain(|name| !known(name));
    let more: String = names.iter().map(|name| format!("127.0.0.1 {name}\n")).collect();
    let unended = !more.is_empty() && !hosts.is_empty() && !hosts.ends_with('\n');
    if unended { format!("\n{more}") } else { more }
}
