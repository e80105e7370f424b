//! QEMU's machine protocol (QMP), as far as saving a machine needs it: lines of JSON over a local socket. What QEMU says is
//! bounded and checked.

use serde_json::{Value, json};
use std::fs::File;
use std::io::{BufRead, BufReader, Read, Write};
use std::os::fd::AsRawFd;
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::thread;
use std::time::{Duration, Instant};
use tare_proto::harmless;

/// Longest line that is read, and longest text that is shown of one.
const LINE: u64 = 64 << 10;
const SHOWN: usize = 200;

/// Most lines that may come before an answer: events, which nobody here waits for.
const EVENTS: usize = 1000;

/// How often QEMU is asked whether it has done.
const POLL: Duration = Duration::from_millis(2);

/// Bytes a second that a machine may be sent with: no limit. QEMU's own default of 128 MiB/s is meant for networks.
const BANDWIDTH: u64 = 1 << 50;

pub(crate) struct Monitor {
    says: BufReader<UnixStream>,
    hears: UnixStream,
}

impl Monitor {
    /// Greets QEMU at `socket`.
    pub(crate) fn at(socket: &Path, within: Duration) -> Result<Monitor, String> {
        let failed = |e: std::io::Error| format!("QEMU's monitor: {e}");
        // A socket's address has at most 108 bytes, a folder's name may have more: it is reached through its descriptor.
        let folder = socket.parent().unwrap_or(Path::new("/"));
        let name = socket.file_name().unwrap_or_default();
        let folder = File::open(folder).map_err(failed)?;
        let short = Path::new("/proc/self/fd").join(folder.as_raw_fd().to_string()).join(name);
        let hears = UnixStream::connect(short).map_err(failed)?;
        hears.set_read_timeout(Some(within)).map_err(failed)?;
        let says = BufReader::new(hears.try_clone().map_err(failed)?);
        let mut monitor = Monitor { says, hears };
        monitor.line()?; // its greeting
        monitor.ask("qmp_capabilities", &json!({}))?;
        Ok(monitor)
    }

    /// Migrates the machine `to` a place until `deadline`; how long it stood still for that. It is not stopped before: a
    /// machine that is saved while it stands still would stand still when it is restored.
    pub(crate) fn migrate(&mut self, to: &str, deadline: Instant) -> Result<Duration, String> {
        self.ask("migrate-set-parameters", &json!({ "max-bandwidth": BANDWIDTH }))?;
        self.ask("migrate", &json!({ "uri": to }))?;
        while Instant::now() < deadline {
            let said = self.ask("query-migrate", &json!({}))?;
            match said["status"].as_str().unwrap_or_default() {
                "completed" => {
                    return Ok(Duration::from_millis(
                        said["downtime"].as_u64().unwrap_or_default(),
                    ));
                }
                "failed" | "cancelled" => {
                    let why = said["error-desc"].as_str().unwrap_or("it does not say why");
                    return Err(format!("QEMU did not save the machine: {}", harmless(why, SHOWN)));
                }
                _ => thread::sleep(POLL),
            }
        }
        Err("QEMU did not finish saving the machine in time".into())
    }

    fn ask(&mut self, what: &str, arguments: &Value) -> Result<Value, String> {
        let order = json!({ "execute": what, "arguments": arguments });
        writeln!(self.hears, "{order}").map_err(|e| format!("QEMU's monitor: {e}"))?;
        for _ in 0..EVENTS {
            let mut answer = self.line()?;
            if let Some(why) = answer["error"]["desc"].as_str() {
                return Err(format!("QEMU refuses {what}: {}", harmless(why, SHOWN)));
            }
            if let Some(done) = answer.get_mut("return") {
                return Ok(done.take());
            }
        }
        Err(format!("QEMU does not answer {what}"))
    }

    fn line(&mut self) -> Result<Value, String> {
        let mut line = String::new();
        let read = self.says.by_ref().take(LINE).read_line(&mut line);
        match read.map_err(|e| format!("QEMU's monitor: {e}"))? {
            0 => Err("QEMU has closed its monitor".into()),
            _ => serde_json::from_str(&line)
                .map_err(|e| format!("QEMU's monitor says what is no JSON: {e}")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::net::UnixListener;

    /// A monitor that gives these lines, whatever it hears.
    fn monitor(lines: &'static [&'static str]) -> Result<Duration, String> {
        let folder = tempfile::tempdir().unwrap();
        let socket = folder.path().join("qmp");
        let listener = UnixListener::bind(&socket).unwrap();
        let server = thread::spawn(move || {
            let (mut stream, _) = listener.accept().unwrap();
            lines.iter().for_each(|line| writeln!(stream, "{line}").unwrap());
            let _ = std::io::copy(&mut stream, &mut std::io::sink()); // until the other side goes
        });
        let within = Duration::from_secs(20);
        let done = Monitor::at(&socket, within)
            .and_then(|mut monitor| monitor.migrate("exec:cat > x", Instant::now() + within));
        server.join().unwrap();
        done
    }

    #[test]
    fn a_machine_is_saved_when_it_says_so_and_events_pass_by() {
        let lines = &[
            r#"{"QMP": {}}"#,
            r#"{"return": {}}"#,
            r#"{"event": "STOP"}"#,
            r#"{"return": {}}"#,
            r#"{"return": {}}"#,
            r#"{"return": {"status": "active"}}"#,
            r#"{"return": {"status": "completed", "downtime": 7}}"#,
        ];
        assert_eq!(monitor(lines), Ok(Duration::from_millis(7)));
    }

    #[test]
    fn a_monitor_that_refuses_or_lies_is_an_error_in_words() {
        let refuses = &[r#"{"QMP": {}}"#, r#"{"error": {"desc": "no \u001b[31m"}}"#];
        let why = monitor(refuses).unwrap_err();
        assert!(why.starts_with("QEMU refuses qmp_capabilities: no") && !why.contains('\u{1b}'));
        assert!(monitor(&["rubbish"]).unwrap_err().contains("no JSON"));
        let full = &[
            r#"{"QMP": {}}"#,
            r#"{"return": {}}"#,
            r#"{"return": {}}"#,
            r#"{"return": {}}"#,
            r#"{"return": {"status": "failed"}}"#,
        ];
        assert!(monitor(full).unwrap_err().contains("did not save"));
    }
}
