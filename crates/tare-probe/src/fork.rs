//! Where a simulated machine is saved: each of its copies is told what it measures ([`tare_proto::fork`]).

use crate::bench::Refusal;
use crate::facts::first_line;
use crate::memory::{Mapping, Pages};
use crate::{clock, sys};
use std::fs::File;
use std::io::{self, Write};
use std::os::fd::OwnedFd;
use std::os::unix::fs::FileExt;
use tare_proto::fork::{self, BY_MONITOR, PAGE, PAGES, PORT, Page, heard, page, text};

/// What a script asks: the messages of its file, or where that is empty, what this copy of the machine is told.
///
/// # Errors
/// There is no place to stop, or no pipe.
pub fn requests(script: File) -> io::Result<OwnedFd> {
    if script.metadata()?.len() > 0 {
        return Ok(script.into());
    }
    let told = told().map_err(|why| io::Error::other(why.to_string()))?;
    let (wait_ns, asked) = heard(&told).ok_or(io::ErrorKind::InvalidData)?;
    let (read, write) = sys::pipe()?;
    File::from(write).write_all(asked.as_bytes())?;
    let begin = clock::now_ns();
    while clock::now_ns() - begin < wait_ns {} // without a sleep, after which all copies would go on at a tick
    Ok(read)
}

/// Waits for what the host writes into pages of this process.
fn told() -> Result<String, Refusal> {
    let mapping = Mapping::anonymous(PAGES * PAGE, Pages::Default)?;
    let pages = mapping.start().cast::<Page>();
    for number in 0..PAGES {
        // SAFETY: the mapping has so many pages.
        unsafe { pages.wrapping_add(number).write_volatile(page(number, "")) };
    }
    stop()?;
    // SAFETY: the pages are mapped; the host may have written any bytes to them, which are valid.
    let filled = (0..PAGES).map(|number| unsafe { pages.wrapping_add(number).read_volatile() });
    Ok(text(&filled.collect::<Vec<_>>()))
}

/// Stops here, or has the guest's monitor stop.
fn stop() -> io::Result<()> {
    let arguments = first_line("/proc/cmdline");
    match arguments.split_whitespace().any(|word| word == BY_MONITOR) {
        true => File::options().write(true).open("/dev/port")?.write_all_at(&[0], PORT.into()),
        false => fork::stop(),
    }
}
