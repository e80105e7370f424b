//! The disk of the simulated machine's layers: in the machine's own memory, so that the host does not influence the figures.

use crate::attach::disk;
use crate::{Setting, SettingError, Settings};

pub(super) const SETTING: Setting = Setting {
    key: disk::SETTING.key,
    about: "a disk in the machine's memory: none (default) or its size (128M)",
};

/// The kernel's module that makes such a disk.
pub(super) const MODULE: &str = "brd";

/// What the module calls it.
pub(super) const DEVICE: &str = "/dev/ram0";

/// The device's numbers, as Xen's store has them (hexadecimal).
pub(super) const NUMBERS: &str = "1:0";

#[derive(Debug, Clone, Copy)]
pub(super) struct RamDisk {
    /// Its size in MiB. It takes memory where it has been written.
    pub(super) size: u64,
}

impl RamDisk {
    /// Reads the setting; `None` when there is no disk to give.
    pub(super) fn read(settings: &Settings) -> Result<Option<RamDisk>, SettingError> {
        if settings.get(SETTING.key).is_none_or(|text| text == "none") {
            return Ok(None);
        }
        Ok(Some(RamDisk { size: settings.mebibytes(SETTING.key, 0)? }))
    }

    pub(super) fn arguments(self) -> String {
        format!("{MODULE}.rd_nr=1 {MODULE}.rd_size={}", self.size << 10)
    }
}
