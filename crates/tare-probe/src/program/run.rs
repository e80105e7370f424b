//! One run: a program in its root, with its output heard and its time limited.

use super::filter;
use super::listen::{Living, listen};
use super::others::Others;
use super::root::Root;
use super::{deadline, too_long, transfers};
use crate::clock::now_ns;
use crate::process;
use crate::watch::Watch;
use std::ffi::{CStr, CString};
use std::io;
use std::mem::MaybeUninit;
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;
use std::os::unix::process::CommandExt;
use std::process::{Child, Command, Stdio};
use std::thread;
use tare_proto::{ITSELF, NET, Program};

/// Where and how programs run.
pub struct Surroundings<'a> {
    /// What was asked for.
    pub program: &'a Program,
    /// Its root.
    pub root: &'a Root,
    /// Which processes are to live after a run.
    pub others: Others,
}

/// What came of a run.
pub struct Ran {
    /// From its start to its end, in nanoseconds.
    pub ns: u64,
    /// How it ended.
    pub ended: Ended,
    /// The last of what it printed, standard error included.
    pub output: String,
    /// What it used, with the children that it waited for.
    pub usage: libc::rusage,
    /// Reads and writes of the same processes, where the kernel counts them.
    pub transfers: Option<f64>,
}

/// How a run ended.
pub enum Ended {
    /// With this wait status.
    By(i32),
    /// It was ended; the text says why.
    Late(String),
}

impl Ended {
    /// What was wrong with it; `None` when nothing was.
    pub fn why(&self) -> Option<String> {
        match self {
            Ended::By(0) => None,
            Ended::Late(why) => Some(why.clone()),
            Ended::By(status) if libc::WIFSIGNALED(*status) => {
                Some(format!("was killed by signal {}", libc::WTERMSIG(*status)))
            }
            Ended::By(status) => {
                Some(format!("ended with exit status {}", libc::WEXITSTATUS(*status)))
            }
        }
    }
}

/// Where a program stops for a tracer.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Stops {
    Never,
    /// When it begins.
    AtBegin,
    /// There, and at every call.
    AtCalls,
    /// The same without those that the kernel counts ([`filter::APART`]).
    AtUncounted,
}

/// `text` as the words of a command.
pub fn in_shell(text: &str) -> Vec<String> {
    ["/bin/sh", "-c", text].map(str::to_owned).to_vec()
}

/// Runs `words` to their end or for as long as they may take, while `watch` counts what they do in the time that is measured. The
/// error says why they cannot be run.
pub fn run(
    place: &Surroundings,
    words: &[String],
    input: Option<&str>,
    watch: Option<&Watch>,
) -> io::Result<Ran> {
    if let Some(watch) = watch {
        watch.begin();
    }
    let (ended, output, (ns, usage, transfers)) =
        follow(place, words, input, Stops::Never, |pid, begin, living| {
            let ended = process::ended(libc::P_PID, pid, 0);
            let ns = now_ns() - begin;
            if let Some(watch) = watch {
                watch.end(1);
            }
            ended?; // and the kernel still knows all of it
            let transfers = transfers::of(pid);
            living.is_waited_for();
            let (status, usage) = wait(pid)?;
            Ok((status, (ns, usage, transfers)))
        })?;
    Ok(Ran { ns, ended, output, usage, transfers })
}

/// Runs the program under the eyes of `tracer`, which is told its process id and gives its wait status, and says before it waits
/// for it; how it ended.
#[cfg(target_pointer_width = "64")]
pub fn traced(
    place: &Surroundings,
    stops: Stops,
    tracer: impl FnOnce(u32, &Living) -> io::Result<i32>,
) -> io::Result<Ended> {
    let Program { command, input, .. } = place.program;
    let tracer = |pid, _, living: &Living| Ok((tracer(pid, living)?, ()));
    let done = follow(place, command, input.as_deref(), stops, tracer)?;
    Ok(done.0)
}

