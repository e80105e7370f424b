//! `tare papers`: published results, what follows from their figures, and a comparison of a campaign with them.

mod added;
mod compare;
mod show;
mod stated;

use crate::cli::{PapersArgs, PapersVerb};
use crate::output;
use crate::usage::OrUsage;
use anyhow::{Context, Result};
use std::fmt::Write;
use std::process::ExitCode;
use tare_import::{Paper, papers};

pub fn run(args: &PapersArgs) -> Result<ExitCode> {
    let all = papers().context("the papers that tare carries")?;
    let text = match &args.verb {
        PapersVerb::List => list(&all),
        PapersVerb::Show { id } => show::show(named(&all, id)?),
        PapersVerb::Compare { id, dir } => compare::compare(named(&all, id)?, dir)?,
    };
    output::print(&text)?;
    Ok(ExitCode::SUCCESS)
}

fn named<'a>(all: &'a [Paper], id: &str) -> Result<&'a Paper> {
    let ids: Vec<&str> = all.iter().map(|paper| paper.id.as_str()).collect();
    all.iter()
        .find(|paper| paper.id == id)
        .with_context(|| format!("no paper '{id}'; there are {}", ids.join(", ")))
        .or_usage()
}

fn list(all: &[Paper]) -> String {
    all.iter().map(|paper| format!("{}  {} ({})\n", paper.id, paper.title, paper.year)).collect()
}

/// Words within the terminal's width; what follows the first line stands two further in.
fn paragraph(text: &mut String, indent: &str, words: &str) {
    let mut used = 0;
    for word in words.split(' ') {
        let length = word.chars().count();
        if used > 0 && used + 1 + length > output::width() {
            let _ = write!(text, "\n{indent}  ");
            used = indent.len() + 2;
        } else if used > 0 {
            text.push(' ');
            used += 1;
        } else {
            *text += indent;
            used = indent.len();
        }
        *text += word;
        used += length;
    }
    text.push('\n');
}
