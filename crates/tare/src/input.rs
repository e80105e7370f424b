//! Reads files that users name, within bounds: devices and pipes have no size and perhaps no end.

use crate::usage::WrongUsage;
use anyhow::{Context, Error, Result, bail};
use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

/// Bytes that show whether a file is text at all.
const HEAD: u64 = 64 << 10;

/// A file holds what no text has.
#[derive(Debug, thiserror::Error)]
#[error("{} is not a text file: it contains zero bytes", .0.display())]
pub struct NotText(PathBuf);

/// The error of a file that has to be text: one that is not cannot be meant.
pub fn not_text_is_usage(error: Error) -> Error {
    match error.is::<NotText>() {
        true => WrongUsage(error.to_string()).into(),
        false => error,
    }
}

/// The text of a file of at most `most` bytes, counted as they are read.
///
/// # Errors
/// What cannot be read, is longer, or is not a text file.
pub fn text(path: &Path, most: u64) -> Result<String> {
    let file = File::open(path).with_context(|| format!("cannot read {}", path.display()))?;
    text_of(file, path, most)
}

/// The same of a file that is open, and called `path`.
pub fn text_of(mut file: File, path: &Path, most: u64) -> Result<String> {
    let name = path.display();
    let cannot = || format!("cannot read {name}");
    let mut bytes = Vec::new();
    file.by_ref().take(HEAD.min(most + 1)).read_to_end(&mut bytes).with_context(cannot)?;
    if bytes.contains(&0) {
        return Err(NotText(path.to_owned()).into());
    }
    let rest = (most + 1).saturating_sub(bytes.len() as u64);
    file.take(rest).read_to_end(&mut bytes).with_context(cannot)?;
    if bytes.len() as u64 > most {
        bail!("{name} is larger than {}", size(most));
    }
    Ok(match String::from_utf8(bytes) {
        Ok(text) => text,
        Err(not) => String::from_utf8_lossy(not.as_bytes()).into_owned(),
    })
}

fn size(bytes: u64) -> String {
    match bytes >> 30 {
        0 => format!("{} MiB", bytes >> 20),
        gib => format!("{gib} GiB"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_read_is_counted_whatever_the_file_says_of_its_size() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("file");
        std::fs::write(&file, "x".repeat(1 << 20)).unwrap();
        assert_eq!(text(&file, 1 << 20).unwrap().len(), 1 << 20);
        std::fs::write(&file, "x".repeat((1 << 20) + 1)).unwrap();
        let long = text(&file, 1 << 20).unwrap_err().to_string();
        assert!(long.ends_with("is larger than 1 MiB"), "{long}");
        let zeros = text(Path::new("/dev/zero"), 1 << 30).unwrap_err().to_string();
        assert!(zeros.contains("not a text file"), "{zeros}");
        std::fs::write(&file, b"caf\xe9").unwrap();
        assert_eq!(text(&file, 9).unwrap(), "caf\u{fffd}");
        assert!(text(folder.path(), 9).is_err());
    }
}
