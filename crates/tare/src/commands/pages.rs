//! `tare help PAGE`: the manual's pages that tare carries, for readers without a network.

use crate::output;
use anyhow::Result;
use std::process::ExitCode;

/// The pages that people ask for by name.
pub const PAGES: &[(&str, &str)] = &[
    ("tutorial", include_str!("../../docs/tutorial.md")),
    ("answers", include_str!("../../docs/answers.md")),
    ("troubleshooting", include_str!("../../docs/troubleshooting.md")),
    ("faq", include_str!("../../docs/faq.md")),
    ("glossary", include_str!("../../docs/glossary.md")),
    ("tare.toml", include_str!("../../docs/tare-toml.md")),
    ("programs", include_str!("../../docs/programs.md")),
    ("layers", include_str!("../../docs/layers.md")),
    ("ci", include_str!("../../docs/ci.md")),
    ("threats", include_str!("../../docs/threats.md")),
];

/// The page that the command line asks for, if it does; every other `help` is the command line's own.
pub fn asked() -> Option<&'static str> {
    let words: Vec<String> = std::env::args().skip(1).take(3).collect();
    let [help, name] = &words[..] else { return None };
    let page = PAGES.iter().find(|(own, _)| own == name).filter(|_| help == "help");
    page.map(|(_, text)| *text)
}

/// Prints `page`, without the marks that only its tests read.
pub fn print(page: &str) -> Result<ExitCode> {
    let mut text = page.to_owned();
    while let Some((before, (_, after))) =
        text.split_once("<!--").and_then(|(before, rest)| Some((before, rest.split_once("-->")?)))
    {
        text = format!("{before}{after}");
    }
    output::print(&text)?;
    Ok(ExitCode::SUCCESS)
}
