//! `tare`: weighs the layer between a workload and the machine.

mod carried;
mod catalog;
mod cli;
mod commands;
mod config;
mod environment;
mod host;
mod input;
mod interrupt;
mod loads;
mod output;
mod progress;

use clap::Parser;
use cli::{Cli, Command};
use std::process::ExitCode;

fn main() -> ExitCode {
    let cli = Cli::parse();
    output::set_color(cli.color);
    let done = match cli.command {
        Command::Run(args) => commands::run::run(&args),
        Command::Resume(args) => commands::resume::resume(&args),
        Command::Show(args) => commands::show::show(&args),
        Command::Report(args) => commands::report::report(&args),
        Command::Export(args) => commands::export::export(&args),
        Command::Serve(args) => commands::serve::serve(&args),
        Command::Compare(args) => commands::compare::compare(&args),
        Command::Import(args) => commands::import::import(&args),
        Command::Papers(args) => commands::papers::run(&args),
        Command::Explain(args) => commands::explain::explain(&args),
        Command::Doctor(args) => commands::doctor::doctor(&args),
        Command::List(args) => commands::list::list(&args),
        Command::Keep => commands::keep::keep(),
    };
    done.unwrap_or_else(|error| {
        output::error(&error);
        cli::FAILED.into()
    })
}
