//! How the host keeps the memory of a layer's processes: as any other process' unless something is set.

use crate::{
    BootSpec, Cpus, Host, Keeper, Launch, Layer, Pages, SessionError, Setting, SettingError,
    Settings, Unavailable, Whose,
};
use std::io;

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

/// `layer` with its pages kept like that.
pub(crate) fn kept(layer: Box<dyn Layer>, pages: Pages) -> Box<dyn Layer> {
    match pages == Pages::default() {
        true => layer,
        false => Box::new(Kept { layer, pages }),
    }
}

struct Kept {
    layer: Box<dyn Layer>,
    pages: Pages,
}

impl Layer for Kept {
    fn check(&self, host: &Host) -> Result<(), Unavailable> {
        self.layer.check(host)?;
        self.pages.check()
    }

    fn snapshot(&self, host: &Host) -> Result<(), Unavailable> {
        self.layer.snapshot(host)
    }

    fn launch(&self, host: &Host, boot: &BootSpec) -> io::Result<Launch> {
        let mut launch = self.layer.launch(host, boot)?;
        if let Launch::Program(program) = &mut launch {
            program.pages = self.pages;
        }
        Ok(launch)
    }

    fn prepare(&self, host: &Host, keeper: &Keeper) -> Result<(), SessionError> {
        self.layer.prepare(host, keeper)
    }

    fn failures_last(&self) -> bool {
        self.layer.failures_last()
    }

    fn scripted(&self) -> bool {
        self.layer.scripted()
    }

    fn whole_series(&self) -> Option<&'static str> {
        self.layer.whole_series()
    }

    fn cpus(&self) -> Cpus {
        self.layer.cpus()
    }

    fn whose(&self) -> &'static [Whose] {
        self.layer.whose()
    }

    fn explain(&self, error: &SessionError, console: &str) -> Unavailable {
        self.layer.explain(error, console)
    }
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
