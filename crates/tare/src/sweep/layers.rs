//! The layers of a sweep: each combination of a layer's settings is one.

use super::{HOST, Knobs, OF_HOST, SweepArg, design, is_of_rows, names::AS_IT_IS, names::names};
use anyhow::{Result, bail};
use tare_layers::Settings;
use tare_store::{Design, Knob, Sweep, SweptLayer, Turned};

/// The value that writes a word without a value of its own.
const ALONE: &str = "+";

/// Most layers of a campaign that a sweep may make.
const MOST: u64 = 4096;

/// Layers with their settings, and what the campaign keeps of the sweep that made them.
pub struct Swept {
    /// Every layer; settings of a swept one stand in its place.
    pub layers: Vec<Settings>,
    pub sweep: Option<Sweep>,
}

struct Handle<'a> {
    layer: String,
    /// `memory`, or `append.PARAM`.
    name: String,
    arg: &'a SweepArg,
}

impl Swept {
    /// The layer that `baseline` is, or the setting that its settings are compared with; of the usual baseline where none is named.
    pub fn baseline(&self, baseline: Option<&str>) -> Option<String> {
        let name = baseline.unwrap_or("native");
        let mut made = self.sweep.iter().flat_map(|sweep| &sweep.layers);
        let first = made.find(|layer| layer.of == name).map(|layer| layer.name.raw());
        first.or(baseline).map(str::to_owned)
    }
}

impl Knobs {
    /// The layers as they are `asked` for, with one for each combination of a layer's knobs. A knob whose layer is not among
    /// them adds it as `named` has it.
    ///
    /// # Errors
    /// A knob that is none, a layer that does not exist, more combinations than could be measured.
    pub fn layers(
        &self,
        mut asked: Vec<Settings>,
        named: impl Fn(&str) -> Result<Settings>,
    ) -> Result<Swept> {
        if self.is_empty() {
            return Ok(Swept { layers: asked, sweep: None });
        }
        let mut handles = Vec::new();
        let (of_host, of_layers): (Vec<&SweepArg>, Vec<&SweepArg>) = self
            .knobs
            .iter()
            .filter(|knob| !is_of_rows(knob))
            .partition(|it| is_of_host(it, &asked));
        for arg in of_layers {
            let layer = layer_of(arg, &asked)?;
            if !asked.iter().any(|own| own.get("name") == Some(layer.as_str())) {
                asked.push(named(&layer)?);
            }
            let name = arg.knob[layer.len() + 1..].to_owned();
            handles.push(Handle { layer, name, arg });
        }
        for (arg, settings) in of_host.iter().flat_map(|arg| asked.iter().map(move |s| (arg, s))) {
            let layer = settings.get("name").unwrap_or_default().to_owned();
            handles.push(Handle { layer, name: arg.knob.replacen(HOST, OF_HOST, 1), arg });
        }
        let mut sweep = Sweep { design: self.design, ..Sweep::default() };
        let mut layers = Vec::new();
        for settings in asked {
            let name = settings.get("name").unwrap_or_default().to_owned();
            let own: Vec<&Handle> = handles.iter().filter(|handle| handle.layer == name).collect();
            match own.is_empty() {
                true => layers.push(settings),
                false => layers.extend(all(&settings, &name, &own, &mut sweep)?),
            }
        }
        sweep.knobs.extend(self.of_rows());
        Ok(Swept { layers, sweep: Some(sweep) })
    }
}

/// Whether a knob is the host's, which all layers have; a layer that is called `host` has its own.
fn is_of_host(arg: &SweepArg, asked: &[Settings]) -> bool {
    arg.knob.starts_with(HOST) && !asked.iter().any(|own| own.get("name") == Some("host"))
}

