//! Serves one host over one line: greets, measures what is asked, says goodbye.

use crate::bench::Refusal;
use crate::turns::{Granted, Turns};
use crate::{benches, cache, fork, harness, hello, program, state};
use std::cell::RefCell;
use std::fs::File;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::mem::ManuallyDrop;
use std::os::fd::{AsRawFd, FromRawFd, RawFd};
use std::rc::Rc;
use std::thread;
use std::time::Duration;
use tare_proto::{FromProbe, Request, ToProbe, decode, encode};

/// Serves on standard input and output.
pub fn on_stdio() -> i32 {
    match serve(0, 1, Duration::ZERO) {
        Ok(()) => 0,
        Err(_) => 1, // the line is gone: there is nobody left to tell
    }
}

/// Answers on standard output what the file `plan` asks.
pub fn on_plan(plan: &str) -> i32 {
    match File::open(plan).and_then(|file| on_script(file, 1, Duration::ZERO)) {
        Ok(()) => 0,
        Err(_) => 1,
    }
}

/// Serves what the file of a script asks, or what a copy of the machine is told.
pub fn on_script(script: File, output: RawFd, until_read: Duration) -> io::Result<()> {
    let failed = |error: &io::Error| {
        let _ = say(output, &FromProbe::Panic { message: format!("what it is asked: {error}") });
    };
    let input = fork::requests(script).inspect_err(failed)?;
    serve(input.as_raw_fd(), output, until_read)
}

/// Serves on two open descriptors until `Quit` or the end of the line. What was said takes up to `until_read` to be read by
/// another domain; that work is over before anything is measured.
pub fn serve(input: RawFd, output: RawFd, until_read: Duration) -> io::Result<()> {
    panics_become_messages(output);
    say(output, &FromProbe::Hello(Box::new(hello::hello())))?;
    let host = Rc::new(Host { lines: RefCell::new(BufReader::new(borrow(input))), output });
    loop {
        match host.next()? {
            None => return Ok(()),
            Some(ToProbe::Quit) => return host.say(&FromProbe::Bye),
            Some(ToProbe::Run(request)) => {
                host.say(&FromProbe::Begin { id: request.id })?;
                thread::sleep(until_read);
                host.say(&answer(&request, &host))?;
            }
            Some(ToProbe::Take { .. } | ToProbe::Drop { .. }) => {} // of a measurement that has ended
        }
    }
}

/// The host's end of the line.
struct Host {
    lines: RefCell<BufReader<Line>>,
    output: RawFd,
}

impl Host {
    /// What it says next; `None` when the line ends. Noise is passed over: the host's deadline covers a lost request.
    fn next(&self) -> io::Result<Option<ToProbe>> {
        let mut line = Vec::new();
        loop {
            line.clear();
            if self.lines.borrow_mut().read_until(b'\n', &mut line)? == 0 {
                return Ok(None);
            }
            if let Ok(message) = decode(&String::from_utf8_lossy(&line)) {
                return Ok(Some(message));
            }
        }
    }

    fn say(&self, message: &FromProbe) -> io::Result<()> {
        say(self.output, message)
    }

    /// Says that measurement `id` waits, and waits for its next turn; `None` when it is given up.
    fn turn(&self, id: u32, sample_ns: u64) -> Option<Granted> {
        self.say(&FromProbe::Waiting { id, sample_ns }).ok()?;
        match self.next() {
            Ok(Some(ToProbe::Take { id: of, samples, last })) if of == id => {
                Some(Granted { samples, last })
            }
            _ => None,
        }
    }
}

fn answer(request: &Request, host: &Rc<Host>) -> FromProbe {
    let id = request.id;
    cache::tell(request.cache_bytes);
    let turns = if request.turns {
        let host = host.clone();
        Turns::granted(move |sample_ns| host.turn(id, sample_ns))
    } else {
        Turns::none()
    };
    let (name, load) = request.name_and_load();
    let measured =
        state::answer(request).unwrap_or_else(|| match (&request.program, benches::find(name)) {
            (Some(program), _) => program::measure(program, request, turns),
            (None, Some(bench)) => harness::measure(bench, load, request, turns),
            (None, None) => Err(Refusal::Failed(format!("no benchmark named {}", request.bench))),
        });
    match measured {
        Ok(series) => FromProbe::Series(series),
        Err(Refusal::Unavailable(why)) => FromProbe::Unavailable { id, why },
        Err(Refusal::Failed(why)) => FromProbe::Failed { id, why },
    }
}

/// Writes one message.
pub fn say(output: RawFd, message: &FromProbe) -> io::Result<()> {
    let mut line = borrow(output);
    line.0.write_all(encode(message).as_bytes())?;
    line.0.flush()
}

/// A panic outside a benchmark (inside, the harness catches it) is the probe's last message.
fn panics_become_messages(output: RawFd) {
    std::panic::set_hook(Box::new(move |info| {
        if !harness::measuring() {
            let _ = say(output, &FromProbe::Panic { message: info.to_string() });
        }
    }));
}

/// A file over a descriptor that stays open when it is dropped.
struct Line(ManuallyDrop<File>);

impl Read for Line {
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        self.0.read(bytes)
    }
}

fn borrow(fd: RawFd) -> Line {
    // SAFETY: the descriptor stays open for the life of the process, and is never closed here.
    Line(ManuallyDrop::new(unsafe { File::from_raw_fd(fd) }))
}
