//! Paths inside a root that is being unpacked: whatever its links say, they stay inside.

use super::error::RootError;
use std::collections::VecDeque;
use std::ffi::OsString;
use std::fs;
use std::path::{Component, Path, PathBuf};

/// Links on the way to a file.
const LINKS: u32 = 40;

/// The path of `name` in the root at `root`, with every link on the way followed as it would be from inside, but for the
/// last word. Folders on the way are made.
pub(super) fn place(root: &Path, name: &Path) -> Result<PathBuf, RootError> {
    let refused = |why: &str| RootError::Forbidden(format!("{} {why}", name.display()));
    let mut words = words(name).ok_or_else(|| refused("leaves the root"))?;
    let Some(last) = words.pop_back() else { return Ok(root.to_owned()) };
    let mut at = root.to_owned();
    let mut links = 0;
    while let Some(word) = words.pop_front() {
        if word == ".." {
            if at != root {
                at.pop();
            }
            continue;
        }
        let next = at.join(&word);
        match fs::symlink_metadata(&next) {
            Ok(found) if found.is_symlink() => {
                links += 1;
                if links > LINKS {
                    return Err(refused("has too many links on its way"));
                }
                let target = fs::read_link(&next).map_err(|e| refused(&e.to_string()))?;
                if target.is_absolute() {
                    at = root.to_owned();
                }
                for part in target.components().rev() {
                    match part {
                        Component::Normal(part) => words.push_front(part.to_owned()),
                        Component::ParentDir => words.push_front("..".into()),
                        _ => {}
                    }
                }
            }
            Ok(found) if found.is_dir() => at = next,
            Ok(_) => return Err(refused("lies in what is no folder")),
            Err(_) => {
                fs::create_dir(&next).map_err(|e| refused(&e.to_string()))?;
                at = next;
            }
        }
    }
    Ok(at.join(last))
}

/// The words of an archive's name; none that leave the root are among them.
fn words(name: &Path) -> Option<VecDeque<OsString>> {
    let mut words = VecDeque::new();
    for part in name.components() {
        match part {
            Component::Normal(part) => words.push_back(part.to_owned()),
            Component::CurDir => {}
            _ => return None,
        }
    }
    Some(words)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::symlink;

    #[test]
    fn links_are_followed_as_from_inside() {
        let place_of = tempfile::tempdir().unwrap();
        let root = place_of.path();
        fs::create_dir(root.join("run")).unwrap();
        symlink("/run", root.join("absolute")).unwrap();
        symlink("../../../run", root.join("above")).unwrap();
        symlink("loop", root.join("loop")).unwrap();
        for name in ["absolute/x", "above/x", "./run/x"] {
            assert_eq!(place(root, Path::new(name)).unwrap(), root.join("run/x"), "{name}");
        }
        assert_eq!(place(root, Path::new("absolute")).unwrap(), root.join("absolute"));
        assert!(
            place(root, Path::new("loop/x")).unwrap_err().to_string().contains("too many links")
        );
        for name in ["../x", "/etc/passwd", "a/../../x"] {
            assert!(
                place(root, Path::new(name)).unwrap_err().to_string().contains("leaves the root"),
                "{name}"
            );
        }
    }
}
