//! `tare generate`: the manual's pages and the shells' completions, from the same definitions as `--help`.

mod bash;

use crate::catalog::Catalog;
use crate::cli::{self, GenerateArgs, Generated};
use crate::{files, host, output};
use anyhow::{Context, Result};
use clap::Command;
use clap_complete::Shell;
use clap_mangen::Man;
use std::io::Write;
use std::path::Path;
use std::process::ExitCode;

pub fn generate(args: &GenerateArgs) -> Result<ExitCode> {
    let mut pages = match args.what {
        Generated::Man => manual()?,
        Generated::Bash => vec![with_values(completions(Shell::Bash, "tare.bash"))?],
        Generated::Zsh => vec![completions(Shell::Zsh, "_tare")],
        Generated::Fish => vec![completions(Shell::Fish, "tare.fish")],
    };
    match &args.out {
        Some(folder) => pages.iter().try_for_each(|(name, text)| put(folder, name, text))?,
        None => output::stream(|out| Ok(out.write_all(&pages.swap_remove(0).1)?))?,
    }
    Ok(ExitCode::SUCCESS)
}

type File = (String, Vec<u8>);

fn completions(shell: Shell, name: &str) -> File {
    let mut text = Vec::new();
    clap_complete::generate(shell, &mut cli::command(), "tare", &mut text);
    (name.into(), text)
}

/// The completions of bash know values, too.
fn with_values((name, mut text): File) -> Result<File> {
    let catalog = Catalog::load(&host::host()?.probe)?;
    text.extend(bash::values(&catalog)?.bytes());
    Ok((name, text))
}

/// The page of tare itself, and one for each of its commands.
fn manual() -> Result<Vec<File>> {
    let mut all = cli::command().name("tare").disable_help_subcommand(true);
    all.build();
    let mut pages = vec![all.clone()];
    let mut below = vec![("tare".to_owned(), all)];
    while let Some((parent, command)) = below.pop() {
        for verb in command.get_subcommands().filter(|verb| !verb.is_hide_set()) {
            let name = format!("{parent}-{}", verb.get_name());
            pages.push(verb.clone().display_name(name.clone()).name(name.clone()));
            // The laboratory's verbs are large; the others' parts are flags of one page.
            if verb.get_name() == "lab" {
                below.push((name, verb.clone()));
            }
        }
    }
    pages.into_iter().map(page).collect()
}

fn page(command: Command) -> Result<File> {
    let name = format!("{}.1", command.get_name());
    let mut text = Vec::new();
    // No date: the same definitions give the same page.
    Man::new(command).date("").manual("tare").render(&mut text)?;
    Ok((name, text))
}

fn put(folder: &Path, name: &str, text: &[u8]) -> Result<()> {
    std::fs::create_dir_all(folder).with_context(|| format!("cannot make {}", folder.display()))?;
    files::put(&folder.join(name), |file| Ok(file.write_all(text)?))
}
