//! `tare-blk`: `tare disk` as a program of its own, for example as the back end of a QEMU elsewhere.

use clap::Parser;
use std::process::ExitCode;
use tare_blk::cli::Command;

/// A paravirtual disk in time: its back end, its front end without a guest, and what lies between them.
#[derive(Parser)]
#[command(name = "tare-blk", version)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

fn main() -> ExitCode {
    match tare_blk::cli::run(&Cli::parse().command, &[], |told| eprintln!("{told}")) {
        Ok(text) => {
            print!("{text}");
            ExitCode::SUCCESS
        }
        Err(why) => {
            eprintln!("tare-blk: {why}");
            ExitCode::FAILURE
        }
    }
}