/// Starts `words` and waits for their end by `waiter`, which is told when they began; how they ended, the last of what they
/// printed, and what the waiter says beside the wait status.
fn follow<T>(
    place: &Surroundings,
    words: &[String],
    input: Option<&str>,
    stops: Stops,
    waiter: impl FnOnce(u32, u64, &Living) -> io::Result<(i32, T)>,
) -> io::Result<(Ended, String, T)> {
    let late = deadline(place.program);
    let begin = now_ns();
    let (pid, heard) = begin_of(place, words, input, stops)?;
    let (done, is_done) = UnixStream::pair()?;
    let living = Living::child(pid);
    let program = living.clone();
    let listener = thread::Builder::new().spawn(move || listen(heard, &is_done, &program, late));
    let listener = listener.map_err(|why| {
        living.end();
        let _ = wait(pid);
        io::Error::new(why.kind(), format!("{NO_THREAD}: {why}"))
    })?;
    let waited = waiter(pid, begin, &living);
    let gone = place.others.end();
    drop(done);
    let (output, was_late) = listener.join().map_err(|_| io::Error::other("nobody listened"))?;
    let (status, more) = waited?;
    if !gone {
        return Err(io::Error::other(format!("{} left processes that do not end", words[0])));
    }
    let ended = if was_late { Ended::Late(too_long(place.program)) } else { Ended::By(status) };
    Ok((ended, output, more))
}

/// Why a program cannot be listened to where the layer's processes are limited.
pub const NO_THREAD: &str = "the probe cannot start a thread: allow the layer more processes";

/// Starts `words` in a session of its own; its process id, and what it prints.
pub fn start(
    place: &Surroundings,
    words: &[String],
    input: Option<&str>,
) -> io::Result<(u32, OwnedFd)> {
    begin_of(place, words, input, Stops::Never)
}

/// The same; a program may stop for its tracer.
fn begin_of(
    place: &Surroundings,
    words: &[String],
    input: Option<&str>,
    stops: Stops,
) -> io::Result<(u32, OwnedFd)> {
    let (ours, theirs) = io::pipe()?;
    let mut command = command(place, words, Some(input.unwrap_or("/dev/null")), stops)?;
    command.stdin(Stdio::null()).stdout(theirs.try_clone()?).stderr(theirs);
    let child = spawned(&mut command, place.program, words, input)?;
    Ok((child.id(), ours.into())) // waited for by its id
}

/// Starts `words` in a session of its own, with pipes as its standard input and output; what it complains of goes to the console.
pub fn start_to_talk(place: &Surroundings, words: &[String]) -> io::Result<Child> {
    let mut command = command(place, words, None, Stops::Never)?;
    command.stdin(Stdio::piped()).stdout(Stdio::piped());
    spawned(&mut command, place.program, words, None)
}

fn spawned(
    command: &mut Command,
    program: &Program,
    words: &[String],
    input: Option<&str>,
) -> io::Result<Child> {
    let why =
        |error: io::Error| io::Error::new(error.kind(), cannot(&error, &words[0], program, input));
    command.spawn().map_err(why)
}

/// What runs `words` in the root, in a session of its own, and reads `input` where there is one.
fn command(
    place: &Surroundings,
    words: &[String],
    input: Option<&str>,
    stops: Stops,
) -> io::Result<Command> {
    let program = place.program;
    let root = place.root.clone();
    let folder = CString::new(program.folder.as_str())?;
    let file = input.map(CString::new).transpose()?;
    let (name, arguments) = words.split_first().ok_or_else(|| io::Error::other("no command"))?;
    let mut command = Command::new(name);
    command.args(arguments).env_clear().envs(program.env.iter().cloned());
    // What the C library and Go are told of the processor holds for every program in a layer, beside what it is told itself.
    for (name, between) in TUNABLES {
        let own = program.env.iter().find(|(key, _)| key == name).map(|(_, value)| value.as_str());
        if let Ok(value) = std::env::var(name) {
            command.env(name, own.map_or(value.clone(), |own| format!("{own}{between}{value}")));
        }
    }
    // Only tare's own client is given the cookie of the network's other end.
    let told = std::env::var_os(NET).filter(|_| name == ITSELF);
    command.envs(told.map(|value| (NET, value)));
    // SAFETY: `enter` makes system calls on memory that is already there, as is allowed between fork and exec.
    unsafe { command.pre_exec(move || enter(&root, &folder, file.as_deref(), stops)) };
    Ok(command)
}

