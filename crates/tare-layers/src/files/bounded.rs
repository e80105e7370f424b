//! Reading files that settings name or guests fill, which may be anything: a device has no end, a pipe may have no other
//! end, and a file with holes is longer than any memory.

use std::fs::File;
use std::io::{self, Read};
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;

/// The largest kernel, module or program that a guest is given, in bytes.
pub(crate) const PROGRAM: u64 = 512 << 20;

/// A regular file of at most `most` bytes (whole MiB).
pub(crate) fn open(path: &Path, most: u64) -> io::Result<File> {
    // A pipe has perhaps no other end.
    let file =
        File::options().read(true).custom_flags(libc::O_NONBLOCK | libc::O_NOCTTY).open(path)?;
    let looked = file.metadata()?;
    match looked.is_file() {
        false => refused("not a regular file".into()),
        true if looked.len() > most => refused(too_large(most)),
        true => Ok(file),
    }
}

/// Its content, counted as it is read.
pub(crate) fn read(path: &Path, most: u64) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    open(path, most)?.take(most + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > most { refused(too_large(most)) } else { Ok(bytes) }
}

fn refused<T>(why: String) -> io::Result<T> {
    Err(io::Error::new(io::ErrorKind::InvalidInput, why))
}

fn too_large(most: u64) -> String {
    format!("larger than {} MiB", most >> 20)
}

/// The same of a file that is text.
pub(crate) fn text(path: &Path, most: u64) -> io::Result<String> {
    let no_text = |e| io::Error::new(io::ErrorKind::InvalidData, e);
    String::from_utf8(read(path, most)?).map_err(no_text)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Settings, configure};
    use nix::sys::stat::Mode;
    use std::fs;
    use tare_proto::Machine;

    #[test]
    fn only_a_regular_file_within_the_bound_is_read() {
        let folder = tempfile::tempdir().unwrap();
        let why = |path: &Path| read(path, 1 << 20).unwrap_err().to_string();
        let file = folder.path().join("file");
        fs::write(&file, vec![b'x'; 1 << 20]).unwrap();
        assert_eq!(text(&file, 1 << 20).unwrap().len(), 1 << 20);
        // Its length, and no more on the disk.
        File::create(&file).unwrap().set_len((1 << 20) + 1).unwrap();
        assert_eq!(why(&file), "larger than 1 MiB");
        let pipe = folder.path().join("pipe");
        nix::unistd::mkfifo(&pipe, Mode::S_IRWXU).unwrap();
        for other in [pipe.as_path(), Path::new("/dev/zero"), folder.path()] {
            assert_eq!(why(other), "not a regular file", "{}", other.display());
        }
    }

    #[test]
    fn a_script_without_end_is_refused_at_once() {
        let asked = Settings::parse("mock,script=/dev/zero").unwrap();
        let refused = configure(Machine::Real, &asked).map(drop).unwrap_err().to_string();
        assert!(refused.contains("script=/dev/zero: not a regular file"), "{refused}");
    }
}
