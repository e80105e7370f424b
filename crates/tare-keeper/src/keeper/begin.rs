//! How a keeper starts its layer: it makes what the layer needs, notes each thing that it has made, starts the
//! helpers and then the layer's first process.

use crate::keeper::end;
use crate::keeper::estate::{self, Estate};
use crate::keeper::orders::{News, Order, READY, monotonic_ns, tell};
use crate::keeper::share;
use crate::knobs;
use crate::launch::terminal::{self, Terminal};
use crate::launch::{Helper, Program, affinity, open_files, registers};
use crate::threads;
use nix::sys::prctl;
use nix::sys::signal::{SigHandler, Signal, signal};
use nix::unistd::{dup2_stderr, dup2_stdin, dup2_stdout};
use std::fs;
use std::io::{self, BufRead, BufReader, PipeReader, Read};
use std::os::unix::net::UnixStream;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::mpsc::{Receiver, channel};

/// What would end the keeper before its work is done.
const IGNORED: [Signal; 4] = [Signal::SIGINT, Signal::SIGTERM, Signal::SIGHUP, Signal::SIGPIPE];

/// Longest line that a helper may say.
const LINE: u64 = 1024;

/// Starts the layer's first process; its process id. What was made stands in `estate` even if this fails.
pub(crate) fn layer(
    order: &Order,
    estate: &mut Estate,
    folder: &Path,
    life: &UnixStream,
) -> io::Result<u32> {
    make_all(&order.program, estate)?;
    // Before the start is timed: to enter a group takes the kernel some 15 ms, which are no layer's.
    share::enter(&estate.id, order.program.usual_share);
    let helpers = order.program.helpers.iter().map(|it| helper(it, folder));
    let helpers = helpers.collect::<io::Result<Vec<_>>>()?;
    end::unless_gone()?;
    pin(&order.cpus)?;
    let null = fs::OpenOptions::new().read(true).write(true).open("/dev/null")?;
    let what = &order.program;
    let mut command = Command::new(&what.program);
    command.args(&what.args).env_clear().envs(what.env.iter().cloned()).current_dir(folder);
    // SAFETY: `as_a_layer` only makes system calls, as is allowed between fork and exec.
    unsafe { command.pre_exec(as_a_layer) };
    if what.older_registers {
        // SAFETY: as above.
        unsafe { command.pre_exec(registers::only_the_older) };
    }
    if what.many_files {
        let wanted = open_files::wanted()?;
        // SAFETY: as above.
        unsafe { command.pre_exec(move || open_files::ask(wanted)) };
    }
    if let Some(limit) = knobs::open_files(&what.knobs) {
        // SAFETY: as above.
        unsafe { command.pre_exec(move || open_files::only(limit)) };
    }
    let pages = what.pages;
    // SAFETY: as above.
    unsafe { command.pre_exec(move || pages.ask()) };
    if let Some(mounts) = what.mounts.entry(&what.program, folder, &what.folders)? {
        // SAFETY: as above.
        unsafe { command.pre_exec(move || mounts.enter()) };
    }
    let terminal = what.terminal.then(|| terminal::give(&mut command)).transpose()?;
    let named = |e: io::Error| io::Error::new(e.kind(), format!("{}: {e}", what.program.display()));
    let started = monotonic_ns();
    let first = command.spawn().map_err(named)?;
    drop(command); // with its copy of the layer's side of a terminal
    terminal.map_or(Ok(()), Terminal::carry)?;
    // The runtime's own commands come first: they may need what was made for it.
    estate.commands = [what.cleanup.clone(), std::mem::take(&mut estate.commands)].concat();
    tell(life, &News::Started { at: started, helpers });
    // The keeper's copies of the layer's streams must go, or tare would never see their end.
    dup2_stdin(&null)?;
    dup2_stdout(&null)?;
    dup2_stderr(&null)?;
    Ok(first.id()) // reaped with all others; dropping the handle does not touch the process
}

/// Makes what the layer needs beside processes. What is there already was made by somebody else and is refused.
fn make_all(what: &Program, estate: &mut Estate) -> io::Result<()> {
    estate.env = what.env.clone();
    estate.stop = what.stop.clone();
    estate.claim_cgroups()?;
    for folder in &what.folders {
        estate.make_folder(folder)?;
    }
    for (from, to) in &what.copies {
        let named = |e| io::Error::other(format!("{} as {}: {e}", from.display(), to.display()));
        fs::copy(from, to).map_err(named)?;
    }
    for image in &what.images {
        image.make(&end::unless_gone)?;
        end::unless_gone()?;
    }
    for step in &what.setup {
        end::unless_gone()?;
        estate::run(&step.make, &what.env, step.within())?;
        if !step.undo.is_empty() {
            estate.commands.insert(0, step.undo.clone());
        }
    }
    Ok(())
}

/// Starts a helper and waits until it is ready; its process id.
fn helper(helper: &Helper, folder: &Path) -> io::Result<u32> {
    end::unless_gone()?;
    let mut command = Command::new(&helper.program);
    command.args(&helper.args).env_clear().envs(helper.env.iter().cloned()).current_dir(folder);
    let (says, its_own) = io::pipe()?;
    command.stdin(Stdio::null()).stdout(its_own.try_clone()?).stderr(its_own);
    // SAFETY: `as_a_layer` only makes system calls, as is allowed between fork and exec.
    unsafe { command.pre_exec(as_a_layer) };
    let started = command.spawn();
    drop(command); // with its own ends of the pipe
    let started = started?;
    let says = first_line(says)?.recv_timeout(READY);
    let why = match says.as_deref().map(str::trim) {
        Ok("ready") => return Ok(started.id()), // reaped with all others
        Ok("") => "it ended and said nothing".to_owned(),
        Ok(why) => why.to_owned(),
        Err(_) => format!("it did not say that it is ready within {} s", READY.as_secs()),
    };
    Err(io::Error::other(format!("{}: {why}", helper.what)))
}

/// The first line that comes through `pipe`, when it does. What follows is thrown away.
fn first_line(pipe: PipeReader) -> io::Result<Receiver<String>> {
    let (told, heard) = channel();
    threads::start(move || {
        let mut line = Vec::new();
        let mut pipe = BufReader::new(pipe);
        let _ = pipe.by_ref().take(LINE).read_until(b'\n', &mut line);
        let _ = told.send(String::from_utf8_lossy(&line).into_owned());
        let _ = io::copy(&mut pipe, &mut io::sink());
    })?;
    Ok(heard)
}

/// A layer takes signals as usual, and goes with its keeper should that be killed itself.
fn as_a_layer() -> io::Result<()> {
    on_signals(SigHandler::SigDfl)?;
    Ok(prctl::set_pdeathsig(Signal::SIGKILL)?)
}

/// Sets what becomes of the signals that would end a keeper.
pub(crate) fn on_signals(handler: SigHandler) -> io::Result<()> {
    for which in IGNORED {
        // SAFETY: neither ignoring a signal nor its default installs handler code.
        unsafe { signal(which, handler) }?;
    }
    Ok(())
}

fn pin(cpus: &[u32]) -> io::Result<()> {
    if cpus.is_empty() {
        return Ok(());
    }
    affinity::pin(cpus)
}
