//! QEMU's machine protocol (QMP), as far as saving a machine needs it: lines of JSON over a local socket. What QEMU says is
//! bounded and checked.
//!
//! The protocol's definition: QEMU's `docs/interop/qmp-spec.txt` and its reference of commands.

use serde_json::{Value, json};
use std::collections::VecDeque;
use std::fs::File;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::os::fd::AsRawFd;
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::time::{Duration, Instant};
use tare_proto::harmless;

/// Longest line that is read, and longest text that is shown of one.
const LINE: u64 = 64 << 10;
const SHOWN: usize = 200;

/// Most events that may wait to be read.
const EVENTS: usize = 1000;

/// Bytes a second that a machine may be sent with: no limit. QEMU's own default of 128 MiB/s is meant for networks.
const BANDWIDTH: u64 = 1 << 50;

/// Why QEMU's monitor did not do what it was asked.
#[derive(Debug, thiserror::Error)]
pub enum MonitorError {
    /// The socket.
    #[error("QEMU's monitor: {0}")]
    Socket(#[from] io::Error),
    /// The other side has gone.
    #[error("QEMU has closed its monitor")]
    Closed,
    /// It does not keep to the protocol.
    #[error("QEMU's monitor says what is no JSON: {0}")]
    NoJson(serde_json::Error),
    /// It says no: to what, and why, harmless.
    #[error("QEMU refuses {0}: {1}")]
    Refused(String, String),
    /// It says everything else.
    #[error("QEMU does not answer {0}")]
    Silent(String),
    /// The machine was not saved, and why, harmless.
    #[error("QEMU did not save the machine: {0}")]
    NotSaved(String),
    /// Not in time.
    #[error("QEMU did not finish saving the machine in time")]
    Late,
    /// The events do not tell the downtime.
    #[error("QEMU does not say when it stopped the machine")]
    Untold,
}

/// A conversation with QEMU's monitor.
pub struct Monitor {
    says: BufReader<UnixStream>,
    hears: UnixStream,
    /// What QEMU said beside its answers.
    events: VecDeque<Value>,
}

impl Monitor {
    /// Greets QEMU at `socket`. Each answer may take so long.
    ///
    /// # Errors
    /// There is no socket, or no QEMU.
    pub fn at(socket: &Path, within: Duration) -> Result<Monitor, MonitorError> {
        // A socket's address has at most 108 bytes, a folder's name may have more: it is reached through its descriptor.
        let folder = socket.parent().filter(|folder| !folder.as_os_str().is_empty());
        let folder = folder.unwrap_or(Path::new("."));
        let name = socket.file_name().unwrap_or_default();
        let folder = File::open(folder)?;
        let short = Path::new("/proc/self/fd").join(folder.as_raw_fd().to_string()).join(name);
        let hears = UnixStream::connect(short)?;
        hears.set_read_timeout(Some(within))?;
        let says = BufReader::new(hears.try_clone()?);
        let mut monitor = Monitor { says, hears, events: VecDeque::new() };
        monitor.line()?; // its greeting
        monitor.ask("qmp_capabilities", &json!({}))?;
        Ok(monitor)
    }

    /// Migrates the machine `to` a place until `deadline`; how long it stood still for that, in QEMU's own time stamps: what it
    /// calls the downtime, but to a microsecond instead of a millisecond. It is not stopped before: a machine that is saved
    /// while it stands still would stand still when it is restored.
    pub(crate) fn migrate(
        &mut self,
        to: &str,
        deadline: Instant,
    ) -> Result<Duration, MonitorError> {
        let told = json!([{ "capability": "events", "state": true }]);
        self.ask("migrate-set-capabilities", &json!({ "capabilities": told }))?;
        self.ask("migrate-set-parameters", &json!({ "max-bandwidth": BANDWIDTH }))?;
        self.ask("migrate", &json!({ "uri": to }))?;
        let mut stopped = None;
        while Instant::now() < deadline {
            let event = self.event(deadline)?;
            match (event["event"].as_str(), event["data"]["status"].as_str()) {
                (Some("STOP"), _) => stopped = stamp(&event),
                (Some("MIGRATION"), Some("completed")) => {
                    let still = stopped.zip(stamp(&event));
                    return still
                        .and_then(|(stopped, ended)| ended.checked_sub(stopped))
                        .ok_or(MonitorError::Untold);
                }
                (Some("MIGRATION"), Some("failed" | "cancelled")) => {
                    let said = self.ask("query-migrate", &json!({}))?;
                    let why = said["error-desc"].as_str().unwrap_or("it does not say why");
                    return Err(MonitorError::NotSaved(harmless(why, SHOWN)));
                }
                _ => {}
            }
        }
        Err(MonitorError::Late)
    }

    /// The next event, of those that came beside answers first.
    fn event(&mut self, deadline: Instant) -> Result<Value, MonitorError> {
        if let Some(event) = self.events.pop_front() {
            return Ok(event);
        }
        let left = deadline.saturating_duration_since(Instant::now());
        self.hears.set_read_timeout(Some(left.max(Duration::from_millis(1))))?;
        self.line().map_err(|why| if Instant::now() < deadline { why } else { MonitorError::Late })
    }

