//! How a keeper ends its layer: it adopts every process that the layer leaves, ends them when tare goes away or the
//! layer's first process ends, and reaps until there are none.

use crate::keeper::orders::{News, tell};
use crate::keeper::share::Groups;
use crate::processes;
use crate::threads;
use nix::errno::Errno;
use nix::sys::wait::{WaitStatus, waitpid};
use std::io::{self, BufReader};
use std::net::Shutdown;
use std::os::unix::net::UnixStream;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::Duration;

/// Set when tare has closed the life line, or all is to end.
static GONE: AtomicBool = AtomicBool::new(false);

/// Set when the layer has no process left. What runs below the keeper from then on cleans up and
/// must not be ended.
static NONE_LEFT: Mutex<bool> = Mutex::new(false);

/// Ends every process of the boot `id` when tare closes the life line, or [`all`] is called, from now on. The thread is there before
/// anything else is started: later the kernel might refuse it.
pub(crate) fn with(mut orders: BufReader<UnixStream>, id: &str) -> io::Result<()> {
    let id = id.to_owned();
    let ended = threads::start(move || {
        let groups = Groups::of(&id); // while the layer starts
        let _ = io::copy(&mut orders, &mut io::sink());
        GONE.store(true, Ordering::SeqCst);
        end_all(&groups);
    });
    ended.map(drop)
}

/// Lets the thread of [`with`] end every process of the layer: nothing more is heard through the life line.
fn all(life: &UnixStream) {
    let _ = life.shutdown(Shutdown::Read); // which is refused only when tare has closed it
}

/// Fails once tare has gone: nothing more needs to be made.
pub(crate) fn unless_gone() -> io::Result<()> {
    if GONE.load(Ordering::SeqCst) { Err(io::Error::other("tare has ended")) } else { Ok(()) }
}

/// Ends the processes of a layer that could not be started: helpers may be running already.
pub(crate) fn unfinished(life: &UnixStream) {
    all(life);
    reap_all(0, life);
}

/// Reaps until no child is left. Once the first process has ended the rest is ended too: what it
/// leaves running is not part of any measurement.
pub(crate) fn reap_all(first: u32, life: &UnixStream) {
    loop {
        let (pid, how) = match waitpid(None, None) {
            Ok(WaitStatus::Exited(pid, code)) => (pid, format!("exit code {code}")),
            Ok(WaitStatus::Signaled(pid, signal, _)) => (pid, format!("signal {signal}")),
            Ok(_) | Err(Errno::EINTR) => continue,
            Err(_) => break,
        };
        if pid.as_raw() as u32 == first {
            tell(life, &News::Ended(how));
            all(life);
        }
    }
    *NONE_LEFT.lock().unwrap_or_else(PoisonError::into_inner) = true;
}

/// Ends the layer's processes until there are none: one may start another before it is hit.
fn end_all(groups: &Groups) {
    loop {
        let none_left = NONE_LEFT.lock().unwrap_or_else(PoisonError::into_inner);
        if *none_left {
            return;
        }
        end_descendants();
        // What tare itself started beside the layer, such as the program that saves it, may hold a process that is to end.
        groups.end_others();
        groups.thaw();
        drop(none_left);
        thread::sleep(Duration::from_millis(5));
    }
}

fn end_descendants() {
    let keeper = std::process::id();
    for pid in processes::descendants(keeper) {
        processes::end(pid, || processes::descendants(keeper).contains(&pid));
    }
}
