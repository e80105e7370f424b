//! The verbs of `tare disk`, and what they do.

use crate::error::Error;
use crate::measure::{Back, Point, measure};
use crate::outcome::Outcome;
use crate::serve::{Place, serve};
use crate::settings::Settings;
use crate::suite;
use clap::{Args, Subcommand};
use std::ffi::OsString;
use std::io::{self, Write};
use std::os::fd::{FromRawFd, OwnedFd, RawFd};
use std::os::unix::net::UnixListener;
use std::path::PathBuf;
use std::process::Stdio;
use std::time::Duration;

/// What can be done with a paravirtual disk.
#[derive(Subcommand, Clone, Debug)]
pub enum Command {
    /// Serve a device at a vhost-user socket until its driver has gone
    Serve(ServeArgs),
    /// Drive a device without a guest, and say how fast it was and what it took
    Drive(DriveArgs),
    /// Measure report 001's questions: bare and paravirtual, locks, segments, the ring's pages
    Suite(SuiteArgs),
}

/// A back end.
#[derive(Args, Clone, Debug)]
pub struct ServeArgs {
    /// Where drivers connect: a new name for each disk, which is gone once its driver has come
    #[arg(long, value_name = "NAME", required_unless_present = "listen_fd")]
    pub socket: Vec<PathBuf>,
    /// An inherited socket that listens, for each disk
    #[arg(long, value_name = "NUMBER", hide = true, value_parser = clap::value_parser!(i32).range(3..))]
    pub listen_fd: Vec<RawFd>,
    /// Print `ready` once drivers can come
    #[arg(long)]
    pub ready: bool,
    /// The device.
    #[command(flatten)]
    pub settings: Settings,
}

/// What is asked of the disks.
#[derive(Args, Clone, Debug)]
pub struct LoadArgs {
    /// Bytes of a request
    #[arg(long, default_value_t = 64 << 10)]
    pub block: u32,
    /// Requests at a time of each queue
    #[arg(long, default_value_t = 16, value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub depth: u16,
    /// Disks, each with a load of its own
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..=16))]
    pub disks: u16,
    /// Write instead of reading; what the disk holds is lost
    #[arg(long)]
    pub write: bool,
    /// Milliseconds of a measurement, after a fifth of that to warm up
    #[arg(long, default_value_t = 500, value_parser = clap::value_parser!(u64).range(10..=600_000))]
    pub milliseconds: u64,
}

/// What is measured, and how it is told.
#[derive(Args, Clone, Debug)]
pub struct MeasuredArgs {
    /// Print JSON
    #[arg(long)]
    pub json: bool,
    /// The load.
    #[command(flatten)]
    pub load: LoadArgs,
    /// The device.
    #[command(flatten)]
    pub settings: Settings,
}

/// A front end.
#[derive(Args, Clone, Debug)]
pub struct DriveArgs {
    /// Ask the device directly, without a ring
    #[arg(long, conflicts_with_all = ["socket", "qemu"])]
    pub bare: bool,
    /// Drive what listens at this vhost-user socket instead of a back end of its own; --ring and --queues are what is asked of it
    #[arg(long, value_name = "NAME", conflicts_with = "qemu")]
    pub socket: Option<PathBuf>,
    /// Drive a null device of QEMU's (qemu-storage-daemon)
    #[arg(long)]
    pub qemu: bool,
    /// What is measured.
    #[command(flatten)]
    pub measured: MeasuredArgs,
}

/// The suite.
#[derive(Args, Clone, Debug)]
pub struct SuiteArgs {
    /// Blocks: how often every row is measured
    #[arg(long, default_value_t = 5, value_parser = clap::value_parser!(u32).range(2..=1000))]
    pub blocks: u32,
    /// What decides the order within blocks
    #[arg(long, default_value_t = 1)]
    pub seed: u64,
    /// Only experiments whose name begins with this
    #[arg(long, default_value = "")]
    pub only: String,
    /// What is measured.
    #[command(flatten)]
    pub measured: MeasuredArgs,
}

