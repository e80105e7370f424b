//! Unpacks archives of roots. They are untrusted: no name leaves the root, and no device comes out of one.

use super::error::{RootError, damaged};
use super::inside::place;
use super::room::{self, Measured, Part, Room};
use nix::unistd::geteuid;
use std::cell::Cell;
use std::fs::{self, File, Permissions};
use std::io::{self, Read, Write};
use std::os::unix::fs::{PermissionsExt, lchown, symlink};
use std::path::Path;
use std::process::{Child, Stdio};
use tar::{Entry, EntryType};
use tare_keeper::programs;

/// Most bytes behind the last entry: archives are filled up to whole records.
const BEHIND: u64 = 64 << 20;

/// How archives are compressed: their first bytes, and what undoes it.
const PACKED: &[(&[u8], &str)] =
    &[(b"\x1f\x8b", "gzip"), (b"\xfd7zXZ", "xz"), (b"\x28\xb5\x2f\xfd", "zstd"), (b"BZh", "bzip2")];

/// How an image's layer removes what layers below it hold.
const REMOVED: &str = ".wh.";
const EMPTIED: &str = ".wh..wh..opq";

/// Unpacks `file` into the folder `root`; with `over`, as an image's layer over what is there.
pub(super) fn unpack(
    file: &Path,
    root: &Path,
    over: bool,
    room: &mut Room,
) -> Result<(), RootError> {
    let io = RootError::file(file);
    let named = |why| RootError::Archive { file: file.display().to_string(), why: Box::new(why) };
    let (mut stream, unpacker) = open(file).map_err(io)?;
    let packed = fs::metadata(file).map_err(io)?.len();
    let done =
        entries(&mut stream, root, over, room.of_archive(packed)).and_then(|()| rest(&mut stream));
    let Some((tool, mut unpacker)) = unpacker else { return done.map_err(named) };
    if done.is_err() {
        let _ = unpacker.kill(); // nobody reads on
    }
    let status = unpacker.wait().map_err(io)?;
    done.map_err(named)?;
    match status.success() {
        true => Ok(()),
        false => {
            let why = format!("it is damaged: {tool} ends with {status}; fetch it again");
            Err(named(damaged(why)))
        }
    }
}

/// Reads what stands behind the last entry, so that the unpacker comes to its end and compares its checksums.
fn rest(stream: &mut impl Read) -> Result<(), RootError> {
    let read = io::copy(&mut stream.take(BEHIND + 1), &mut io::sink());
    match read.map_err(cut_off)? {
        0..=BEHIND => Ok(()),
        _ => Err(damaged(format!("more than {} MiB stand behind its last entry", BEHIND >> 20))),
    }
}

