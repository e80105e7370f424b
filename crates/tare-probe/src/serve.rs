//! Serves one host over one line: greets, measures what is asked, says goodbye.

use crate::bench::Refusal;
use crate::{benches, cache, harness, hello};
use std::fs::File;
use std::io::{self, BufRead, BufReader, Write};
use std::mem::ManuallyDrop;
use std::os::fd::{AsRawFd, FromRawFd, RawFd};
use tare_proto::{FromProbe, Request, ToProbe, decode, encode};

/// Serves on standard input and output.
pub fn on_stdio() -> i32 {
    match serve(0, 1) {
        Ok(()) => 0,
        Err(_) => 1, // the line is gone: there is nobody left to tell
    }
}

/// Answers on standard output what the file `plan` asks.
pub fn on_plan(plan: &str) -> i32 {
    match File::open(plan).and_then(|file| serve(file.as_raw_fd(), 1)) {
        Ok(()) => 0,
        Err(_) => 1,
    }
}

/// Serves on two open descriptors until `Quit` or the end of the line.
pub fn serve(input: RawFd, output: RawFd) -> io::Result<()> {
    panics_become_messages(output);
    say(output, &FromProbe::Hello(Box::new(hello::hello())))?;
    let input = borrow(input);
    let mut lines = BufReader::new(&*input);
    let mut line = Vec::new();
    loop {
        line.clear();
        if lines.read_until(b'\n', &mut line)? == 0 {
            return Ok(());
        }
        match decode::<ToProbe>(&String::from_utf8_lossy(&line)) {
            Ok(ToProbe::Quit) => return say(output, &FromProbe::Bye),
            Ok(ToProbe::Run(request)) => {
                say(output, &FromProbe::Begin { id: request.id })?;
                say(output, &answer(&request))?;
            }
            Err(_) => {} // noise on the line; the host's deadline covers a lost request
        }
    }
}

fn answer(request: &Request) -> FromProbe {
    let id = request.id;
    let (name, load) = request.name_and_load();
    let Some(bench) = benches::find(name) else {
        return FromProbe::Failed { id, why: format!("no benchmark named {}", request.bench) };
    };
    cache::tell(request.cache_bytes);
    match harness::measure(bench, load, request) {
        Ok(series) => FromProbe::Series(series),
        Err(Refusal::Unavailable(why)) => FromProbe::Unavailable { id, why },
        Err(Refusal::Failed(why)) => FromProbe::Failed { id, why },
    }
}

/// Writes one message.
pub fn say(output: RawFd, message: &FromProbe) -> io::Result<()> {
    let mut line = borrow(output);
    line.write_all(encode(message).as_bytes())?;
    line.flush()
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
fn borrow(fd: RawFd) -> ManuallyDrop<File> {
    // SAFETY: the descriptor stays open for the life of the process, and is never closed here.
    ManuallyDrop::new(unsafe { File::from_raw_fd(fd) })
}
