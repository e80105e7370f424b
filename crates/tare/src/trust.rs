//! Whose words tare runs without being told so: what lies in the folder in which it was started, and a campaign that is gone on
//! with, may be anybody's. It must be this user's or root's, and nobody else may write to it or to its folder.

use crate::input;
use anyhow::{Context, Result, bail};
use nix::libc;
use nix::unistd::{getegid, geteuid};
use std::fs::{self, File, Metadata};
use std::io::{ErrorKind, Read};
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::Path;

/// The text of the file `name` in this folder, of at most `most` bytes; `None` when there is none.
///
/// # Errors
/// A file that somebody else may have written, or that is no text file.
pub fn own_text(name: &str, most: u64) -> Result<Option<String>> {
    // A FIFO has perhaps no other end.
    let opened =
        File::options().read(true).custom_flags(libc::O_NONBLOCK | libc::O_NOCTTY).open(name);
    let file = match opened {
        Err(e) if e.kind() == ErrorKind::NotFound => return Ok(None),
        opened => opened.with_context(|| format!("cannot read {name}"))?,
    };
    let found = file.metadata()?;
    if !found.is_file() {
        bail!("{name} is not a regular file; remove it, or name another one with --config");
    }
    let folder = fs::metadata(".").context("cannot look at this folder")?;
    let why = foreign(&folder, "its folder").or_else(|| foreign(&found, "it"));
    if let Some(why) = why {
        bail!(
            "{name} says what tare runs, and {why}. If it is yours, make it so (chown, chmod go-w) or name it (tare run --config {name}); if it is \
             not, work in another folder"
        );
    }
    input::text_of(file, Path::new(name), most).map(Some)
}

/// Whether the campaign in `folder` is this user's: what goes on with it runs what it says.
///
/// # Errors
/// One that somebody else may have written, or whose folder of logs is a link.
pub fn own_campaign(folder: &Path) -> Result<()> {
    let look = |path: &Path| {
        fs::metadata(path).with_context(|| format!("cannot look at {}", path.display()))
    };
    let file = folder.join(tare_store::FILE);
    let why = foreign(&look(folder)?, "its folder").or(foreign(&look(&file)?, "it"));
    if let Some(why) = why {
        let file = file.display();
        let folder = folder.display();
        bail!(
            "{file} says what tare runs, and {why}. If you trust it, go on with a copy that is yours: cp -r {folder} COPY, \
             then 'tare resume COPY'"
        );
    }
    Ok(())
}

/// Why what was `found` may be somebody else's; `None` when it is this user's.
fn foreign(found: &Metadata, what: &str) -> Option<String> {
    let user = geteuid().as_raw();
    let mode = found.mode();
    // Who may run anything as root by sudo has no need to be kept from it.
    let sudo = std::env::var("SUDO_UID").ok().filter(|_| user == 0).and_then(|id| id.parse().ok());
    if ![Some(0), Some(user), sudo].contains(&Some(found.uid())) {
        return Some(format!("{what} belongs to another user (uid {})", found.uid()));
    }
    let group = mode & 0o020 != 0 && !is_private(found.gid());
    let others = group || mode & 0o002 != 0;
    others.then(|| format!("others may write to {what} (mode {:o})", mode & 0o7777))
}

/// Whether `group` is this user's alone, as where everybody has a group and shares files with it by a umask of 002.
fn is_private(group: u32) -> bool {
    let table = |path: &str| {
        let mut text = String::new();
        let read = File::open(path).map(|file| file.take(16 << 20).read_to_string(&mut text));
        read.map(|_| text).unwrap_or_default()
    };
    group == getegid().as_raw()
        && is_alone(group, geteuid().as_raw(), &table("/etc/passwd"), &table("/etc/group"))
}

/// Whether those tables give `group` to `user` and to nobody else.
fn is_alone(group: u32, user: u32, users: &str, groups: &str) -> bool {
    let rows = |table: &'_ str| {
        table
            .lines()
            .map(|line| line.split(':').map(str::to_owned).collect::<Vec<_>>())
            .collect::<Vec<_>>()
    };
    let number = |row: &[String], at: usize| row.get(at).and_then(|word| word.parse::<u32>().ok());
    let users = rows(users);
    let with: Vec<_> = users.iter().filter(|row| number(row, 3) == Some(group)).collect();
    let name = match with[..] {
        [row] if number(row, 2) == Some(user) => &row[0],
        _ => return false,
    };
    let groups = rows(groups);
    let mut own = groups.iter().filter(|row| number(row, 2) == Some(group)).peekable();
    let members = |row: &Vec<String>| row.get(3).cloned().unwrap_or_default();
    own.peek().is_some()
        && own.all(|row| members(row).split(',').all(|member| member.is_empty() || member == *name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_private_group_is_no_other_users() {
        let users = "root:x:0:0::/root:/bin/sh\nann:x:1000:1000::/home/ann:/bin/sh\nbob:x:1001:1001:::\neve:x:1002:100:::\n";
        let groups = "root:x:0:\nann:x:1000:\nbob:x:1001:bob,ann\nusers:x:100:\n";
        let alone = |group, user| is_alone(group, user, users, groups);
        assert!(alone(1000, 1000) && alone(0, 0) && alone(100, 1002));
        assert!(!alone(1001, 1001), "ann is in it");
        assert!(!alone(1000, 1001) && !alone(7, 1000));
        assert!(!is_alone(1000, 1000, "", groups) && !is_alone(1000, 1000, users, ""));
        let shared = format!("{users}kim:x:1003:1000:::\n");
        assert!(!is_alone(1000, 1000, &shared, groups), "another user's first group");
    }
}