/// What unpacks an archive: its name, and the process.
type Unpacker = (&'static str, Child);

/// The archive as a stream, and the program that unpacks it, if it is packed.
fn open(path: &Path) -> io::Result<(Box<dyn Read>, Option<Unpacker>)> {
    let mut file = File::open(path)?;
    let mut first = Vec::new();
    Read::by_ref(&mut file).take(8).read_to_end(&mut first)?;
    let packed = PACKED.iter().find(|(magic, _)| first.starts_with(magic));
    let Some((_, tool)) = packed else { return Ok((Box::new(File::open(path)?), None)) };
    let mut command = programs::plain(tool);
    command.arg("-dc").stdin(File::open(path)?).stdout(Stdio::piped()).stderr(Stdio::null());
    let why = |e| io::Error::other(format!("{tool}, which unpacks it, does not run: {e}"));
    let mut child = command.spawn().map_err(why)?;
    let stream = child.stdout.take().ok_or_else(|| io::Error::other("no output"))?;
    Ok((Box::new(stream), Some((*tool, child))))
}

fn cut_off(error: io::Error) -> RootError {
    damaged(format!("it is not a whole tar archive: {error}"))
}

fn entries(stream: impl Read, root: &Path, over: bool, mut room: Part) -> Result<(), RootError> {
    let left = Cell::new(0);
    let mut archive = tar::Archive::new(Measured { stream, left: &left });
    let mut all = archive.entries().map_err(cut_off)?;
    let mut is_empty = true;
    loop {
        room::between(&left);
        let Some(entry) = all.next() else { break };
        let mut entry = entry.map_err(cut_off)?;
        room.take(entry.size())?;
        room::inside(&left);
        one(&mut entry, root, over)?;
        io::copy(&mut entry, &mut io::sink()).map_err(cut_off)?; // of what is no file
        is_empty = false;
    }
    if is_empty { Err(damaged("it holds no files")) } else { Ok(()) }
}

fn one(entry: &mut Entry<impl Read>, root: &Path, over: bool) -> Result<(), RootError> {
    let kind = entry.header().entry_type();
    if matches!(kind, EntryType::XGlobalHeader | EntryType::GNULongName | EntryType::GNULongLink) {
        return Ok(());
    }
    let name = entry.path()?.into_owned();
    let named = RootError::file(&name);
    let path = place(root, &name)?;
    if over && let Some(word) = name.file_name().and_then(|word| word.to_str()) {
        if word == EMPTIED {
            let folder = path.parent().unwrap_or(root);
            return empty(folder).map_err(named);
        }
        if let Some(gone) =
            word.strip_prefix(REMOVED).filter(|gone| !gone.is_empty() && *gone != "..")
        {
            return remove(&path.with_file_name(gone)).map_err(named);
        }
    }
    let forbidden = |why: &str| Err(RootError::Forbidden(format!("{} {why}", name.display())));
    let is_folder = fs::symlink_metadata(&path).is_ok_and(|found| found.is_dir());
    if path != root && !(is_folder && kind == EntryType::Directory) {
        remove(&path).map_err(named)?;
    }
    match kind {
        EntryType::Directory if is_folder => {}
        EntryType::Directory => fs::create_dir(&path).map_err(named)?,
        EntryType::Regular | EntryType::Continuous | EntryType::GNUSparse => {
            let mut file =
                File::options().write(true).create_new(true).open(&path).map_err(named)?;
            io::copy(entry, &mut file).and_then(|_| file.flush()).map_err(named)?;
        }
        EntryType::Symlink | EntryType::Link => {
            let target = entry.link_name()?;
            let target =
                target.ok_or_else(|| damaged(format!("{}: a link to nothing", name.display())))?;
            match kind {
                EntryType::Symlink => symlink(&target, &path).map_err(named)?,
                _ => fs::hard_link(place(root, &target)?, &path).map_err(named)?,
            }
        }
        EntryType::Char | EntryType::Block => {
            return forbidden("is a device, which no root may bring along");
        }
        _ => return forbidden("is neither a file, a folder nor a link"),
    }
    own(entry, kind, &path).map_err(named)
}

/// Gives the file its owner and its mode; a hard link has those of its file. What an ordinary user unpacks is that user's, and open
/// to it, or it could not be removed again.
fn own(entry: &Entry<impl Read>, kind: EntryType, path: &Path) -> io::Result<()> {
    if kind == EntryType::Link {
        return Ok(());
    }
    let header = entry.header();
    let id = |id: u64| u32::try_from(id).map_err(|_| io::Error::other("no such owner"));
    let all = geteuid().is_root();
    if all {
        lchown(path, Some(id(header.uid()?)?), Some(id(header.gid()?)?))?;
    }
    if kind == EntryType::Symlink {
        return Ok(());
    }
    let mode = header.mode()?;
    let mode = if all { mode & 0o7777 } else { mode & 0o777 | 0o600 };
    let mode = if !all && kind == EntryType::Directory { mode | 0o700 } else { mode };
    fs::set_permissions(path, Permissions::from_mode(mode))
}

fn empty(folder: &Path) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        remove(&entry?.path())?;
    }
    Ok(())
}

