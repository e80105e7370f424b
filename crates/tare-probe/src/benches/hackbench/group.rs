//! Groups of tasks: started, held until all are ready, let go at once, waited for.

use super::link::{Link, receive, send};
use super::{CREW, LOOPS};
use crate::bench::Refusal;
use crate::clock::now_ns;
use crate::process::Child;
use crate::sys::pipe;
use crate::window::no_thread;
use std::io;
use std::os::fd::{AsRawFd, OwnedFd, RawFd};
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{Builder, JoinHandle};

#[derive(Clone, Copy)]
pub enum Tasks {
    /// Processes.
    Processes,
    /// Threads of one process.
    Threads,
}

/// A thread's stack: no task needs more.
const STACK: usize = 64 << 10;

/// Set when a thread could not be had: those that wait for the start go home.
static CALLED_OFF: AtomicBool = AtomicBool::new(false);

/// Runs `groups` once; nanoseconds from the start of all to the end of the last.
pub fn run(groups: u32, tasks: Tasks, link: Link) -> Result<u64, Refusal> {
    let gate = Gate::new().map_err(unavailable)?;
    let mut crew = Vec::new();
    let mut links = Vec::new();
    for _ in 0..groups {
        let group = (0..CREW).map(|_| link.make()).collect::<io::Result<Vec<_>>>();
        let group = group.map_err(unavailable)?;
        let started = start(&group, tasks, &gate, &mut crew);
        if let Err(why) = started {
            call_off(&gate, crew);
            return Err(why);
        }
        // A process has its own; threads share theirs with this one.
        if matches!(tasks, Tasks::Threads) {
            links.push(group);
        }
    }
    gate.wait_for(crew.len())?;
    let start = now_ns();
    gate.open()?;
    let fine = crew.into_iter().map(Task::finish).fold(true, |fine, ended| fine & ended);
    let took = now_ns() - start;
    if !fine {
        return Err(Refusal::Failed("a sender or a receiver ended early".into()));
    }
    Ok(took)
}

/// What the layer has too little of.
fn unavailable(error: io::Error) -> Refusal {
    Refusal::Unavailable(format!("cannot start another group: {error}"))
}

fn start(
    group: &[(OwnedFd, OwnedFd)],
    tasks: Tasks,
    gate: &Gate,
    crew: &mut Vec<Task>,
) -> Result<(), Refusal> {
    let ends: Vec<RawFd> = group.iter().map(|(_, out)| out.as_raw_fd()).collect();
    let gate = gate.numbers();
    for (end, _) in group {
        let end = end.as_raw_fd();
        crew.push(tasks.start(move || gate.pass() && (0..CREW * LOOPS).all(|_| receive(end)))?);
    }
    for _ in 0..CREW {
        let ends = ends.clone();
        crew.push(
            tasks.start(move || {
                gate.pass() && (0..LOOPS).all(|_| ends.iter().all(|end| send(*end)))
            })?,
        );
    }
    Ok(())
}

/// Ends what has been started: processes are killed, threads let go with the word that it is off.
fn call_off(gate: &Gate, crew: Vec<Task>) {
    CALLED_OFF.store(true, Ordering::Relaxed);
    let _ = gate.open();
    for task in crew {
        if let Task::Thread(thread) = task {
            let _ = thread.join();
        }
    }
    CALLED_OFF.store(false, Ordering::Relaxed);
}

enum Task {
    Process(Child),
    Thread(JoinHandle<bool>),
}

impl Tasks {
    fn start(self, work: impl FnOnce() -> bool + Send + 'static) -> Result<Task, Refusal> {
        match self {
            Tasks::Processes => {
                Child::start(|| i32::from(!work())).map(Task::Process).map_err(unavailable)
            }
            Tasks::Threads => {
                let thread = Builder::new().stack_size(STACK).spawn(work).map_err(no_thread)?;
                Ok(Task::Thread(thread))
            }
        }
    }
}

impl Task {
    /// Waits for its end; whether it did all of its work.
    fn finish(self) -> bool {
        match self {
            Task::Process(process) => matches!(process.finish(), Ok(0)),
            Task::Thread(thread) => thread.join().unwrap_or(false),
        }
    }
}

/// Where tasks say that they are ready, and wait until all are.
struct Gate {
    ready: (OwnedFd, OwnedFd),
    go: (OwnedFd, OwnedFd),
}

/// A gate's descriptors as a task has them.
#[derive(Clone, Copy)]
struct Numbers {
    ready: RawFd,
    go: RawFd,
}

impl Gate {
    fn new() -> io::Result<Gate> {
        Ok(Gate { ready: pipe()?, go: pipe()? })
    }

    fn numbers(&self) -> Numbers {
        Numbers { ready: self.ready.1.as_raw_fd(), go: self.go.0.as_raw_fd() }
    }

    fn wait_for(&self, tasks: usize) -> Result<(), Refusal> {
        let mut byte = 0u8;
        for _ in 0..tasks {
            // SAFETY: the pointer is to one byte.
            let got = unsafe { libc::read(self.ready.0.as_raw_fd(), (&raw mut byte).cast(), 1) };
            if got != 1 {
                return Err(Refusal::Failed("a task did not get ready".into()));
            }
        }
        Ok(())
    }

    /// One byte that nobody reads wakes all who poll.
    fn open(&self) -> Result<(), Refusal> {
        let byte = 1u8;
        // SAFETY: the pointer is to one byte.
        let put = unsafe { libc::write(self.go.1.as_raw_fd(), (&raw const byte).cast(), 1) };
        if put == 1 {
            Ok(())
        } else {
            Err(Refusal::Failed("the tasks could not be started".into()))
        }
    }
}

impl Numbers {
    /// Says that this task is ready and waits for the start; whether it is to work.
    fn pass(self) -> bool {
        let byte = 1u8;
        // SAFETY: the pointer is to one byte.
        let told = unsafe { libc::write(self.ready, (&raw const byte).cast(), 1) } == 1;
        let mut wait = libc::pollfd { fd: self.go, events: libc::POLLIN, revents: 0 };
        // SAFETY: the pointer is to one entry.
        let woken = unsafe { libc::poll(&raw mut wait, 1, -1) } == 1;
        told && woken && !CALLED_OFF.load(Ordering::Relaxed)
    }
}
