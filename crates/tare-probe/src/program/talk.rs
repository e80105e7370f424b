//! A program that stays: it is given a line, and answers with a line.

use super::deadline;
use super::listen::end_group;
use super::others::Others;
use super::root::{self, Root};
use super::run::{self, Ended, Surroundings};
use crate::bench::Refusal;
use crate::clock::now_ns;
use std::io::{self, Read, Write};
use std::os::fd::AsRawFd;
use std::os::unix::process::ExitStatusExt;
use std::process::{Child, ChildStdin, ChildStdout};
use std::thread;
use std::time::Duration;
use tare_proto::{Program, harmless};

/// Longest answer that is read, and the most of one that is quoted.
const LINE: usize = 64 << 10;
const QUOTED: usize = 80;

/// How often, and after what pauses, one that has closed its output is looked at: it is likely to end.
const TRIES: u32 = 20;
const PAUSE: Duration = Duration::from_millis(10);

/// A program that runs, and what was said so far.
pub struct Talk {
    program: Program,
    child: Child,
    hears: ChildStdin,
    says: ChildStdout,
    /// What it has said of an answer.
    said: Vec<u8>,
    asked: u32,
}

impl Talk {
    /// Starts `program`, and waits for its answer to the first line.
    pub fn start(program: &Program) -> Result<Talk, Refusal> {
        Talk::start_in(program, root::root(program.own_network).map_err(Refusal::Unavailable)?)
    }

    fn start_in(program: &Program, root: &Root) -> Result<Talk, Refusal> {
        let place = Surroundings { program, root, others: Others::now() };
        let mut child = run::start_to_talk(&place, &program.command).map_err(failed)?;
        let (hears, says) = child.stdin.take().zip(child.stdout.take()).ok_or_else(|| {
            failed(io::Error::other("its standard input and output are no pipes"))
        })?;
        let program = program.clone();
        let mut talk = Talk { program, child, hears, says, said: Vec::new(), asked: 0 };
        talk.ask()?;
        Ok(talk)
    }

    /// Gives it a line, the number of the request, and waits for its answer.
    pub fn ask(&mut self) -> Result<(), Refusal> {
        let late = deadline(&self.program);
        self.asked += 1;
        if self.hears_more(now_ns())? {
            self.read()?;
            return Err(self.said_too_much());
        }
        if writeln!(self.hears, "{}", self.asked).is_err() {
            return Err(self.gone());
        }
        while !self.said.contains(&b'\n') {
            if !self.hears_more(late)? {
                let limit = self.program.limit_ms as f64 / 1000.0;
                let why = format!("has not answered line {} within {limit} s", self.asked);
                return Err(refused(&why));
            }
            self.read()?;
        }
        if self.said.iter().position(|byte| *byte == b'\n') != Some(self.said.len() - 1) {
            return Err(self.said_too_much());
        }
        self.said.clear();
        Ok(())
    }

    /// Waits until it says something, or has ended; false when it has not until `late`.
    fn hears_more(&self, late: u64) -> Result<bool, Refusal> {
        let left = late.saturating_sub(now_ns()).div_ceil(1_000_000);
        let left = left.min(i32::MAX as u64) as libc::c_int;
        let mut file = libc::pollfd { fd: self.says.as_raw_fd(), events: libc::POLLIN, revents: 0 };
        // SAFETY: `file` is one valid entry.
        match unsafe { libc::poll(&raw mut file, 1, left) } {
            -1 => Err(failed(io::Error::last_os_error())),
            ready => Ok(ready > 0),
        }
    }

    /// Reads some of what it says.
    fn read(&mut self) -> Result<(), Refusal> {
        let mut bytes = [0; 4096];
        match self.says.read(&mut bytes).map_err(failed)? {
            0 => Err(self.gone()),
            _ if self.said.len() > LINE => Err(refused("answers with a line that does not end")),
            n => {
                self.said.extend(&bytes[..n]);
                Ok(())
            }
        }
    }

    fn said_too_much(&self) -> Refusal {
        let said = harmless(String::from_utf8_lossy(&self.said).trim_end(), QUOTED);
        refused(&format!("printed more than a line for each that it was given: {said}"))
    }

    fn gone(&mut self) -> Refusal {
        let ended = |_| {
            thread::sleep(PAUSE);
            self.child.try_wait().ok().flatten()
        };
        let why = match (0..TRIES).find_map(ended) {
            None => "has closed its output".to_owned(),
            Some(status) => {
                Ended::By(status.into_raw()).why().unwrap_or_else(|| "has ended".into())
            }
        };
        refused(&format!("{why} and has not answered line {}", self.asked))
    }
}

impl Drop for Talk {
    fn drop(&mut self) {
        if let Ok(None) = self.child.try_wait() {
            end_group(self.child.id());
            let _ = self.child.wait(); // it was killed
        }
    }
}

fn refused(why: &str) -> Refusal {
    Refusal::Failed(format!("the command of --state {why}"))
}

fn failed(why: io::Error) -> Refusal {
    Refusal::Failed(format!("the command of --state cannot be run: {why}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn start(text: &str, limit_ms: u64) -> Result<Talk, String> {
        let env = vec![("PATH".to_owned(), "/usr/bin:/bin".to_owned())];
        let (command, folder) = (run::in_shell(text), "/".into());
        let program = Program { command, env, folder, limit_ms, ..Program::default() };
        Talk::start_in(&program, &Root::Here).map_err(why)
    }

    fn why(refused: Refusal) -> String {
        match refused {
            Refusal::Failed(why) | Refusal::Unavailable(why) => why,
        }
    }

    /// Why a command does not talk, which may take as long as it does. One that says too much is found out when it is ahead.
    fn refused(text: &str) -> String {
        let talked = start(text, 60_000)
            .and_then(|mut talk| (0..1000).try_for_each(|_| talk.ask()).map_err(why));
        talked.expect_err("it talks")
    }

    #[test]
    fn a_line_is_answered_by_a_line_as_often_as_is_asked() {
        let mut talk = start("sleep 0.1; while read n; do test $n -lt 4 && echo $n; done", 60_000);
        let talk = talk.as_mut().unwrap();
        assert!((0..2).all(|_| talk.ask().is_ok()));
        assert!(talk.said.is_empty());
        assert_eq!(talk.asked, 3);
    }

    #[test]
    fn what_does_not_keep_to_it_is_refused_with_the_reason() {
        let ended = refused("read n; exit 3");
        assert_eq!(
            ended,
            "the command of --state ended with exit status 3 and has not answered line 1"
        );
        let ended = refused("read n; echo; exit 0");
        assert!(ended.contains("has ended and has not answered line 2"), "{ended}");
        let greets = refused("echo ready; cat");
        assert!(greets.contains("printed more than a line for each"), "{greets}");
        let closed = refused("exec >&-; sleep 1000");
        assert!(closed.contains("has closed its output"), "{closed}");
        let missing = start("exec /no/such", 60_000).map(drop).unwrap_err();
        assert!(missing.contains("exit status 127"), "{missing}");
        let late = start("sleep 1000", 50).map(drop).unwrap_err();
        assert!(late.ends_with("has not answered line 1 within 0.05 s"), "{late}");
    }
}
