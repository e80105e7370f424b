//! What a program prints, and its end when it is late.

use super::output::Tail;
use crate::clock::now_ns;
use std::io::Read;
use std::os::fd::{AsRawFd, OwnedFd, RawFd};
use std::os::unix::net::UnixStream;
use std::sync::{Arc, Mutex, PoisonError};

/// A child that may be ended by its id until it is waited for: from then on the id may be another's.
#[derive(Clone)]
pub struct Living(Arc<Mutex<Option<u32>>>);

impl Living {
    /// The child `pid`, which nobody has waited for.
    pub fn child(pid: u32) -> Living {
        Living(Arc::new(Mutex::new(Some(pid))))
    }

    /// It has ended, and is about to be waited for: nobody signals it any more.
    pub fn is_waited_for(&self) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = None;
    }

    /// Ends it and its session's first group; whether it was still there.
    pub fn end(&self) -> bool {
        let pid = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        pid.inspect(|pid| end_group(*pid)).is_some()
    }
}

/// Ends `pid`, a child that nobody has waited for, and its session's first group.
pub fn end_group(pid: u32) {
    for target in [-(pid as libc::pid_t), pid as libc::pid_t] {
        // SAFETY: kill has no memory preconditions; the child has not been waited for.
        unsafe { libc::kill(target, libc::SIGKILL) };
    }
}

/// Hears what `program` prints until it is done, and ends it when it is late; what it printed last, and whether it was.
pub fn listen(
    heard: OwnedFd,
    is_done: &UnixStream,
    program: &Living,
    mut late: u64,
) -> (String, bool) {
    let mut heard = std::fs::File::from(heard);
    let mut tail = Tail::default();
    let mut open = true;
    let mut was_late = false;
    let mut bytes = vec![0; 64 << 10];
    loop {
        let left = late.saturating_sub(now_ns()).div_ceil(1_000_000);
        let source = if open { heard.as_raw_fd() } else { -1 };
        let [prints, done] = ready([source, is_done.as_raw_fd()], left);
        if prints {
            match heard.read(&mut bytes) {
                Ok(0) | Err(_) => open = false,
                Ok(n) => tail.push(&bytes[..n]),
            }
        } else if done {
            return (tail.text(), was_late);
        }
        if now_ns() >= late {
            late = u64::MAX;
            was_late = program.end();
        }
    }
}

/// Which of `streams` have something to read, or have ended, within `ms` milliseconds.
fn ready(streams: [RawFd; 2], ms: u64) -> [bool; 2] {
    let mut waiting = streams.map(|fd| libc::pollfd { fd, events: libc::POLLIN, revents: 0 });
    let ms = i32::try_from(ms).unwrap_or(i32::MAX);
    // SAFETY: the array is valid and as long as is said.
    unsafe { libc::poll(waiting.as_mut_ptr(), 2, ms) };
    waiting.map(|one| one.revents != 0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::process::{CommandExt, ExitStatusExt};
    use std::process::Command;

    #[test]
    fn whoever_is_waited_for_is_signalled_no_more() {
        let mut command = Command::new("sleep");
        let mut child = command.arg("1000").process_group(0).spawn().expect("sleep");
        let living = Living::child(child.id());
        let other = living.clone();
        other.is_waited_for();
        let ended = living.end();
        let runs = child.try_wait().expect("a child").is_none();
        let ends = Living::child(child.id()).end();
        assert_eq!(child.wait().expect("a child").signal(), Some(libc::SIGKILL));
        assert_eq!((ended, runs, ends), (false, true, true));
    }
}
