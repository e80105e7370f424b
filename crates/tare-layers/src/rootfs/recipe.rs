//! What a root is made of, as `--root` says it.

use super::error::RootError;
use super::hash_of;
use sha2::{Digest, Sha256};
use std::fmt;
use std::fs;
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::str::FromStr;

/// What a root is made of.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RootRecipe {
    /// A folder of this host, as it is.
    Folder(PathBuf),
    /// A tar archive of a root, compressed or not.
    Archive(PathBuf),
    /// A folder with the layout of the OCI image specification.
    OciLayout(PathBuf),
    /// What `docker save` writes.
    DockerArchive(PathBuf),
    /// Debian's essential packages and others.
    Debian {
        /// The suite's name: bookworm.
        suite: String,
        /// Packages, sorted.
        packages: Vec<String>,
        /// Shell commands that are run in it once the packages are there.
        commands: Vec<String>,
    },
}

/// The forms of a recipe, for messages.
const FORMS: &str = "DIR, FILE.tar, oci:DIR, docker-archive:FILE or debian:bookworm+package,...";

impl FromStr for RootRecipe {
    type Err = String;

    fn from_str(text: &str) -> Result<RootRecipe, String> {
        let (kind, rest) = text.split_once(':').unwrap_or(("", text));
        let path = || match PathBuf::from(rest).canonicalize() {
            Ok(path) => Ok(path),
            Err(why) => Err(format!("{rest}: {why}; a root is {FORMS}")),
        };
        match kind {
            "debian" => debian(rest),
            "oci" => path().map(RootRecipe::OciLayout),
            "docker-archive" => path().map(RootRecipe::DockerArchive),
            "" => path().and_then(|path| match fs::metadata(&path) {
                Ok(found) if found.is_dir() => Ok(RootRecipe::Folder(path)),
                Ok(found) if found.is_file() => Ok(RootRecipe::Archive(path)),
                _ => {
                    Err(format!("{rest} is neither a folder nor a regular file; a root is {FORMS}"))
                }
            }),
            other => Err(format!("there are no roots of kind '{other}'; a root is {FORMS}")),
        }
    }
}

/// `SUITE` or `SUITE+PACKAGE,...`, in the letters that such names have.
fn debian(text: &str) -> Result<RootRecipe, String> {
    let (suite, packages) = text.split_once('+').unwrap_or((text, ""));
    let mut packages: Vec<String> =
        packages.split(',').filter(|name| !name.is_empty()).map(str::to_owned).collect();
    packages.sort();
    packages.dedup();
    let fine = |name: &str| {
        let letters = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || "+-.".contains(c);
        name.starts_with(|c: char| c.is_ascii_alphanumeric()) && name.chars().all(letters)
    };
    let wrong = packages.iter().map(String::as_str).chain([suite]).find(|name| !fine(name));
    let wrong = wrong.map(str::to_owned);
    match wrong {
        None => Ok(RootRecipe::Debian { suite: suite.to_owned(), packages, commands: Vec::new() }),
        Some(wrong) => Err(format!(
            "'{}' is no name of a suite or package: debian:bookworm+redis-server,redis-tools",
            wrong.escape_debug()
        )),
    }
}

impl fmt::Display for RootRecipe {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            RootRecipe::Folder(path) | RootRecipe::Archive(path) => write!(f, "{}", path.display()),
            RootRecipe::OciLayout(path) => write!(f, "oci:{}", path.display()),
            RootRecipe::DockerArchive(path) => write!(f, "docker-archive:{}", path.display()),
            RootRecipe::Debian { suite, packages, commands } => {
                let plus = if packages.is_empty() { "" } else { "+" };
                write!(f, "debian:{suite}{plus}{}", packages.join(","))?;
                commands.iter().try_for_each(|command| write!(f, " then {command}"))
            }
        }
    }
}

