//! Layers as flags that give them again, for remedies.

use crate::shell::quote;
use tare_layers::{Settings, kinds_of, usual};
use tare_proto::Machine;
use tare_store::LayerRow;

/// `--layers native,runc --layer name=mine,kind=runsc,runtime=FILE`: the layers of `rows`, with all that they were given.
pub fn flags(machine: Machine, rows: &[LayerRow]) -> String {
    let mut plain: Vec<&str> = Vec::new();
    let mut others = String::new();
    for row in rows {
        match given(machine, row) {
            Some(settings) => others += &format!(" --layer {}", quote(&settings.to_string())),
            None => plain.push(row.name.raw()),
        }
    }
    match plain.is_empty() {
        true => others.trim_start().to_owned(),
        false => format!("--layers {}{others}", plain.join(",")),
    }
}

/// What was said of a layer beyond its kind; `None` if that is enough.
fn given(machine: Machine, row: &LayerRow) -> Option<Settings> {
    let kind = kinds_of(machine).find(|kind| row.kind == kind.name)?;
    let all = Settings::parse(row.settings.raw()).ok()?;
    let by_itself = |key: &str, value: &str| {
        kind.defaults.contains(&(key, value)) || usual(kind, key) == Some((key, value))
    };
    let mut own = Settings::default();
    for (key, value) in all.iter().filter(|(key, value)| !by_itself(key, value)) {
        own.default_to(key, value);
    }
    let is_plain =
        row.name == kind.name && own.iter().all(|(key, _)| ["name", "kind"].contains(&key));
    (!is_plain).then_some(own)
}

#[cfg(test)]
mod tests {
    use super::*;
    use tare_layers::configure;

    #[test]
    fn a_layer_with_settings_is_given_again_with_them() {
        let row = |text: &str| {
            let (kind, settings, _) =
                configure(Machine::Real, &Settings::parse(text).unwrap()).unwrap();
            LayerRow {
                name: settings.get("name").unwrap().into(),
                kind: kind.name.into(),
                settings: settings.to_string().as_str().into(),
                unavailable: None,
                artifacts: Vec::new(),
            }
        };
        let rows =
            ["native,root=host", "kvm", "gvisor", "name=mine,kind=runsc,runtime=/a b"].map(row);
        assert_eq!(
            flags(Machine::Real, &rows),
            "--layers native,kvm --layer kind=runsc,name=gvisor --layer 'kind=runsc,name=mine,runtime=/a b'"
        );
        let again = Settings::parse("kind=runsc,name=gvisor").unwrap();
        assert!(configure(Machine::Real, &again).is_ok());
    }
}
