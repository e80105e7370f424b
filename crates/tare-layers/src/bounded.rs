//! Reading files that settings name or guests fill, which may be anything: a device has no end, a pipe may have no other
//! end, and a file with holes is longer than any memory.

use std::fs::{self, File};
use std::io::{self, Read};
use std::path::Path;

/// The largest kernel, module or program that a guest is given, in bytes.
pub(crate) const PROGRAM: u64 = 512 << 20;

/// The content of a regular file of at most `most` bytes (whole MiB), counted as they are read.
pub(crate) fn read(path: &Path, most: u64) -> io::Result<Vec<u8>> {
    let refused = |why: String| Err(io::Error::new(io::ErrorKind::InvalidInput, why));
    // Before it is opened, which for a pipe without another end would not return.
    let looked = fs::metadata(path)?;
    if !looked.is_file() {
        return refused("not a regular file".into());
    }
    let mut bytes = Vec::new();
    if looked.len() <= most {
        File::open(path)?.take(most + 1).read_to_end(&mut bytes)?;
    }
    match looked.len().max(bytes.len() as u64) > most {
        true => refused(format!("larger than {} MiB", most >> 20)),
        false => Ok(bytes),
    }
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