/// The layer in a knob's name: one that is asked for, or else what stands before the first dot.
fn layer_of(arg: &SweepArg, asked: &[Settings]) -> Result<String> {
    let names = asked.iter().filter_map(|settings| settings.get("name"));
    let begins =
        |name: &&str| arg.knob.strip_prefix(*name).is_some_and(|rest| rest.starts_with('.'));
    let known = names.filter(begins).max_by_key(|name| name.len());
    let found = known.or_else(|| arg.knob.split_once('.').map(|(layer, _)| layer));
    match found.filter(|layer| !layer.is_empty() && arg.knob.len() > layer.len() + 1) {
        Some(layer) => Ok(layer.to_owned()),
        None => bail!(
            "--sweep {}: a knob is LAYER.SETTING (qemu.memory), LAYER.append.PARAM, host.NAME (host.thp), load, or FAMILY.size (disk.size)",
            arg.knob
        ),
    }
}

/// Every combination of one layer's knobs that the design has.
fn all(base: &Settings, layer: &str, own: &[&Handle], sweep: &mut Sweep) -> Result<Vec<Settings>> {
    let levels: Vec<usize> = own.iter().map(|handle| handle.arg.values.len()).collect();
    let size = design::size(sweep.design, &levels);
    if size.is_none_or(|size| sweep.layers.len() as u64 + size > MOST) {
        bail!(
            "--sweep: {} combinations of the knobs of {layer} are more than {MOST} layers; use fewer values, or \
             --design one-at-a-time ({})",
            size.map_or_else(|| "too many".into(), |size| size.to_string()),
            design::size(Design::OneAtATime, &levels).unwrap_or(u64::MAX)
        );
    }
    let points = design::points(sweep.design, &levels);
    if sweep.design == Design::Fractional {
        tare_stats::Factorial::new(&levels, &points, false).map_err(|_| {
            anyhow::anyhow!("--design fractional: a fraction of {} knobs cannot tell their effects apart; it takes three, or --design full", own.len())
        })?;
    }
    let values: Vec<Vec<&str>> = points
        .iter()
        .map(|point| own.iter().zip(point).map(|(h, at)| h.arg.values[*at].as_str()).collect())
        .collect();
    let knobs: Vec<&str> = own.iter().map(|handle| handle.name.as_str()).collect();
    let mut made = Vec::new();
    for ((name, values), levels) in
        names(layer, &knobs, &values).into_iter().zip(&values).zip(points)
    {
        let mut settings = base.clone();
        settings.default_to("kind", layer);
        settings.replace("name", &name);
        for (knob, value) in knobs.iter().zip(values) {
            turn(&mut settings, knob, value)?;
        }
        made.push(settings);
        sweep.layers.push(SweptLayer { name: name.into(), of: layer.into(), levels });
    }
    sweep.knobs.extend(own.iter().map(|handle| Knob {
        name: handle.name.clone().into(),
        of: Turned::Layer(layer.into()),
        values: handle.arg.values.iter().map(|value| value.as_str().into()).collect(),
        ordered: handle.arg.is_version(),
    }));
    Ok(made)
}