impl RootRecipe {
    /// The same root, in which `more` shell commands have been run.
    ///
    /// # Errors
    /// A root that is not made of packages: what runs in others may be anybody's.
    pub fn then(self, more: Vec<String>) -> Result<RootRecipe, String> {
        match self {
            RootRecipe::Debian { suite, packages, commands } => {
                Ok(RootRecipe::Debian { suite, packages, commands: [commands, more].concat() })
            }
            other if more.is_empty() => Ok(other),
            other => {
                Err(format!("commands are run only in roots of Debian's packages, not in {other}"))
            }
        }
    }

    /// What to do when it cannot be made.
    pub(super) fn remedy(&self) -> &'static str {
        match self {
            RootRecipe::Debian { .. } => {
                "look whether the packages exist and their mirror can be reached (a root that is in the cache needs neither)"
            }
            _ => "give another --root",
        }
    }

    /// The name of what it makes: the same for the same content.
    pub(super) fn key(&self) -> Result<String, RootError> {
        let content = match self {
            RootRecipe::Debian { .. } => String::new(),
            RootRecipe::Archive(file) | RootRecipe::DockerArchive(file) => hash_of(file)?,
            RootRecipe::OciLayout(folder) => hash_of(&folder.join("index.json"))?,
            RootRecipe::Folder(folder) => fingerprint(folder)?,
        };
        let kind = match self {
            RootRecipe::Debian { .. } => self.to_string(),
            RootRecipe::Archive(_) => "archive".into(),
            RootRecipe::DockerArchive(_) => "docker-archive".into(),
            RootRecipe::OciLayout(_) => "oci".into(),
            RootRecipe::Folder(folder) => format!("folder {}", folder.display()),
        };
        Ok(format!("{:x}", Sha256::digest(format!("{kind}\n{content}"))))
    }
}

/// What is seen of a folder without reading its files: names, kinds, sizes and times.
fn fingerprint(folder: &Path) -> Result<String, RootError> {
    let mut hash = Sha256::new();
    below(folder, &mut hash).map_err(RootError::file(folder))?;
    Ok(format!("{:x}", hash.finalize()))
}

fn below(folder: &Path, hash: &mut Sha256) -> io::Result<()> {
    let mut entries = fs::read_dir(folder)?.collect::<io::Result<Vec<_>>>()?;
    entries.sort_by_key(fs::DirEntry::file_name);
    for entry in entries {
        let found = entry.metadata()?;
        hash.update(entry.path().as_os_str().as_encoded_bytes());
        let numbers = [u64::from(found.mode()), found.size(), found.mtime() as u64, found.ino()];
        numbers.iter().for_each(|number| hash.update(number.to_le_bytes()));
        if found.is_dir() {
            below(&entry.path(), hash)?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn recipes_are_read_and_written() {
        let root: RootRecipe = "debian:bookworm+xz-utils,gcc,gcc".parse().unwrap();
        assert_eq!(root.to_string(), "debian:bookworm+gcc,xz-utils");
        let bare: RootRecipe = "debian:bookworm".parse().unwrap();
        assert_eq!(bare.to_string(), "debian:bookworm");
        let more = bare.clone().then(vec!["touch /x".into()]).unwrap();
        assert_eq!(more.to_string(), "debian:bookworm then touch /x");
        assert_ne!(more.key().unwrap(), bare.key().unwrap());
        let folder = RootRecipe::Folder("/".into());
        assert!(
            folder.then(vec!["touch /x".into()]).unwrap_err().contains("only in roots of Debian")
        );
        for wrong in [
            "debian:",
            "debian:a+b c",
            "debian:x+--hook",
            "docker:redis",
            "/no/such",
            "debian:../x",
        ] {
            assert!(wrong.parse::<RootRecipe>().is_err(), "{wrong}");
        }
    }

    #[test]
    fn a_folder_that_has_changed_is_another_root() {
        let place = tempfile::tempdir().unwrap();
        fs::write(place.path().join("a"), "1").unwrap();
        let recipe = RootRecipe::Folder(place.path().into());
        let first = recipe.key().unwrap();
        assert_eq!(recipe.key().unwrap(), first);
        fs::write(place.path().join("a"), "12").unwrap();
        assert_ne!(recipe.key().unwrap(), first);
    }
}
