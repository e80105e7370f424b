//! One file for each boot that lives: what it has made on this host. tare and its keeper hold a lock on it as long as
//! they live, in whichever PID namespace that is. A record that nobody holds is of a boot whose tare and keeper were both
//! killed, or of one that could not remove everything: the next tare removes what is left. What cannot be removed is tried again
//! later and later, and forgotten in the end.

use crate::cache;
use crate::keeper::estate::Estate;
use crate::keeper::id::is_id;
use crate::keeper::mark;
use nix::fcntl::{Flock, FlockArg};
use nix::unistd::geteuid;
use std::fs::{self, DirBuilder, File, OpenOptions};
use std::io::{self, Read, Write};
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

/// Most of a record that is read.
const MOST: u64 = 1 << 20;

/// The line of a record from which something could not be removed, one each time.
const TRIED: &str = "tried";

/// How long after such a time the next one comes; it would keep every command waiting for what may never answer.
const NEXT: [Duration; 4] = [
    Duration::from_secs(10 * 60),
    Duration::from_secs(60 * 60),
    Duration::from_secs(6 * 60 * 60),
    Duration::from_secs(24 * 60 * 60),
];

/// What a boot left whose tare and keeper were both killed, or could not remove it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Swept {
    /// The boot's id.
    pub id: String,
    /// What could not be removed.
    pub left: Vec<String>,
    /// Nobody will try that again.
    pub forgotten: bool,
    /// Processes that may be the boot's and were not ended, since what all of a boot's have they have lost; with their names.
    pub doubtful: Vec<(u32, String)>,
}

/// The record of a living boot, held by this process.
#[derive(Debug)]
pub(crate) struct Record {
    file: Flock<File>,
    path: PathBuf,
}

impl Record {
    /// A new record in the folder of this user's.
    pub fn create(folder: &Path, id: &str) -> io::Result<Record> {
        own_folder(folder)?;
        let path = folder.join(id);
        let mut new = OpenOptions::new();
        new.create_new(true).mode(0o600);
        // Between the two calls a sweep may take it for a dead one and remove it.
        (0..10)
            .find_map(|_| Record::hold(&path, &mut new).transpose())
            .unwrap_or_else(|| Err(lost(&path)))
    }

    /// The record that somebody else holds, held by this process as well.
    pub fn open(folder: &Path, id: &str) -> io::Result<Record> {
        let path = folder.join(id);
        Record::hold(&path, &mut OpenOptions::new())?.ok_or_else(|| lost(&path))
    }

    /// `None` if its file was removed meanwhile.
    fn hold(path: &Path, how: &mut OpenOptions) -> io::Result<Option<Record>> {
        let file = how.append(true).custom_flags(libc::O_NOFOLLOW).open(path)?;
        let file = Flock::lock(file, FlockArg::LockShared).map_err(|(_, e)| e)?;
        let there = file.metadata()?.nlink() > 0;
        Ok(there.then(|| Record { file, path: path.to_owned() }))
    }

    /// Notes what the boot is about to make. A line that was cut short leaves the one before in force.
    pub fn note(&self, estate: &Estate) -> io::Result<()> {
        let mut line = serde_json::to_string(estate)?;
        line.push('\n');
        (&*self.file).write_all(line.as_bytes())
    }

    /// Removes it: nothing is left of the boot.
    pub fn remove(self) {
        let _ = fs::remove_file(&self.path);
    }
}

pub(crate) fn folder(cache: &Path) -> PathBuf {
    cache.join(format!("boots-{}", geteuid()))
}

/// Ends and removes what boots have left whose tare and keeper were both killed. Boots that live are not touched.
pub fn sweep(cache: &Path) -> Vec<Swept> {
    let folder = folder(cache);
    if !folder.exists() || own_folder(&folder).is_err() {
        return Vec::new();
    }
    let names = fs::read_dir(&folder).into_iter().flatten().flatten();
    let ids = names.filter_map(|entry| entry.file_name().into_string().ok()).filter(|id| is_id(id));
    ids.filter_map(|id| sweep_one(&folder.join(&id), &id)).collect()
}

/// `None` when the boot lives, had made nothing yet, or was looked at lately.
fn sweep_one(path: &Path, id: &str) -> Option<Swept> {
    let mut whole = OpenOptions::new();
    whole.read(true).append(true).custom_flags(libc::O_NOFOLLOW);
    let file = whole.open(path).ok()?;
    let found = file.metadata().ok()?;
    if !found.is_file() || found.uid() != geteuid().as_raw() {
        return None;
    }
    let mut file = Flock::lock(file, FlockArg::LockExclusiveNonblock).ok()?;
    let mut text = String::new();
    let _ = (&mut *file).take(MOST).read_to_string(&mut text);
    let noted = found.modified().unwrap_or_else(|_| SystemTime::now());
    let tried = text.lines().filter(|line| *line == TRIED).count();
    let next =
        tried.checked_sub(1).map_or(Duration::ZERO, |before| NEXT[before.min(NEXT.len() - 1)]);
    if noted.elapsed().is_ok_and(|age| age < next) {
        return None;
    }
    let estates = text.lines().rev().filter_map(|line| serde_json::from_str::<Estate>(line).ok());
    let estate = estates.into_iter().find(|estate| estate.id == id && estate.is_sound());
    let left = estate.as_ref().map(Estate::end_and_clear).unwrap_or_default();
    let forgotten = tried >= NEXT.len() && !left.is_empty();
    if left.is_empty() || forgotten || writeln!(&mut *file, "{TRIED}").is_err() {
        let _ = fs::remove_file(path);
    }
    let doubtful = estate.as_ref().map(|_| mark::doubtful(noted)).unwrap_or_default();
    let doubtful = doubtful.into_iter().map(|pid| (pid, mark::name(pid))).collect();
    estate.map(|_| Swept { id: id.to_owned(), left, forgotten, doubtful })
}

