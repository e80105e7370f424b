//! `tare`: weighs the layer between a workload and the machine.

mod carried;
mod catalog;
mod cli;
mod commands;
mod config;
mod environment;
mod files;
mod host;
mod input;
mod interrupt;
mod loads;
mod newest;
mod output;
mod parallel;
mod pin;
mod policy;
mod programs;
mod progress;
mod scratch;
mod shell;
mod sweep;
mod trust;
mod usage;
mod version;

use clap::FromArgMatches;
use clap::error::ErrorKind::DisplayVersion;
use cli::{Cli, Command, LabArgs, LabVerb};
use std::io::{ErrorKind, Write};
use std::process::ExitCode;

fn main() -> ExitCode {
    if std::env::var_os("TMPDIR").is_some_and(|folder| folder.is_empty()) {
        // SAFETY: no other thread has been started. It would mean this folder instead of the usual one.
        unsafe { std::env::remove_var("TMPDIR") };
    }
    // A keeper starts with every boot, and takes no flag: the whole command line would cost a millisecond.
    if commands::keep::is_asked() {
        return done(commands::keep::keep());
    }
    if let Some(page) = commands::pages::asked() {
        return done(commands::pages::print(page));
    }
    let asked = cli::command().try_get_matches();
    let cli = match asked.and_then(|asked| Cli::from_arg_matches(&asked)) {
        Ok(cli) => cli,
        Err(said) => return instead(&said),
    };
    output::set_color(cli.color);
    if let Err(wrong) = usage::check_end(std::env::args_os()) {
        return done(Err(wrong));
    }
    done(match cli.command {
        Command::Run(args) => commands::run::run(&args),
        Command::Resume(args) => commands::resume::resume(&args),
        Command::Show(args) => commands::show::show(&args),
        Command::Report(args) => commands::report::report(&args),
        Command::Open(args) => commands::open::open(&args),
        Command::Export(args) => commands::export::export(&args),
        Command::Serve(args) => commands::serve::serve(&args),
        Command::Compare(args) => commands::compare::compare(&args),
        Command::Verify(args) => commands::verify::verify(&args),
        Command::Merge(args) => commands::merge::merge(&args),
        Command::Fleet(args) => commands::fleet::fleet(&args),
        Command::Import(args) => commands::import::import(&args),
        Command::Papers(args) | Command::Lab(LabArgs { verb: LabVerb::Papers(args) }) => {
            commands::papers::run(&args)
        }
        Command::Explain(args) => commands::explain::explain(&args),
        Command::Bisect(args) | Command::Lab(LabArgs { verb: LabVerb::Bisect(args) }) => {
            commands::bisect::bisect(&args)
        }
        Command::Predict(args) => commands::predict::predict(&args),
        Command::Disk(verb) | Command::Lab(LabArgs { verb: LabVerb::Disk(verb) }) => {
            commands::disk::disk(&verb)
        }
        Command::Doctor(args) => commands::doctor::doctor(&args),
        Command::Init(args) => commands::init::init(&args),
        Command::List(args) => commands::list::list(&args),
        Command::Generate(args) => commands::generate::generate(&args),
        Command::Cache(args) => commands::cache::cache(&args),
        Command::Keep => commands::keep::keep(),
        Command::Machine { plan } => commands::machine::machine(&plan),
    })
}

/// How a command ended; an error is printed.
fn done(ended: anyhow::Result<ExitCode>) -> ExitCode {
    ended.unwrap_or_else(|error| {
        output::error(&error);
        if usage::is_wrong_usage(&error) { cli::USAGE.into() } else { cli::FAILED.into() }
    })
}

/// Prints the help or the version that was asked for, or what is wrong with the command line.
fn instead(said: &clap::Error) -> ExitCode {
    let printed = match said.kind() {
        DisplayVersion => std::io::stdout().write_all(version::text().as_bytes()),
        _ => said.print(),
    };
    let verb = std::env::args().nth(1);
    usage::tip(said, verb.as_deref()).iter().for_each(|tip| output::note(tip));
    match printed {
        Err(error) if !said.use_stderr() && error.kind() != ErrorKind::BrokenPipe => {
            output::error(&anyhow::Error::new(error).context("cannot write to standard output"));
            cli::FAILED.into()
        }
        _ => ExitCode::from(said.exit_code() as u8),
    }
}
