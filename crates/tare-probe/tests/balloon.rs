//! What moves a guest's balloon from the host, driven by a QEMU and a User-Mode Linux that are scripts here.

use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::os::unix::net::{UnixDatagram, UnixStream};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

/// Longest wait for anything.
const LONG: Duration = Duration::from_secs(20);

/// The process that moves, in a folder of its own; both go with it.
struct Mover {
    child: Child,
    folder: PathBuf,
    says: BufReader<std::process::ChildStdout>,
}

impl Mover {
    /// Starts it and waits for `ready`.
    fn start(name: &str, words: &[&str]) -> Mover {
        let folder =
            std::env::temp_dir().join(format!("tare-balloon-{name}-{}", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        let mut command = Command::new(env!("CARGO_BIN_EXE_tare-probe"));
        let command = command.arg("balloon").args(words).current_dir(&folder);
        let mut child = command.stdout(Stdio::piped()).spawn().unwrap();
        let says = BufReader::new(child.stdout.take().unwrap());
        let mut mover = Mover { child, folder, says };
        assert_eq!(mover.said(), "ready");
        mover
    }

    fn said(&mut self) -> String {
        let mut line = String::new();
        self.says.read_line(&mut line).unwrap();
        line.trim().to_owned()
    }

    /// What it says last, when it ends.
    fn ended(mut self) -> String {
        let mut rest = String::new();
        self.says.read_to_string(&mut rest).unwrap();
        assert_eq!(self.child.wait().unwrap().code(), Some(1));
        rest.trim().to_owned()
    }
}

impl Drop for Mover {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
        let _ = fs::remove_dir_all(&self.folder);
    }
}

#[test]
fn qemu_is_asked_for_less_and_for_all_by_turns_until_it_refuses() {
    let mover = Mover::start("qemu", &["qemu", "q.sock", "268435456", "32M/1ms"]);
    let stream = UnixStream::connect(mover.folder.join("q.sock")).unwrap();
    stream.set_read_timeout(Some(LONG)).unwrap();
    let mut asked = BufReader::new(stream.try_clone().unwrap()).lines();
    let mut next = |answer: &str| {
        let line = asked.next().unwrap().unwrap();
        writeln!(&stream, "{answer}").unwrap();
        line
    };
    writeln!(&stream, r#"{{"QMP": {{"version": {{}}}}}}"#).unwrap();
    assert!(next(r#"{"return": {}}"#).contains("qmp_capabilities"));
    // What it tells of its own accord is no answer.
    let event = r#"{"event": "BALLOON_CHANGE", "data": {"actual": 1}}"#;
    for value in [234_881_024, 268_435_456, 234_881_024] {
        let line = next(&format!("{event}\n{}", r#"{"return": {}}"#));
        assert!(line.contains(&format!("\"value\":{value}")), "{line}");
    }
    next(r#"{"error": {"class": "DeviceNotActive", "desc": "no balloon"}}"#);
    assert!(mover.ended().contains("no balloon"));
}

#[test]
fn the_console_of_user_mode_linux_is_asked_as_soon_as_it_is_there() {
    let mover = Mover::start("uml", &["uml", "console", "8M/1ms"]);
    std::thread::sleep(Duration::from_millis(20)); // it asks for nothing meanwhile, and does not end
    let console = UnixDatagram::bind(mover.folder.join("console")).unwrap();
    console.set_read_timeout(Some(LONG)).unwrap();
    let next = |error: u32, text: &str| {
        let mut message = [0; 1024];
        let (length, from) = console.recv_from(&mut message).unwrap();
        assert_eq!(message[..8], [0xcafe_babe_u32, 2].map(u32::to_ne_bytes).concat());
        let header = [error, 0, text.len() as u32].map(u32::to_ne_bytes).concat();
        let to = mover.folder.join(from.as_pathname().unwrap());
        console.send_to(&[&header, text.as_bytes()].concat(), to).unwrap();
        String::from_utf8_lossy(&message[12..length]).trim_end_matches('\0').to_owned()
    };
    assert_eq!(next(0, ""), "config mem=-8192K");
    assert_eq!(next(0, ""), "config mem=+8192K");
    assert_eq!(next(1, "no memory"), "config mem=-8192K");
    assert!(mover.ended().contains("no memory"));
}

#[test]
fn what_is_no_balloon_is_refused_before_anything_is_ready() {
    let refused = |words: &[&str]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_tare-probe"));
        let output = command.arg("balloon").args(words).output().unwrap();
        assert_eq!(output.status.code(), Some(1));
        String::from_utf8(output.stdout).unwrap()
    };
    assert!(refused(&["uml", "console", "lots"]).contains("SIZE/PERIOD"));
    assert!(refused(&["qemu", "q.sock", "much", "8M/1ms"]).contains("bytes"));
}