/// Makes the folder of records, or sees to it that nobody else can write to it: commands in it are run.
fn own_folder(folder: &Path) -> io::Result<()> {
    folder.parent().map_or(Ok(()), cache::make)?;
    match DirBuilder::new().mode(0o700).create(folder) {
        Err(e) if e.kind() != io::ErrorKind::AlreadyExists => return Err(e),
        _ => {}
    }
    let found = fs::symlink_metadata(folder)?;
    let private = found.is_dir() && found.uid() == geteuid().as_raw() && found.mode() & 0o022 == 0;
    let foreign = || io::Error::other(format!("{}: others may write to it", folder.display()));
    if private { Ok(()) } else { Err(foreign()) }
}

fn lost(path: &Path) -> io::Error {
    io::Error::other(format!("{} was removed", path.display()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::PermissionsExt;

    /// A record of a boot with one folder, and the folder.
    fn boot(place: &Path, id: &str) -> (Record, PathBuf) {
        let made = place.join(format!("{id}-disk"));
        fs::create_dir(&made).unwrap();
        let record = Record::create(&folder(place), id).unwrap();
        record.note(&Estate { folders: vec![made.clone()], ..Estate::new(id) }).unwrap();
        (record, made)
    }

    #[test]
    fn only_what_nobody_holds_is_swept() {
        let _nobody_is_doubtful = mark::DOUBTFUL.lock();
        let place = tempfile::tempdir().unwrap();
        let (record, made) = boot(place.path(), "tare-0123456789");
        assert_eq!(sweep(place.path()), []);
        let held_too = Record::open(&folder(place.path()), "tare-0123456789").unwrap();
        drop(record);
        assert_eq!(sweep(place.path()), []);
        assert!(made.exists());
        drop(held_too);
        let swept = Swept {
            id: "tare-0123456789".into(),
            left: Vec::new(),
            forgotten: false,
            doubtful: Vec::new(),
        };
        assert_eq!(sweep(place.path()), [swept]);
        assert!(!made.exists());
        assert_eq!(sweep(place.path()), []);
    }

    #[test]
    fn a_record_removes_nothing_of_another_name() {
        let place = tempfile::tempdir().unwrap();
        let (record, made) = boot(place.path(), "tare-a123456789");
        let precious = place.path().join("precious");
        fs::create_dir(&precious).unwrap();
        let folders = vec![made.clone(), precious.clone()];
        record.note(&Estate { folders, ..Estate::new("tare-a123456789") }).unwrap();
        (&*record.file).write_all(b"{\"id\": cut short").unwrap();
        drop(record);
        assert_eq!(sweep(place.path()).len(), 1);
        assert!(precious.exists() && !made.exists(), "the last sound line is in force");
    }

    #[test]
    fn what_cannot_be_removed_is_tried_later_and_later_and_then_forgotten() {
        let place = tempfile::tempdir().unwrap();
        let (record, _) = boot(place.path(), "tare-d123456789");
        fs::write(place.path().join("file"), "").unwrap();
        let beyond = place.path().join("file/tare-d123456789-disk");
        record.note(&Estate { folders: vec![beyond], ..Estate::new("tare-d123456789") }).unwrap();
        let path = record.path.clone();
        drop(record);
        for (tries, gap) in [Duration::ZERO].iter().chain(&NEXT).enumerate() {
            let file = File::open(&path).unwrap();
            let before = file.metadata().unwrap().modified().unwrap();
            file.set_modified(before - *gap / 2).unwrap();
            assert_eq!(sweep(place.path()).len(), usize::from(tries == 0), "after {gap:?}");
            file.set_modified(before - *gap).unwrap();
            let swept = sweep(place.path());
            if tries > 0 {
                assert!(swept[0].left[0].contains("file/"), "{swept:?}");
                assert_eq!(swept[0].forgotten, tries == NEXT.len(), "{tries} tries");
            }
        }
        assert!(!path.exists() && sweep(place.path()).is_empty());
    }

    #[test]
    fn records_that_others_may_write_are_not_read() {
        let place = tempfile::tempdir().unwrap();
        let (record, made) = boot(place.path(), "tare-b123456789");
        drop(record);
        let open =
            |mode| fs::set_permissions(folder(place.path()), fs::Permissions::from_mode(mode));
        open(0o777).unwrap();
        assert_eq!(sweep(place.path()), []);
        assert!(made.exists() && Record::create(&folder(place.path()), "tare-c").is_err());
        open(0o700).unwrap();
        assert_eq!(sweep(place.path()).len(), 1);
    }
}
