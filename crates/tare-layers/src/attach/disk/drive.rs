//! How QEMU makes a layer's disks: the host's cache, the way that it asks the host, and its queues.

use crate::{Setting, SettingError, Settings};

pub(crate) const CACHE: Setting = Setting {
    key: "cache",
    about: "QEMU's cache of disks: none (default where the host can), writeback, writethrough, directsync, unsafe",
};
pub(crate) const AIO: Setting = Setting {
    key: "aio",
    about: "how QEMU asks the host for blocks: threads (default), io_uring, native (with cache=none)",
};
pub(crate) const QUEUES: Setting = Setting {
    key: "queues",
    about: "queues of each disk, 1 to 64 (default: one for each virtual CPU)",
};

const CACHES: &[&str] = &["none", "writeback", "writethrough", "directsync", "unsafe"];
const WAYS: &[&str] = &["threads", "io_uring", "native"];

/// What is set; QEMU's own where nothing is.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Drive {
    cache: Option<String>,
    aio: Option<String>,
    queues: Option<u64>,
}

impl Drive {
    pub fn read(settings: &Settings) -> Result<Drive, SettingError> {
        let cache = settings.one_of(CACHE.key, CACHES)?;
        let aio = settings.one_of(AIO.key, WAYS)?;
        let past = cache.is_none_or(|cache| ["none", "directsync"].contains(&cache));
        if aio == Some("native") && !past {
            return Err(SettingError(
                "aio=native goes past the host's cache: add cache=none".into(),
            ));
        }
        let queues = settings.get(QUEUES.key).map(|_| settings.number(QUEUES.key, 1, 1, 64));
        let own = |word: Option<&str>| word.map(str::to_owned);
        Ok(Drive { cache: own(cache), aio: own(aio), queues: queues.transpose()? })
    }

    /// The options of a drive on a file that the host can have past its cache, or not.
    pub fn of_drive(&self, direct: bool) -> String {
        // Past the host's page cache, as the probe's own requests go natively.
        let usual = if direct { "none" } else { "writeback" };
        let cache = self.cache.as_deref().unwrap_or(usual);
        let aio = self.aio.as_deref().map(|aio| format!(",aio={aio}")).unwrap_or_default();
        format!("cache={cache}{aio}")
    }

    /// The options of its device, each after a comma.
    pub fn of_device(&self) -> String {
        self.queues.map(|queues| format!(",num-queues={queues}")).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_set_reaches_qemu_and_what_it_would_refuse_is_refused() {
        let read = |text: &str| Drive::read(&Settings::parse(&format!("q{text}")).unwrap());
        let usual = read("").unwrap();
        assert_eq!((usual.of_drive(true).as_str(), usual.of_device().as_str()), ("cache=none", ""));
        assert_eq!(usual.of_drive(false), "cache=writeback");
        let set = read(",cache=directsync,aio=native,queues=4").unwrap();
        assert_eq!(set.of_drive(false), "cache=directsync,aio=native");
        assert_eq!(set.of_device(), ",num-queues=4");
        let refused = |text: &str| read(text).unwrap_err().to_string();
        assert!(refused(",cache=writback").contains("did you mean writeback"));
        assert!(refused(",cache=writeback,aio=native").contains("cache=none"));
        assert!(refused(",queues=0").contains("from 1 to 64"));
    }
}
