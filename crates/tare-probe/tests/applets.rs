//! The tools of UnixBench's scripts do what the tools of their names do.

use std::fs::File;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::Command;

const TEXT: &str = "10 the last\n9 and\nb the\n\nother line\n";

fn applet(folder: &Path, words: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_tare-probe"));
    command.arg0(words[0]).args(&words[1..]).current_dir(folder);
    command
}

/// What `command` writes when it is given the file `text` of its folder. Not a pipe: who reads only the files that it is
/// named may have ended before it is written to.
fn output(mut command: Command) -> String {
    let folder = command.get_current_dir().expect("a folder");
    let text = File::open(folder.join("text")).expect("the text");
    let output = command.stdin(text).output().expect("start");
    assert!(output.status.success(), "{command:?}: {}", output.status);
    String::from_utf8(output.stdout).expect("text")
}

fn folder(name: &str) -> PathBuf {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).expect("make a folder");
    folder
}

#[test]
fn tools_write_what_the_systems_own_write() {
    let folder = folder("applets");
    std::fs::write(folder.join("text"), TEXT).expect("write");
    let pairs: [(&[&str], &[&str]); 5] = [
        (&["tare-sort"], &["sort"]),
        (&["tare-sort", "-n"], &["sort", "-n", "-s", "-k", "1,1"]),
        (&["tare-grep", "the", "text"], &["grep", "the", "text"]),
        (&["tare-tee", "copy"], &["tee", "copy"]),
        (&["tare-wc"], &["wc"]),
    ];
    for (own, system) in pairs {
        let mut theirs = Command::new(system[0]);
        theirs.args(&system[1..]).current_dir(&folder).env("LC_ALL", "C");
        let words = |text: String| -> String {
            // wc pads its numbers.
            if system[0] == "wc" {
                text.split_whitespace().collect::<Vec<_>>().join(" ")
            } else {
                text
            }
        };
        assert_eq!(words(output(applet(&folder, own))), words(output(theirs)), "{own:?}");
    }
    let dump = output(applet(&folder, &["tare-od", "text"]));
    assert!(dump.starts_with("0000000 030061 072040 062550"), "{dump}");
    assert_eq!(std::fs::read_to_string(folder.join("copy")).expect("read"), TEXT);
}

#[test]
fn a_script_ends_with_its_own_code_and_removes_its_files() {
    let folder = folder("script");
    std::fs::write(folder.join("text"), TEXT).expect("write");
    let run = |file| applet(&folder, &["tare-multi", "3", file]).status().expect("run").code();
    assert_eq!(run("text"), Some(42));
    assert_eq!(std::fs::read_dir(&folder).expect("list").count(), 1);
    assert_eq!(run("no-such-file"), Some(1));
}
