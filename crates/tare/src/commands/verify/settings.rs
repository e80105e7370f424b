//! The layers of a record as this host is to boot them. A record may be anybody's: no program of this host is started because it says so.

use crate::config::{Asked, layers as made};
use crate::usage::{OrUsage, wrong_usage};
use anyhow::Result;
use tare_layers::{Settings, kinds_of};
use tare_proto::Machine;
use tare_store::Campaign;

/// Settings that name programs of the host.
const PROGRAMS: &[&str] = &["emulator", "command"];

/// The layers of `recorded`, in its order, with what was `set` instead of the record's settings.
///
/// # Errors
/// Wrong usage: a setting that no layer has, or a program that only the record names.
pub(super) fn layers(recorded: &Campaign, set: &[String]) -> Result<Vec<Asked>> {
    let rows = recorded.layers.iter();
    let read: Result<Vec<Settings>, _> =
        rows.map(|row| Settings::parse(row.settings.raw())).collect();
    let mut all = read?;
    let own: Vec<Settings> = all.clone();
    for text in set {
        let meant = all.iter_mut().filter_map(|settings| replace(settings, text)).count();
        if meant == 0 {
            wrong_usage!(
                "--set {text} is no setting of a layer of this campaign: give KEY=VALUE or LAYER.KEY=VALUE"
            );
        }
    }
    for (settings, own) in all.iter().zip(&own) {
        let named = PROGRAMS
            .iter()
            .find(|key| settings.get(key).is_some() && settings.get(key) == own.get(key));
        if let Some(key) = named {
            let layer = own.get("name").unwrap_or_default();
            wrong_usage!(
                "the record starts a program of its host for the layer {layer} ({key}={}), which tare does not do because a \
                 record says so: name it with --set {layer}.{key}=...",
                own.get(key).unwrap_or_default()
            );
        }
    }
    made(recorded.plan.machine, &all).or_usage()
}

/// Gives the layer of `settings` what `text` says, if that is about it.
fn replace(settings: &mut Settings, text: &str) -> Option<()> {
    let (key, value) = text.split_once('=')?;
    let (layer, key) = key.rsplit_once('.').map_or((None, key), |(layer, key)| (Some(layer), key));
    let kind = settings.get("kind").or(settings.get("name"))?.to_owned();
    let kind = kinds_of(Machine::Sim).find(|known| known.name == kind)?;
    let is_its = kind.settings.iter().any(|setting| setting.key == key)
        && layer.is_none_or(|layer| settings.get("name") == Some(layer));
    is_its.then(|| settings.replace(key, value))
}