/// Gives the knob `name` of a layer a value: a setting's own, or of one word among those that a setting holds.
fn turn(settings: &mut Settings, name: &str, value: &str) -> Result<()> {
    let (key, word) = name.split_once('.').map_or((name, None), |(key, word)| (key, Some(word)));
    if ["name", "kind"].contains(&key) {
        bail!("--sweep: {key} cannot be a knob; give two layers (--layer) instead");
    }
    match (word, value) {
        (_, AS_IT_IS) => {}
        (None, value) => settings.replace(key, value),
        (Some(word), value) => {
            let is_other = |own: &String| own != word && !own.starts_with(&format!("{word}="));
            let mut words: Vec<String> = settings.words(key).into_iter().filter(is_other).collect();
            words.push(if value == ALONE { word.into() } else { format!("{word}={value}") });
            settings.replace(key, &words.join(" "));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn swept(asked: &[&str], knobs: &[&str], design: Design) -> Result<Swept> {
        let knobs = knobs.iter().map(|knob| knob.parse().unwrap()).collect();
        let asked = asked.iter().map(|text| Settings::parse(text).unwrap()).collect();
        Knobs { knobs, design }.layers(asked, |name| Ok(Settings::parse(name)?))
    }

    fn texts(swept: &Swept) -> Vec<String> {
        swept.layers.iter().map(Settings::to_string).collect()
    }

    #[test]
    fn every_combination_is_a_layer_in_the_place_of_the_swept_one() {
        let knobs = ["qemu.memory=256M,1G", "qemu.append.pti=-,off", "load=1,4"];
        let made = swept(&["native", "qemu,append=quiet pti=on"], &knobs, Design::Full).unwrap();
        assert_eq!(
            texts(&made),
            [
                "name=native",
                "append=quiet pti=on,kind=qemu,memory=256M,name=qemu+memory-256M+pti-usual",
                "append=quiet pti=off,kind=qemu,memory=256M,name=qemu+memory-256M+pti-off",
                "append=quiet pti=on,kind=qemu,memory=1G,name=qemu+memory-1G+pti-usual",
                "append=quiet pti=off,kind=qemu,memory=1G,name=qemu+memory-1G+pti-off",
            ]
        );
        assert_eq!(made.baseline(Some("qemu")).as_deref(), Some("qemu+memory-256M+pti-usual"));
        assert_eq!(made.baseline(Some("native")).as_deref(), Some("native"));
        assert_eq!(made.baseline(None), None);
        let sweep = made.sweep.unwrap();
        assert_eq!(
            sweep.knobs.iter().map(|k| k.name.raw()).collect::<Vec<_>>(),
            ["memory", "append.pti", "load"]
        );
        assert_eq!(sweep.layers[3].levels, [1, 1]);
    }

    #[test]
    fn a_layer_that_only_a_knob_names_is_added() {
        let made = swept(&[], &["uml.memory=64M,128M"], Design::Full).unwrap();
        assert_eq!(texts(&made)[0], "kind=uml,memory=64M,name=uml+memory-64M");
        let dotted = swept(&["a.b,kind=uml"], &["a.b.memory=64M,128M"], Design::Full).unwrap();
        assert_eq!(texts(&dotted)[0], "kind=uml,memory=64M,name=a.b+memory-64M");
    }

    #[test]
    fn a_knob_of_the_host_is_turned_for_every_layer() {
        let knobs = ["host.thp=-,never", "uml.memory=64M,128M"];
        let made = swept(&["native,knobs=swappiness=1"], &knobs, Design::OneAtATime).unwrap();
        assert_eq!(
            texts(&made),
            [
                "kind=native,knobs=swappiness=1,name=native+thp-usual",
                "kind=native,knobs=swappiness=1 thp=never,name=native+thp-never",
                "kind=uml,memory=64M,name=uml+memory-64M+thp-usual",
                "kind=uml,knobs=thp=never,memory=64M,name=uml+memory-64M+thp-never",
                "kind=uml,memory=128M,name=uml+memory-128M+thp-usual",
            ]
        );
        assert_eq!(made.baseline(None).as_deref(), Some("native+thp-usual"));
        let one = swept(&["a", "b"], &["b.knobs.thp=always,never"], Design::Full).unwrap();
        assert_eq!(texts(&one)[0], "name=a");
    }

    #[test]
    fn what_is_no_knob_is_refused() {
        let refused =
            |knobs: &[&str], design| swept(&["uml"], knobs, design).err().unwrap().to_string();
        assert!(refused(&["memory=1,2"], Design::Full).contains("LAYER.SETTING"));
        assert!(refused(&["uml.name=1,2"], Design::Full).contains("cannot be a knob"));
        assert!(
            refused(&["uml.a=1,2", "uml.b=1,2"], Design::Fractional).contains("it takes three")
        );
        let many = "1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20";
        let knobs: Vec<String> =
            ["a", "b", "c"].iter().map(|k| format!("uml.{k}={many}")).collect();
        let knobs: Vec<&str> = knobs.iter().map(String::as_str).collect();
        assert!(refused(&knobs, Design::Full).contains("8000 combinations"));
    }
}