fn remove(path: &Path) -> io::Result<()> {
    match fs::symlink_metadata(path) {
        Ok(found) if found.is_dir() => fs::remove_dir_all(path),
        Ok(_) => fs::remove_file(path),
        Err(_) => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tar::{Builder, Header};

    /// An archive of `(kind, name, text or target)`, unpacked over what `root` holds.
    fn unpacked(root: &Path, entries: &[(EntryType, &str, &str)]) -> Result<(), RootError> {
        let mut builder = Builder::new(Vec::new());
        for (kind, name, text) in entries {
            let mut header = Header::new_gnu();
            header.set_entry_type(*kind);
            header.set_mode(0o644 | if *kind == EntryType::Directory { 0o111 } else { 0 });
            header.set_uid(nix::unistd::geteuid().as_raw().into());
            header.set_gid(nix::unistd::getegid().as_raw().into());
            // The crate refuses to write such names, so they are put there by hand.
            header.as_old_mut().name[..name.len()].copy_from_slice(name.as_bytes());
            let file = *kind == EntryType::Regular;
            if !file {
                header.as_old_mut().linkname[..text.len()].copy_from_slice(text.as_bytes());
            }
            header.set_size(if file { text.len() as u64 } else { 0 });
            header.set_cksum();
            builder.append(&header, if file { text.as_bytes() } else { b"" }).unwrap();
        }
        let archive = root.with_extension("tar");
        fs::write(&archive, builder.into_inner().unwrap()).unwrap();
        unpack(&archive, root, true, &mut Room::new(|| false))
    }

    const FILE: EntryType = EntryType::Regular;

    /// An entry, and its text or its target.
    type Given = (EntryType, &'static str, &'static str);

    #[test]
    fn a_layer_adds_replaces_and_removes() {
        let place = tempfile::tempdir().unwrap();
        let root = place.path().join("root");
        fs::create_dir(&root).unwrap();
        let folder = EntryType::Directory;
        let first = [
            (folder, "a", ""),
            (FILE, "a/1", "one"),
            (FILE, "a/2", "two"),
            (EntryType::Link, "a/3", "a/2"),
        ];
        unpacked(&root, &first).unwrap();
        unpacked(&root, &[(FILE, "a/.wh.1", ""), (FILE, "a/2", "new"), (FILE, "b/deep/4", "four")])
            .unwrap();
        assert!(!root.join("a/1").exists());
        let text = |name: &str| fs::read_to_string(root.join(name)).unwrap();
        assert_eq!(
            (text("a/2"), text("a/3"), text("b/deep/4")),
            ("new".into(), "two".into(), "four".into())
        );
        unpacked(&root, &[(FILE, "a/.wh..wh..opq", ""), (FILE, "a/5", "five")]).unwrap();
        assert_eq!(fs::read_dir(root.join("a")).unwrap().count(), 1);
    }

    #[test]
    fn a_packed_archive_whose_checksum_is_wrong_is_refused() {
        let place = tempfile::tempdir().unwrap();
        let root = place.path().join("root");
        fs::create_dir(&root).unwrap();
        unpacked(&root, &[(FILE, "a", "one")]).unwrap();
        for tool in ["gzip", "xz"] {
            let packed = place.path().join(tool);
            let made = programs::plain(tool).arg("-c").arg(root.with_extension("tar")).output();
            let whole = made.unwrap().stdout;
            fs::write(&packed, &whole).unwrap();
            unpack(&packed, &root, true, &mut Room::new(|| false)).unwrap();
            // What is packed is all there: what is damaged is what comes behind it.
            let mut damaged = whole.clone();
            let at = damaged.len() - 8;
            damaged[at] ^= 1;
            for bytes in [&damaged[..], &whole[..at]] {
                fs::write(&packed, bytes).unwrap();
                let said = unpack(&packed, &root, true, &mut Room::new(|| false)).unwrap_err();
                assert!(
                    said.to_string().contains(&format!("it is damaged: {tool} ends with")),
                    "{said}"
                );
            }
        }
    }

    #[test]
    fn a_hostile_archive_is_refused_and_nothing_outside_is_touched() {
        let place = tempfile::tempdir().unwrap();
        let root = place.path().join("root");
        fs::write(place.path().join("outside"), "safe").unwrap();
        let fresh = || {
            let _ = fs::remove_dir_all(&root);
            fs::create_dir(&root).unwrap();
        };
        let link = EntryType::Symlink;
        let hard = EntryType::Link;
        let cases: &[(&[Given], &str)] = &[
            (&[(FILE, "../outside", "bad")], "leaves the root"),
            (&[(FILE, "/etc/x", "bad")], "leaves the root"),
            (&[(hard, "x", "../outside")], "leaves the root"),
            (&[(EntryType::Char, "null", "")], "is a device"),
            (&[(EntryType::Block, "disk", "")], "is a device"),
            (&[(EntryType::Fifo, "pipe", "")], "neither a file"),
            (&[(FILE, "f", "x"), (FILE, "f/x", "y")], "no folder"),
            (&[], "no files"),
        ];
        for (entries, why) in cases {
            fresh();
            let said = unpacked(&root, entries).unwrap_err();
            assert!(said.to_string().contains(why), "{said}");
        }
        fresh();
        let through = [(link, "up", "../.."), (FILE, "up/outside", "bad"), (FILE, ".wh...", "")];
        let _ = unpacked(&root, &through);
        assert_eq!(fs::read_to_string(place.path().join("outside")).unwrap(), "safe");
        fs::write(place.path().join("root.tar"), "no archive at all").unwrap();
        assert!(
            unpack(&place.path().join("root.tar"), &root, false, &mut Room::new(|| false)).is_err()
        );
    }
}
