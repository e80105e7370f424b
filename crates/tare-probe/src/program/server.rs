//! A server beside a program: started before it, asked whether it is ready, ended after it.

use super::listen::end_group;
use super::others::Others;
use super::output::{Tail, last_lines};
use super::run::{self, NO_THREAD, Surroundings};
use super::{deadline, too_long};
use crate::bench::Refusal;
use crate::clock::now_ns;
use crate::process;
use std::fs::File;
use std::io::{self, Read};
use std::os::fd::OwnedFd;
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

/// Between two questions whether the server is ready.
const PAUSE: Duration = Duration::from_millis(50);

/// A running server, with all that it has started; ended when dropped.
pub struct Server {
    /// `None` when there is none, or none any more.
    pid: Option<u32>,
    /// What was there before it.
    before: Others,
    /// The last of what it has printed.
    said: Arc<Mutex<Tail>>,
}

impl Server {
    /// Starts what `place` has in the background, if anything, and waits until it is ready.
    pub fn start(place: &mut Surroundings) -> Result<Server, Refusal> {
        let around = &place.program.around;
        let before = place.others.clone();
        if around.background.is_empty() {
            return Ok(Server { pid: None, before, said: Arc::default() });
        }
        let words = run::in_shell(&around.background);
        let started = run::start(place, &words, None);
        let (pid, heard) = started.map_err(|why| Refusal::Failed(format!("background: {why}")))?;
        let mut server = Server { pid: Some(pid), before, said: Arc::default() };
        place.others.spare();
        hear(heard, &server.said).map_err(|why| Refusal::Failed(format!("background: {why}")))?;
        let ready = wait_until_ready(place);
        place.others.keep();
        server.has_not_failed()?;
        ready.map_err(|why| server.refusal(&why))?;
        Ok(server)
    }

    /// Refuses a server that has failed meanwhile: what the program then found at its place was another one, or none. One that has
    /// ended and says that all is well has left a daemon.
    pub fn has_not_failed(&mut self) -> Result<(), Refusal> {
        let has_ended =
            |pid: &u32| matches!(process::ended(libc::P_PID, *pid, libc::WNOHANG), Ok(1..));
        let Some(pid) = self.pid.filter(has_ended) else { return Ok(()) };
        let Ok((_, status)) = process::wait(pid as libc::pid_t) else { return Ok(()) };
        self.pid = None;
        let why = run::Ended::By(status).why();
        why.map_or(Ok(()), |why| Err(self.refusal(&format!("the server {why}"))))
    }

    fn refusal(&self, why: &str) -> Refusal {
        let said = self.said.lock().map(|mut said| said.text()).unwrap_or_default();
        Refusal::Failed(format!("{why}; the server's last lines: {}", last_lines(&said)))
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        if let Some(pid) = self.pid {
            if is_child(pid) {
                end_group(pid);
            }
            self.before.end();
        }
    }
}

/// Whether `pid` is still a child of this process. One that has ended and was waited for is nobody's, or another's.
fn is_child(pid: u32) -> bool {
    process::ended(libc::P_PID, pid, libc::WNOHANG).is_ok()
}

/// Asks until the answer is yes. Without a question it is ready when it has had a moment.
fn wait_until_ready(place: &Surroundings) -> Result<(), String> {
    let around = &place.program.around;
    let late = deadline(place.program);
    let words = run::in_shell(&around.ready);
    if around.ready.is_empty() {
        thread::sleep(PAUSE);
        return Ok(());
    }
    loop {
        let asked = run::run(place, &words, None, None).map_err(|why| format!("ready: {why}"))?;
        match asked.ended.why() {
            None => return Ok(()),
            Some(_) if now_ns() >= late => {
                let said = last_lines(&asked.output);
                return Err(format!(
                    "the server {}, and ready says: {said}",
                    too_long(place.program)
                ));
            }
            Some(_) => thread::sleep(PAUSE),
        }
    }
}

/// Takes what a server prints, so that it is never blocked by that; the last of it is `said`.
fn hear(stream: OwnedFd, said: &Arc<Mutex<Tail>>) -> io::Result<()> {
    let kept = said.clone();
    let hears = thread::Builder::new().spawn(move || {
        let mut stream = File::from(stream);
        let mut bytes = vec![0; 16 << 10];
        while let Ok(n @ 1..) = stream.read(&mut bytes) {
            if let Ok(mut kept) = kept.lock() {
                kept.push(&bytes[..n]);
            }
        }
    });
    hears.map(drop).map_err(|why| io::Error::new(why.kind(), format!("{NO_THREAD}: {why}")))
}
