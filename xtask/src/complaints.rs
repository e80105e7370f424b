//! Public complaints, measured: `docs/complaints/NAME.toml` is the campaign of each, and `docs/complaints.md` shows what tare says of it
//! here. `cargo xtask complaints` measures all of them on a quiet machine, `cargo xtask complaints NAME...` some.

use crate::go::{self, GVISOR, OF_COMPLAINTS};
use crate::shell::root;
use crate::{packages, python, release};
use anyhow::{Context, Result, bail};
use std::fs;
use std::path::Path;

/// Where the campaigns are, and the page.
const FOLDER: &str = "docs/complaints";
const PAGE: &str = "docs/complaints.md";

/// What stands around the text of a campaign on the page: the first with its name.
const BEGINS: &str = "<!-- measured: ";
const ENDS: &str = "<!--/measured-->";

/// Measures what `args` name, or everything, and writes its text into the page.
pub fn complaints(args: &[String]) -> Result<()> {
    let known = names()?;
    if let Some(unknown) = args.iter().find(|name| !known.contains(name)) {
        bail!("no complaint '{unknown}'; there are: {}", known.join(", "));
    }
    packages::install()?;
    GVISOR.build()?;
    OF_COMPLAINTS.iter().try_for_each(go::Built::build)?;
    python::lightgbm()?;
    release::build()?;
    let page = root().join(PAGE);
    for name in known.iter().filter(|name| args.is_empty() || args.contains(name)) {
        eprintln!("{name}");
        let text = fs::read_to_string(&page).with_context(|| PAGE)?;
        let said = measure(name, &why(&text, name)).with_context(|| name.clone())?;
        // Somebody may have written into the page meanwhile.
        let text = fs::read_to_string(&page).with_context(|| PAGE)?;
        fs::write(&page, with(&text, name, &said)?).with_context(|| PAGE)?;
    }
    Ok(())
}

/// The names of all campaigns, sorted.
fn names() -> Result<Vec<String>> {
    let files = fs::read_dir(root().join(FOLDER)).with_context(|| FOLDER)?;
    let files = files.collect::<Result<Vec<_>, _>>().with_context(|| FOLDER)?;
    let stem = |path: &Path| Some(path.file_stem()?.to_string_lossy().into_owned());
    let paths = files.iter().map(fs::DirEntry::path);
    let campaigns = paths.filter(|path| path.extension().is_some_and(|it| it == "toml"));
    let mut names: Vec<String> = campaigns.filter_map(|path| stem(&path)).collect();
    names.sort();
    Ok(names)
}

/// The words after `tare explain DIR` in the commands that the page has for `name`, a list for each of them.
fn why(page: &str, name: &str) -> Vec<Vec<String>> {
    let mark = format!("{BEGINS}{name} -->");
    let before = page.split_once(&mark).map_or("", |(before, _)| before);
    let section = before.rsplit("\n## ").next().unwrap_or(before);
    let words = |line: &str| {
        let rest = line.strip_prefix("tare explain DIR ")?;
        Some(rest.split(' ').map(str::to_owned).collect())
    };
    section.lines().filter_map(words).collect()
}

/// What tare says of the campaign, without what explains its tables, whether the thread's claim holds, and what it names as the cause
/// where it is asked `why`.
fn measure(name: &str, why: &[Vec<String>]) -> Result<String> {
    let campaign = format!("target/complaints/{name}");
    let _ = fs::remove_dir_all(root().join(&campaign));
    let config = format!("{FOLDER}/{name}.toml");
    let claim = release::judged(&["run", "--require", "--config", &config, "--out", &campaign])?;
    let all = release::said(&["show", &campaign, "--short", "--color", "never"])?;
    let said = all.split_once("\nRatios to ").map_or(all.as_str(), |(said, _)| said);
    let mut told = format!("{}{claim}", said.trim_end());
    for words in why {
        let asked = ["explain", &campaign].into_iter().chain(words.iter().map(String::as_str));
        let said = release::said(&asked.collect::<Vec<_>>())?;
        told += &format!("\n\n{}", cause(&said));
    }
    Ok(told)
}

/// Of an explanation the sentence, and the table of what the difference is made of, or else where the time goes.
fn cause(said: &str) -> String {
    let mut paragraphs = said.split("\n\n").map(str::trim);
    let sentence = paragraphs.next().unwrap_or_default();
    let tables: Vec<&str> = paragraphs.collect();
    let of = |begin: &str| tables.iter().find(|table| table.starts_with(begin));
    let table = ["What is added", "What is saved", "Where the time goes"].into_iter().find_map(of);
    table.map_or_else(|| sentence.to_owned(), |table| format!("{sentence}\n\n{table}"))
}

/// `page` with `said` in the place of `name`.
fn with(page: &str, name: &str, said: &str) -> Result<String> {
    let mark = format!("{BEGINS}{name} -->\n");
    let place = page.split_once(&mark).and_then(|(before, behind)| {
        let (_, after) = behind.split_once(ENDS)?;
        Some((before, after))
    });
    let (before, after) = place.with_context(|| format!("{PAGE} has no place for {name}"))?;
    Ok(format!("{before}{mark}```\n{said}\n```\n{ENDS}{after}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_complaint_has_its_place_on_the_page_and_only_that_is_written() {
        let page = fs::read_to_string(root().join(PAGE)).unwrap();
        for name in names().unwrap() {
            let once = with(&page, &name, "said").unwrap();
            assert!(once.contains("```\nsaid\n```") && once.contains(&format!("{name}.toml")));
            assert_eq!(with(&once, &name, "said").unwrap(), once);
        }
        assert!(with(&page, "nothing", "said").is_err());
    }

    #[test]
    fn a_cause_is_asked_for_as_the_page_says_and_told_in_short() {
        let page = "## a\ntare explain DIR x --layer l\n## b\ntare run --config docs/complaints/b.toml --out DIR\n\
            tare explain DIR start/warm --layer b\n<!-- measured: b -->\n";
        assert_eq!(why(page, "b"), [["start/warm", "--layer", "b"]]);
        let said = "b: × 2\nOne start is that.\n\nSeen\n1\n\nWhere the time goes\n2\n\nWhat is added\n3\n\n- Notes\n";
        assert_eq!(cause(said), "b: × 2\nOne start is that.\n\nWhat is added\n3");
    }
}
