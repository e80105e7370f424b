//! The layers of a campaign, after their trials.

use super::{NotBegun, TrialBoots, go_on};
use crate::config::Asked;
use crate::environment::arguments::without_parameter;
use crate::environment::far;
use crate::progress::Progress;
use crate::{cli, output, programs};
use anyhow::{Error, Result};
use tare_layers::{Host, Unavailable};
use tare_run::{CampaignLayer, Event, Observer, Trial};
use tare_store::LayerRow;

pub struct Tried {
    pub row: LayerRow,
    pub weighed: CampaignLayer,
    pub named: bool,
    /// What a reader of its ratios should know of it.
    pub comments: Vec<String>,
}

/// Tries every layer.
///
/// # Errors
/// [`NotBegun`]: interrupted, or a layer is missing that is required because it was named.
pub fn every(
    asked: Vec<Asked>,
    setup: &TrialBoots,
    require: bool,
    progress: &mut Progress,
) -> Result<Vec<Tried>> {
    if require && lacks(&asked, setup.host, progress) {
        return Err(missing());
    }
    let candidates: Vec<_> = asked.iter().map(|asked| asked.candidate(setup.machine)).collect();
    let outcomes = setup.trials().all(&candidates, progress);
    go_on()?;
    let came = asked.into_iter().zip(outcomes);
    let all: Vec<Tried> = came.filter_map(|(one, came)| Some(tried(one, came?))).collect();
    let lacks = |tried: &Tried| tried.named && tried.row.unavailable.is_some();
    if require && all.iter().any(lacks) { Err(missing()) } else { Ok(all) }
}

/// The baseline. It runs here, and so does a layer to compare with it, unless it was asked for alone.
///
/// # Errors
/// [`NotBegun`]: nothing could be compared.
pub fn baseline<'a>(
    tried: &'a [Tried],
    name: &str,
    has_programs: bool,
) -> Result<Option<&'a Tried>> {
    let is_base = |tried: &&Tried| tried.row.name == name;
    let (missing, here): (Vec<&Tried>, Vec<&Tried>) =
        tried.iter().partition(|tried| tried.row.unavailable.is_some());
    let what = match here.len() {
        _ if missing.iter().any(is_base) => format!("the baseline {name} cannot run here"),
        // What an ordinary user's command takes on this host is an answer, where nobody asked for more.
        1 if has_programs && !tried.iter().any(|tried| tried.named) => {
            return Ok(here.into_iter().find(is_base));
        }
        1 if !missing.is_empty() => {
            format!("no layer that could be compared with {name} runs here")
        }
        _ => return Ok(here.into_iter().find(is_base)),
    };
    let why = |tried: &&Tried| {
        let (why, _) = tried.row.unavailable.as_ref()?;
        Some(format!("{}: {}", tried.row.name.raw(), why.raw()))
    };
    let why: Vec<String> = missing.iter().filter_map(why).collect();
    output::note(&format!(
        "Nothing was measured: {what} ({}). 'tare doctor' lists what can be weighed here.",
        why.join("; ")
    ));
    Err(NotBegun { code: cli::LAYER_MISSING }.into())
}

fn tried(asked: Asked, outcome: std::result::Result<Trial, Unavailable>) -> Tried {
    let Asked { name, kind, settings, layer, named } = asked;
    let hello = outcome.as_ref().ok().map(|trial| &trial.hello);
    let far = hello.filter(|_| far::is_far(&settings));
    let mut comments = far.map(far::comments).unwrap_or_default();
    comments.extend(programs::as_they_are(kind, &settings).map(str::to_owned));
    comments.extend(hello.and_then(|hello| without_parameter(&settings, hello)));
    let (trial_s, artifacts, unavailable) = match outcome {
        Ok(trial) => (Some(trial.whole.as_secs_f64()), trial.artifacts, None),
        Err(no) => (None, Vec::new(), Some((no.why.into(), no.remedy.into()))),
    };
    let row = LayerRow {
        name: name.clone().into(),
        kind: kind.into(),
        settings: settings.to_string().into(),
        unavailable,
        artifacts,
    };
    Tried { row, weighed: CampaignLayer { name, layer, trial_s }, named, comments }
}

/// Whether a layer that was named lacks something that is seen without booting any; says what.
fn lacks(asked: &[Asked], host: &Host, progress: &mut Progress) -> bool {
    let named = asked.iter().enumerate().filter(|(_, asked)| asked.named);
    let lacking: Vec<_> =
        named.filter_map(|(at, asked)| Some((at, asked, asked.layer.check(host).err()?))).collect();
    for (at, asked, no) in &lacking {
        let outcome = Err(no.clone());
        progress.event(Event::Tried { layer: &asked.name, at: *at, outcome: &outcome });
    }
    !lacking.is_empty()
}

/// A layer that had to be there is not.
fn missing() -> Error {
    output::note("Nothing was measured: a named layer cannot run here, and --require was given.");
    NotBegun { code: cli::LAYER_MISSING }.into()
}
