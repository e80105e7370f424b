//! Where what programs write lies: `--scratch`.

use crate::usage::wrong_usage;
use anyhow::{Result, anyhow};
use serde::Deserialize;
use std::path::PathBuf;
use std::str::FromStr;
use tare_layers::disk_folder;
use tare_store::Scratch;

/// What `--scratch` says.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(try_from = "String")]
pub enum ScratchArg {
    /// In memory.
    #[default]
    Memory,
    /// In that folder of this host's, or in the one for temporary files.
    Disk(Option<PathBuf>),
}

impl FromStr for ScratchArg {
    type Err = String;

    fn from_str(text: &str) -> Result<ScratchArg, String> {
        match text.split_once('=').unwrap_or((text, "")) {
            ("memory", "") => Ok(ScratchArg::Memory),
            ("disk", "") => Ok(ScratchArg::Disk(None)),
            ("disk", folder) => Ok(ScratchArg::Disk(Some(folder.into()))),
            _ => Err("memory, disk, or disk=DIR with a folder on a disk".into()),
        }
    }
}

impl TryFrom<String> for ScratchArg {
    type Error = String;

    fn try_from(text: String) -> Result<ScratchArg, String> {
        text.parse()
    }
}

impl ScratchArg {
    /// Refuses what cannot be meant: a disk where no program writes, or on a machine whose files are all in memory.
    pub fn check(&self, has_programs: bool, has_disks: bool) -> Result<()> {
        if *self == ScratchArg::Memory {
            return Ok(());
        }
        if !has_disks {
            wrong_usage!(
                "the simulated machine has its files in memory: --scratch disk is for a real one"
            );
        }
        if !has_programs {
            wrong_usage!(
                "--scratch disk is about what commands write: give one after --, or a suite of them such as --suite programs"
            );
        }
        Ok(())
    }

    /// The folder, if it is one on a disk.
    ///
    /// # Errors
    /// It cannot be used; why, and what could.
    pub fn place(&self) -> Result<Scratch> {
        let ScratchArg::Disk(folder) = self else { return Ok(Scratch::Memory) };
        let found = disk_folder(folder.as_deref());
        let found = found.map_err(|no| anyhow!("--scratch disk: {}; {}", no.why, no.remedy))?;
        let folder = found.folder.to_string_lossy();
        Ok(Scratch::Disk { folder: (*folder).into(), file_system: found.file_system.into() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_memory_or_a_disk_with_or_without_a_folder() {
        let read = |text: &str| text.parse::<ScratchArg>();
        assert_eq!(read("memory"), Ok(ScratchArg::Memory));
        assert_eq!(read("disk"), Ok(ScratchArg::Disk(None)));
        assert_eq!(read("disk=/a=b"), Ok(ScratchArg::Disk(Some("/a=b".into()))));
        for wrong in ["", "tmpfs", "memory=/x", "/var/tmp"] {
            assert!(read(wrong).unwrap_err().contains("disk=DIR"), "{wrong}");
        }
        assert!(ScratchArg::Memory.check(false, false).is_ok());
        for (programs, disks) in [(false, true), (true, false)] {
            assert!(ScratchArg::Disk(None).check(programs, disks).is_err());
        }
    }
}
