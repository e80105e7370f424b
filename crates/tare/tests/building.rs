//! The build says what it lacks.

#[path = "../build/needs.rs"]
mod needs;

use needs::missing;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

/// A linker's driver that answers to the two questions with `library` and `linker`.
fn driver(folder: &Path, library: &str, linker: &str) -> PathBuf {
    let path = folder.join("driver");
    let answers = format!(
        "#!/bin/sh\ncase $1 in -print-file-name=libc.a) echo {library};; -print-prog-name=*) echo {linker};; esac\n"
    );
    fs::write(&path, answers).unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
    path
}

#[test]
fn a_machine_without_a_static_c_library_or_gnu_ld_is_told_what_to_install() {
    let folder = tempfile::tempdir().unwrap();
    let ask = |library, linker, placed| {
        missing(driver(folder.path(), library, linker).as_os_str(), placed)
    };
    assert_eq!(ask("/usr/lib/libc.a", "/usr/bin/ld.bfd", true), [""; 0]);
    let both = ask("libc.a", "no-such-ld.bfd", true);
    assert!(both[0].contains("libc6-dev") && both[1].contains("binutils"), "{both:?}");
    // Only a program at a chosen place needs GNU ld.
    assert_eq!(ask("libc.a", "no-such-ld.bfd", false).len(), 1);
    assert_eq!(missing("no-such-driver".as_ref(), true), [""; 0], "it says so itself");
    assert_eq!(missing("cc".as_ref(), true), [""; 0], "tare was built here");
}