    /// A command of the monitor for people; what that prints is a refusal.
    ///
    /// # Errors
    /// It refuses, or is gone.
    pub fn human(&mut self, line: &str) -> Result<(), MonitorError> {
        let printed = self.ask("human-monitor-command", &json!({ "command-line": line }))?;
        match printed.as_str().unwrap_or_default().trim() {
            "" => Ok(()),
            why => Err(MonitorError::Refused(line.to_owned(), harmless(why, SHOWN))),
        }
    }

    /// A command; what it returns.
    ///
    /// # Errors
    /// It refuses, or is gone.
    pub fn ask(&mut self, what: &str, arguments: &Value) -> Result<Value, MonitorError> {
        let order = json!({ "execute": what, "arguments": arguments });
        writeln!(self.hears, "{order}")?;
        while self.events.len() < EVENTS {
            let mut answer = self.line()?;
            if let Some(why) = answer["error"]["desc"].as_str() {
                return Err(MonitorError::Refused(what.to_owned(), harmless(why, SHOWN)));
            }
            match answer.get_mut("return") {
                Some(done) => return Ok(done.take()),
                None => self.events.push_back(answer),
            }
        }
        Err(MonitorError::Silent(what.to_owned()))
    }

    fn line(&mut self) -> Result<Value, MonitorError> {
        let mut line = String::new();
        let read = self.says.by_ref().take(LINE).read_line(&mut line);
        match read? {
            0 => Err(MonitorError::Closed),
            _ => serde_json::from_str(&line).map_err(MonitorError::NoJson),
        }
    }
}

/// When an event happened, on the realtime clock.
fn stamp(event: &Value) -> Option<Duration> {
    let part = |unit| event["timestamp"][unit].as_u64();
    Some(Duration::from_secs(part("seconds")?) + Duration::from_micros(part("microseconds")?))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::net::UnixListener;
    use std::thread;

    /// A monitor that gives these lines, whatever it hears.
    fn monitor(lines: &[&str]) -> Result<Duration, String> {
        let folder = tempfile::tempdir().unwrap();
        let socket = folder.path().join("qmp");
        let listener = UnixListener::bind(&socket).unwrap();
        let lines: Vec<String> = lines.iter().map(ToString::to_string).collect();
        let server = thread::spawn(move || {
            let (mut stream, _) = listener.accept().unwrap();
            lines.iter().for_each(|line| writeln!(stream, "{line}").unwrap());
            let _ = std::io::copy(&mut stream, &mut std::io::sink()); // until the other side goes
        });
        let within = Duration::from_secs(20);
        let done = Monitor::at(&socket, within)
            .and_then(|mut monitor| monitor.migrate("exec:cat > x", Instant::now() + within));
        server.join().unwrap();
        done.map_err(|e| e.to_string())
    }

    const GREETS: [&str; 3] = [r#"{"QMP": {}}"#, r#"{"return": {}}"#, r#"{"return": {}}"#];
    const SENDS: [&str; 2] = [r#"{"return": {}}"#, r#"{"return": {}}"#];

    #[test]
    fn a_machine_stands_still_between_two_events_and_others_pass_by() {
        let events = [
            r#"{"event": "MIGRATION", "data": {"status": "setup"}, "timestamp": {"seconds": 7, "microseconds": 1}}"#,
            r#"{"event": "STOP", "timestamp": {"seconds": 7, "microseconds": 999900}}"#,
            r#"{"event": "RTC_CHANGE"}"#,
            r#"{"event": "MIGRATION", "data": {"status": "completed"}, "timestamp": {"seconds": 8, "microseconds": 250}}"#,
        ];
        let after = [&GREETS[..], &SENDS, &events].concat();
        assert_eq!(monitor(&after), Ok(Duration::from_micros(350)));
        let beside = [&GREETS[..], &SENDS[..1], &events, &SENDS[1..]].concat();
        assert_eq!(monitor(&beside), Ok(Duration::from_micros(350)));
        let unsaid = [&GREETS[..], &SENDS, &events[3..]].concat();
        assert!(monitor(&unsaid).unwrap_err().contains("when it stopped"));
    }

    #[test]
    fn a_monitor_that_refuses_or_lies_is_an_error_in_words() {
        let refuses = [GREETS[0], r#"{"error": {"desc": "no \u001b[31m"}}"#];
        let why = monitor(&refuses).unwrap_err();
        assert!(why.starts_with("QEMU refuses qmp_capabilities: no") && !why.contains('\u{1b}'));
        assert!(monitor(&["rubbish"]).unwrap_err().contains("no JSON"));
        let fails = [
            r#"{"event": "MIGRATION", "data": {"status": "failed"}}"#,
            r#"{"return": {"error-desc": "no space"}}"#,
        ];
        let full = [&GREETS[..], &SENDS, &fails].concat();
        assert!(monitor(&full).unwrap_err().contains("did not save the machine: no space"));
    }
}