/// What a child does before it is the program. The two failures that are not the program's own get numbers of their own.
fn enter(root: &Root, folder: &CStr, input: Option<&CStr>, stops: Stops) -> io::Result<()> {
    // SAFETY: setsid has no preconditions.
    unsafe { libc::setsid() };
    root.enter()?;
    // SAFETY: the path is NUL-terminated.
    if unsafe { libc::chdir(folder.as_ptr()) } != 0 {
        return Err(io::Error::from_raw_os_error(NO_FOLDER));
    }
    if let Some(input) = input {
        // SAFETY: the path is NUL-terminated.
        let file = unsafe { libc::open(input.as_ptr(), libc::O_RDONLY | libc::O_CLOEXEC) };
        // SAFETY: both are numbers; a wrong one is refused.
        if unsafe { libc::dup2(file, 0) } != 0 {
            return Err(io::Error::from_raw_os_error(NO_INPUT));
        }
    }
    if stops == Stops::Never {
        return Ok(());
    }
    // SAFETY: this request takes nothing.
    if unsafe { libc::ptrace(libc::PTRACE_TRACEME) } != 0 {
        return Err(io::Error::last_os_error());
    }
    match stops {
        Stops::Never | Stops::AtBegin => Ok(()),
        Stops::AtCalls => filter::enter(&filter::AT_ALL),
        Stops::AtUncounted => filter::enter(&filter::AT_UNCOUNTED),
    }
}

/// The probe's own, which a layer may need, and what stands between two settings of each.
const TUNABLES: [(&str, &str); 2] = [("GLIBC_TUNABLES", ":"), ("GODEBUG", ",")];

/// Only numbers come back from a child that could not become the program; no exec fails with these.
const NO_FOLDER: i32 = libc::EDOM;
const NO_INPUT: i32 = libc::ERANGE;

/// Why `name` does not run, in words.
fn cannot(error: &io::Error, name: &str, program: &Program, input: Option<&str>) -> String {
    let folder = &program.folder;
    match error.raw_os_error() {
        Some(NO_FOLDER) => format!("there is no folder {folder} in this layer's root (--cwd)"),
        Some(NO_INPUT) => {
            format!("its input {} cannot be read in this layer's root", input.unwrap_or_default())
        }
        Some(libc::ENOENT) => {
            format!("there is no program {name} in this layer's root (seen from {folder})")
        }
        Some(libc::EACCES) => format!("{name} is not executable"),
        Some(libc::ENOEXEC) => {
            format!("{name} is no program for this processor, and no script that begins with #!")
        }
        _ => format!("{name} cannot be run: {error}"),
    }
}

/// Waits for the child; its wait status, and what it used.
pub fn wait(pid: u32) -> io::Result<(i32, libc::rusage)> {
    let mut status = 0;
    let mut usage = MaybeUninit::<libc::rusage>::zeroed();
    loop {
        // SAFETY: both are valid places to write to.
        let done = unsafe { libc::wait4(pid as libc::pid_t, &mut status, 0, usage.as_mut_ptr()) };
        if done >= 0 {
            // SAFETY: zeroed bytes are a valid `rusage`, and the kernel has filled it since.
            return Ok((status, unsafe { usage.assume_init() }));
        }
        let error = io::Error::last_os_error();
        if error.kind() != io::ErrorKind::Interrupted {
            return Err(error);
        }
    }
}
