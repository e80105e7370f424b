//! What processes have moved between memory and block devices (`/proc/PID/io`).

use super::files;

/// Bytes that `pids`, and children of theirs that have been waited for, have had read from block devices and have changed in memory so that
/// they will be written there; `None` where one may not be looked at. A page that is changed again before it is written counts once, and what
/// is in memory already is not read. A process that has gone counts with who has waited for it.
pub fn moved_bytes<'a>(pids: impl IntoIterator<Item = &'a u32>) -> Option<u64> {
    let mut all = 0;
    for pid in pids {
        match files::read(*pid, "io") {
            Ok(text) => {
                let of = |key: &str| files::value(&text, key)?.parse::<u64>().ok();
                all += of("read_bytes:")? + of("write_bytes:")?;
            }
            Err(error) if files::is_gone(&error) => {}
            Err(_) => return None,
        }
    }
    Some(all)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs::File;
    use std::io::Write;
    use std::process::{Command, id};

    #[test]
    fn what_goes_to_a_disk_is_counted_also_of_a_child_that_has_ended() {
        let folder =
            tempfile::tempdir_in(concat!(env!("CARGO_MANIFEST_DIR"), "/../../target")).unwrap();
        let own = || moved_bytes([&id()]).unwrap();
        let before = own();
        let mut file = File::create(folder.path().join("own")).unwrap();
        file.write_all(&[1; 1 << 20]).unwrap();
        let after = own();
        assert!(after >= before + (1 << 20), "{before}, {after}");
        let to = folder.path().join("child");
        let mut child = Command::new("dd");
        child.args(["if=/dev/zero", "bs=1M", "count=2", &format!("of={}", to.display())]);
        assert!(child.output().unwrap().status.success());
        assert!(own() >= after + (2 << 20), "{after}, {}", own());
        assert_eq!(moved_bytes([&u32::MAX]), Some(0));
    }
}
