//! `tare import`: makes a campaign from other tools' output.

use crate::cli::ImportArgs;
use crate::commands::show;
use crate::usage::{OrUsage, wrong_usage};
use crate::{input, output, shell};
use anyhow::{Context, Result, bail};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use tare_board::format::count;
use tare_import::{FORMATS, Format, Import, Origin};
use tare_layers::suggestion;

/// The largest file that is read.
const LARGEST: u64 = 1 << 30;

/// With more files than this of a layer, they are told of together.
const LISTED: usize = 20;

/// Imports files into a campaign and prints its scoreboard.
pub fn import(args: &ImportArgs) -> Result<ExitCode> {
    if args.formats {
        output::print(&table())?;
        return Ok(ExitCode::SUCCESS);
    }
    let (format, groups) = groups(args).or_usage()?;
    let mut import = Import::default();
    for (layer, files) in &groups {
        let mut all = Told::default();
        for file in files {
            let told = one(&mut import, format, layer, file)?;
            if files.len() <= LISTED {
                told.say(&file.display().to_string());
            }
            all.add(&told);
        }
        if files.len() > LISTED {
            all.say(&format!("layer {layer}: {} files", files.len()));
        }
    }
    let names: Vec<&str> = import.layers().collect();
    let baseline = args.baseline.clone().unwrap_or_else(|| names[0].to_owned());
    if !names.contains(&baseline.as_str()) {
        wrong_usage!("no layer '{baseline}' to be the baseline; {}", suggestion(&baseline, &names));
    }
    let origin = Origin {
        baseline,
        command: shell::own_command(),
        created: tare_run::now(),
        version: env!("CARGO_PKG_VERSION").into(),
        margin: args.margin / 100.0,
    };
    let out = args.out.clone().unwrap_or_else(fresh_directory);
    import.store(&out, &origin)?;
    show::print(&out, &args.format)?;
    output::note(&format!("kept in {}", out.display()));
    Ok(ExitCode::SUCCESS)
}

/// One layer's name and its files.
type Group = (String, Vec<PathBuf>);

/// The format, if one is named, and what belongs to which layer.
fn groups(args: &ImportArgs) -> Result<(Option<&'static Format>, Vec<Group>)> {
    let mut words = args.words.iter();
    let format = if args.auto { None } else { Some(named(words.next())?) };
    let loose: Vec<PathBuf> = words.map(PathBuf::from).collect();
    let mut groups: Vec<Group> = Vec::new();
    for group in &args.layers.0 {
        let (name, files) = group.split_first().context("--layer needs a name")?;
        let files = files.iter().map(PathBuf::from);
        match groups.iter_mut().find(|(known, _)| known == name) {
            Some((_, known)) => known.extend(files),
            None => groups.push((name.clone(), files.collect())),
        }
    }
    match &mut groups[..] {
        [] => bail!("which layer do the figures belong to? Give --layer NAME"),
        [(_, files)] => files.extend(loose),
        _ if !loose.is_empty() => {
            bail!(
                "{}: which layer does it belong to? With several layers, write --layer NAME FILE...",
                loose[0].display()
            )
        }
        _ => {}
    }
    if let Some((name, _)) = groups.iter().find(|(_, files)| files.is_empty()) {
        bail!("no file for layer '{name}'");
    }
    Ok((format, groups))
}

fn named(word: Option<&String>) -> Result<&'static Format> {
    let Some(word) = word else {
        bail!("which format? Name one ('tare import --formats' lists them), or use --auto");
    };
    let names: Vec<&str> = FORMATS.iter().map(|format| format.name).collect();
    tare_import::find(word)
        .with_context(|| format!("no format '{word}'; {}; or use --auto", suggestion(word, &names)))
}

/// What came of a file, or of a layer's files.
#[derive(Default)]
struct Told {
    formats: Vec<&'static str>,
    figures: usize,
    unknown: usize,
}

impl Told {
    fn add(&mut self, other: &Told) {
        let new = other.formats.iter().filter(|format| !self.formats.contains(format));
        let new: Vec<&str> = new.copied().collect();
        self.formats.extend(new);
        self.figures += other.figures;
        self.unknown += other.unknown;
    }

    fn say(&self, what: &str) {
        let unknown = match self.unknown {
            0 => String::new(),
            n => format!(", {} not understood", count(n, "line")),
        };
        let formats = self.formats.join(" and ");
        output::note(&format!("{what}: {formats}, {}{unknown}", count(self.figures, "figure")));
    }
}

/// Reads one file into the import.
fn one(
    import: &mut Import,
    format: Option<&'static Format>,
    layer: &str,
    path: &Path,
) -> Result<Told> {
    let file = path.display();
    let text = input::text(path, LARGEST)?;
    let format = format.or_else(|| tare_import::recognise(&text)).with_context(|| {
        let usual = || "'tare import --formats' lists them".to_owned();
        format!("{file}: unknown format; {}", tare_import::hint(&text).unwrap_or_else(usual))
    })?;
    let stem = path.file_stem().unwrap_or_default().to_string_lossy();
    let parsed = tare_import::parse(format, &text, &stem, layer).with_context(|| {
        let hint = tare_import::hint(&text).map(|hint| format!("; {hint}")).unwrap_or_default();
        format!("{file} is not output of {}{hint}", format.name)
    })?;
    let told =
        Told { formats: vec![format.name], figures: parsed.figures.len(), unknown: parsed.unknown };
    import.add(layer, format.name, parsed);
    Ok(told)
}

fn table() -> String {
    FORMATS.iter().map(|format| format!("{:18} {}\n", format.name, format.about)).collect()
}

fn fresh_directory() -> PathBuf {
    let now = tare_run::now().replace([':', 'T'], "-");
    PathBuf::from(format!("tare-import-{}", now.trim_end_matches('Z')))
}
