//! How the host keeps the memory of a layer's processes: as any other process' unless something is set.

use crate::{Pages, Setting, SettingError, Settings};

pub(crate) const KSM: Setting = Setting {
    key: "ksm",
    about: "on: the host may merge equal pages of the layer's processes (as root, where /sys/kernel/mm/ksm/run is 1); off (default)",
};

pub(crate) const THP: Setting = Setting {
    key: "thp",
    about: "never: none of the layer's processes gets transparent huge pages; host (default): as this host has it set",
};

pub(crate) fn read(known: &[Setting], settings: &Settings) -> Result<Pages, SettingError> {
    if !known.iter().any(|setting| setting.key == KSM.key) {
        return Ok(Pages::default());
    }
    Ok(Pages {
        merged: settings.one_of(KSM.key, &["off", "on"])? == Some("on"),
        small: settings.one_of(THP.key, &["host", "never"])? == Some("never"),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_are_words_and_nothing_is_asked_for_by_itself() {
        let read = |text: &str| super::read(&[KSM, THP], &Settings::parse(text).unwrap());
        assert_eq!(read("x").unwrap(), Pages::default());
        assert_eq!(read("x,ksm=off,thp=host").unwrap(), Pages::default());
        assert_eq!(read("x,ksm=on,thp=never").unwrap(), Pages { merged: true, small: true });
        assert!(read("x,ksm=yes").unwrap_err().to_string().contains("on"));
        let word = Settings::parse("x,ksm=yes").unwrap();
        assert_eq!(super::read(&[], &word).unwrap(), Pages::default(), "a word of another kind's");
    }
}
