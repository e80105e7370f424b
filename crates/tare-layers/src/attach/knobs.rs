//! Where the knobs of this host stand while a layer boots and measures; at any other time they are where they were.

use crate::settings::suggestion;
use crate::{Setting, SettingError, Settings, Unavailable};
use tare_keeper::knobs::{KNOBS, Knob};

pub(crate) const SETTING: Setting = Setting {
    key: "knobs",
    about: "where this host's knobs stand while the layer boots and measures, as root: rcu_expedited=1 thp=never \
            (docs/laboratory.md has them all)",
};

/// The knobs with their values, as `NAME=VALUE` in one text.
pub(crate) fn read(settings: &Settings) -> Result<Vec<(String, String)>, SettingError> {
    let mut all: Vec<(String, String)> = Vec::new();
    for word in settings.words(SETTING.key) {
        let (name, value) = word.split_once('=').unwrap_or((&word, ""));
        let names: Vec<&str> = KNOBS.iter().map(|knob| knob.name).collect();
        let knob = Knob::named(name).ok_or_else(|| {
            SettingError(format!("no knob '{name}' of this host; {}", suggestion(name, &names)))
        })?;
        if !knob.takes(value) {
            let values = knob.values();
            return Err(SettingError(format!(
                "{}: {name}={value} is none of: {values}",
                SETTING.key
            )));
        }
        if all.iter().any(|(other, _)| other == name) {
            return Err(SettingError(format!("{}: {name} is given twice", SETTING.key)));
        }
        all.push((name.to_owned(), value.to_owned()));
    }
    Ok(all)
}

/// Whether all of them can be turned here.
pub(crate) fn check(knobs: &[(String, String)]) -> Result<(), Unavailable> {
    knobs.iter().filter_map(|(name, _)| Knob::named(name)).try_for_each(Knob::check)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_known_knobs_and_values_are_read() {
        let read = |text: &str| super::read(&Settings::parse(text).unwrap());
        let refused = |text: &str| read(text).unwrap_err().to_string();
        let two = read("x,knobs=rcu_expedited=1 thp=never").unwrap();
        assert_eq!(two[1], ("thp".to_owned(), "never".to_owned()));
        assert!(read("x").unwrap().is_empty());
        assert!(refused("x,knobs=rcu_expedit=1").contains("did you mean rcu_expedited?"));
        assert!(refused("x,knobs=/proc/sys/vm/swappiness=1").contains("no knob '/proc"));
        assert!(refused("x,knobs=thp=often").contains("always, madvise, never"));
        assert!(refused("x,knobs=swappiness").contains("a whole number up to 200"));
        assert!(refused("x,knobs=thp=never thp=always").contains("twice"));
    }
}
