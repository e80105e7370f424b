//! What moves a guest's balloon from the host: a process beside the machine, which tare starts before it and ends with it.

use super::by_turns;
use std::fs;
use std::io::{self, BufRead, BufReader, ErrorKind, Read, Write};
use std::os::unix::net::{UnixDatagram, UnixListener};
use tare_proto::Balloon;

/// The whole life of such a process for QEMU, which connects to `socket` and obeys there (QMP). It says `ready` when QEMU can.
pub fn qemu(socket: &str, memory: &str, balloon: &str) -> i32 {
    ended(read(balloon).and_then(|balloon| {
        let bytes = memory.parse::<u64>().map_err(|_| not("a number of bytes", memory))?;
        let listener = UnixListener::bind(socket)?;
        println!("ready");
        let (stream, _) = listener.accept()?;
        let mut said = BufReader::new(stream.try_clone()?);
        let mut ask = |command: &str, arguments: serde_json::Value| {
            let message = serde_json::json!({ "execute": command, "arguments": arguments });
            writeln!(&stream, "{message}")?;
            answer(&mut said)
        };
        ask("qmp_capabilities", serde_json::json!({}))?;
        Err(by_turns(balloon, |out| {
            ask("balloon", serde_json::json!({ "value": bytes.saturating_sub(out << 10) }))
        }))
    }))
}

/// Longest line that QEMU says here, in bytes.
const LINE: u64 = 1 << 16;

/// Reads what QEMU says until it has answered; what it tells of its own accord is passed over. (QEMU, QMP specification)
fn answer(stream: &mut impl BufRead) -> io::Result<()> {
    loop {
        let mut line = Vec::new();
        if stream.by_ref().take(LINE).read_until(b'\n', &mut line)? == 0 {
            return Err(ErrorKind::UnexpectedEof.into());
        }
        let said: serde_json::Value = serde_json::from_slice(&line).map_err(io::Error::other)?;
        if said.get("return").is_some() {
            return Ok(());
        }
        if let Some(error) = said.get("error") {
            return Err(io::Error::other(error["desc"].to_string()));
        }
    }
}

/// The same for User-Mode Linux, which has a socket at `console` as soon as it is up (its management console).
pub fn uml(console: &str, balloon: &str) -> i32 {
    ended(read(balloon).and_then(|balloon| {
        let own = format!("{}-balloon", console.replace('/', "-"));
        let _ = fs::remove_file(&own); // of a process before
        let socket = UnixDatagram::bind(&own)?;
        println!("ready");
        let mut before = 0;
        Err(by_turns(balloon, |out| {
            if out == before && balloon.kib > 0 {
                return Ok(()); // it was not up when memory was to go out
            }
            let (sign, kib) = if out > before { ('-', out - before) } else { ('+', before - out) };
            match socket.send_to(&request(&format!("config mem={sign}{kib}K")), console) {
                Ok(_) => before = out,
                // It is not up yet, or no more: then this process ends with it.
                Err(error) if is_absent(&error) => return Ok(()),
                Err(error) => return Err(error),
            }
            let mut reply = [0; REPLY];
            let length = socket.recv(&mut reply)?;
            refusal(&reply[..length]).map_or(Ok(()), |why| Err(io::Error::other(why)))
        }))
    }))
}

/// What each message of the console begins with, and the version of its form; the longest text of one. (Linux,
/// arch/um/drivers/mconsole.h: magic, version and length, or error, more and length, of 32 bits each, before a text)
const MAGIC: u32 = 0xcafe_babe;
const VERSION: u32 = 2;
const TEXT: usize = 512;
const REPLY: usize = 12 + TEXT;

fn request(command: &str) -> Vec<u8> {
    let mut text = command.as_bytes().to_vec();
    let length = text.len() as u32;
    text.resize(TEXT, 0);
    let header = [MAGIC, VERSION, length].map(u32::to_ne_bytes).concat();
    [header, text].concat()
}

/// Why the console has not done what it was asked.
fn refusal(reply: &[u8]) -> Option<String> {
    let (error, rest) = reply.split_first_chunk::<4>()?;
    let text = rest.get(8..).unwrap_or_default();
    let said = || String::from_utf8_lossy(text).trim_end_matches('\0').trim().to_owned();
    (u32::from_ne_bytes(*error) != 0).then(said)
}

fn is_absent(error: &io::Error) -> bool {
    matches!(error.kind(), ErrorKind::NotFound | ErrorKind::ConnectionRefused)
}

fn read(balloon: &str) -> io::Result<Balloon> {
    balloon.parse().map_err(io::Error::other)
}

fn not(what: &str, text: &str) -> io::Error {
    io::Error::other(format!("{text} is not {what}"))
}

/// Says why it ended, which is how a keeper that still waits for `ready` learns it.
fn ended(how: io::Result<()>) -> i32 {
    match how {
        Ok(()) => 0,
        Err(why) => {
            println!("{why}");
            1
        }
    }
}
