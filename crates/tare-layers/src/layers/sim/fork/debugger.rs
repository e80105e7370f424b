//! QEMU's debugger, as far as a machine is stopped and its memory is written: the remote protocol of GDB, over a local socket.
//!
//! The protocol's definition: *Debugging with GDB*, appendix "Remote Serial Protocol"; physical addresses are an extension of QEMU's.

use std::fmt::Write as _;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::time::Duration;

/// Longest answer that is read, in bytes.
const ANSWER: u64 = 4096;

/// Bytes that are written at once: an order has at most 4,096 characters, two for each byte.
const AT_ONCE: usize = 1024;

pub(super) struct Debugger {
    says: BufReader<UnixStream>,
    hears: UnixStream,
}

impl Debugger {
    /// At `socket`. Each answer may take so long.
    pub(super) fn at(socket: &Path, within: Duration) -> io::Result<Debugger> {
        let hears = UnixStream::connect(socket)?;
        hears.set_read_timeout(Some(within))?;
        let mut debugger = Debugger { says: BufReader::new(hears.try_clone()?), hears };
        debugger.done("Qqemu.PhyMemMode:1")?;
        Ok(debugger)
    }

    /// The machine will stop before it executes the instruction at this virtual address.
    pub(super) fn stop_at(&mut self, address: u64) -> io::Result<()> {
        self.done(&format!("Z0,{address:x},1"))
    }

    /// Lets the machine run.
    pub(super) fn go_on(&mut self) -> io::Result<()> {
        self.say("c")
    }

    /// Waits, without a limit, until the machine stops.
    pub(super) fn stopped(&mut self) -> io::Result<()> {
        let within = self.hears.read_timeout()?;
        self.hears.set_read_timeout(None)?;
        let said = self.hear()?;
        self.hears.set_read_timeout(within)?;
        if said.starts_with('T') { Ok(()) } else { Err(refused("c", &said)) }
    }

    /// Writes to the machine's physical memory.
    pub(super) fn write(&mut self, at: u64, bytes: &[u8]) -> io::Result<()> {
        for (number, part) in bytes.chunks(AT_ONCE).enumerate() {
            let mut order = format!("M{:x},{:x}:", at + (number * AT_ONCE) as u64, part.len());
            part.iter().for_each(|byte| {
                let _ = write!(order, "{byte:02x}");
            });
            self.done(&order)?;
        }
        Ok(())
    }

    /// Gives an order that answers nothing.
    fn done(&mut self, order: &str) -> io::Result<()> {
        self.say(order)?;
        let said = self.hear()?;
        if said == "OK" { Ok(()) } else { Err(refused(order, &said)) }
    }

    fn say(&mut self, order: &str) -> io::Result<()> {
        let sum = order.bytes().fold(0, u8::wrapping_add);
        self.hears.write_all(format!("${order}#{sum:02x}").as_bytes())
    }

    /// The next answer, without what is around it. That it has come needs no confirmation over a local socket.
    fn hear(&mut self) -> io::Result<String> {
        let mut said = Vec::new();
        self.says.by_ref().take(ANSWER).read_until(b'#', &mut said)?;
        let mut sum = [0; 2];
        self.says.read_exact(&mut sum)?;
        let said = String::from_utf8_lossy(&said);
        let answer = said.trim_start_matches('+').strip_prefix('$');
        let answer = answer.and_then(|answer| answer.strip_suffix('#'));
        answer.map(str::to_owned).ok_or_else(|| refused("", &said))
    }
}

fn refused(order: &str, said: &str) -> io::Error {
    let order: String = order.chars().take(20).collect();
    io::Error::other(format!("to {order:?} it answers {}", tare_proto::harmless(said, 100)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::net::Shutdown;
    use std::os::unix::net::UnixListener;
    use std::thread;

    /// What a debugger is told that answers this, and what came of it.
    fn told(
        answers: &'static str,
        ask: impl FnOnce(&mut Debugger) -> io::Result<()>,
    ) -> (String, io::Result<()>) {
        let folder = tempfile::tempdir().unwrap();
        let socket = folder.path().join("debugger");
        let listener = UnixListener::bind(&socket).unwrap();
        let server = thread::spawn(move || {
            let (mut stream, _) = listener.accept().unwrap();
            stream.write_all(b"+$OK#9a").unwrap(); // physical addresses
            stream.write_all(answers.as_bytes()).unwrap();
            stream.shutdown(Shutdown::Write).unwrap();
            let mut heard = String::new();
            let _ = stream.read_to_string(&mut heard);
            heard
        });
        let debugger = Debugger::at(&socket, Duration::from_secs(20));
        let done = debugger.and_then(|mut debugger| ask(&mut debugger));
        (server.join().unwrap(), done)
    }

    #[test]
    fn orders_have_their_sums_and_long_ones_are_parted() {
        let (heard, done) = told("+$OK#9a", |debugger| debugger.stop_at(0x4fe0_0000));
        done.unwrap();
        assert_eq!(heard, "$Qqemu.PhyMemMode:1#77$Z0,4fe00000,1#02");
        let (heard, done) = told("+$OK#9a+$OK#9a", |debugger| debugger.write(16, &[7; 1025]));
        done.unwrap();
        assert!(heard.contains("$M10,400:0707") && heard.contains("$M410,1:07#"), "{heard}");
    }

    #[test]
    fn what_it_refuses_and_its_end_are_errors() {
        let (_, done) = told("+$E22#a9", |debugger| debugger.write(16, &[7]));
        assert!(done.unwrap_err().to_string().contains("E22"));
        let (_, done) =
            told("+$W00#b7", |debugger| debugger.go_on().and_then(|()| debugger.stopped()));
        assert!(done.unwrap_err().to_string().contains("W00"));
        assert!(told("", Debugger::stopped).1.is_err());
    }
}