/// Does what was asked and gives what is to be printed. `words` lead from this program's name to these verbs; `tell` hears
/// what is being done.
pub fn run(command: &Command, words: &[&str], tell: impl Fn(&str)) -> Result<String, Error> {
    match command {
        Command::Serve(args) => served(args).map(|()| String::new()),
        Command::Drive(args) => driven(args, words),
        Command::Suite(args) => suited(args, words, tell),
    }
}

fn served(args: &ServeArgs) -> Result<(), Error> {
    serve(&args.settings, places(args)?, || {
        if args.ready {
            // Whoever does not listen will not wait for it.
            let _ = writeln!(io::stdout(), "ready");
        }
    })
}

fn places(args: &ServeArgs) -> Result<Vec<Place>, Error> {
    // Before sockets appear that nobody will serve.
    args.settings.check()?;
    let inherited = args.listen_fd.iter().map(|&number| {
        // SAFETY: whoever starts this with a number gives that descriptor away.
        let descriptor = unsafe { OwnedFd::from_raw_fd(number) };
        Ok(Place { listener: UnixListener::from(descriptor), name: None })
    });
    inherited.chain(args.socket.iter().cloned().map(Place::named)).collect()
}

fn ours(words: &[&str]) -> Result<Back, Error> {
    let program = std::env::current_exe().map_err(Error::system("the name of this program"))?;
    let words = words.iter().copied().chain(["serve"]).map(OsString::from);
    Ok(Back::Ours([program.into_os_string()].into_iter().chain(words).collect()))
}

fn point(back: Back, MeasuredArgs { load, settings, .. }: &MeasuredArgs) -> Point {
    Point {
        back,
        settings: settings.clone(),
        disks: load.disks,
        block: load.block,
        depth: load.depth,
        write: load.write,
        time: Duration::from_millis(load.milliseconds),
    }
}

fn driven(args: &DriveArgs, words: &[&str]) -> Result<String, Error> {
    let back = match &args.socket {
        _ if args.bare => Back::Bare,
        _ if args.qemu => Back::Qemu,
        Some(name) => Back::Socket(name.clone()),
        None => ours(words)?,
    };
    if args.socket.is_some() && args.measured.load.disks > 1 {
        return Err(Error::Setting("a socket is one disk".into()));
    }
    let outcome = measure(&point(back, &args.measured))?;
    if args.measured.json { json(&outcome) } else { Ok(text(&outcome)) }
}

fn suited(args: &SuiteArgs, words: &[&str], tell: impl Fn(&str)) -> Result<String, Error> {
    let base = point(ours(words)?, &args.measured);
    let mut all = suite::experiments(&base, has_qemu());
    all.retain(|experiment| experiment.name.starts_with(&args.only));
    if all.is_empty() {
        return Err(Error::Setting(format!("no experiment begins with '{}'", args.only)));
    }
    let blocks = args.blocks as usize;
    let rows = suite::run(&all, blocks, args.seed, |block, name| {
        tell(&format!("block {} of {blocks}: {name}", block + 1));
    })?;
    if args.measured.json { json(&rows) } else { Ok(suite::table(&rows)) }
}

/// Whether QEMU's back end can be compared with.
fn has_qemu() -> bool {
    let mut command = std::process::Command::new("qemu-storage-daemon");
    command.arg("--version").stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    command.status().is_ok_and(|status| status.success())
}

fn json(value: &impl serde::Serialize) -> Result<String, Error> {
    let text = serde_json::to_string(value).map_err(|why| Error::Setting(why.to_string()))?;
    Ok(text + "\n")
}

fn text(outcome: &Outcome) -> String {
    let [p50, p95, p99, p999] = outcome.latency_us;
    let back = outcome.back_cpu_s_per_gb;
    let back = back.map_or("none or not known".into(), |back| format!("{:.1} ms/GB", back * 1e3));
    format!(
        "{:.0} requests/s, {:.1} MB/s\nCPU: front end {:.1} ms/GB, back end {back}\n\
         latency: p50 {p50:.1}, p95 {p95:.1}, p99 {p99:.1}, p99.9 {p999:.1} µs\n\
         a request: {:.2} in the ring, {:.3} wakings\n",
        outcome.rate(),
        outcome.bandwidth / 1e6,
        outcome.front_cpu_s_per_gb * 1e3,
        outcome.sent_per_request,
        outcome.kicks_per_request
    )
}
