//! A balloon: memory that is taken from a guest and given back to it while it is measured (report 004).

use crate::{Host, Program, Setting, SettingError, Settings};
use tare_keeper::Helper;
use tare_proto::{BALLOON, Balloon, MOVED_BY_HOST, MOVED_UNSEEN};

pub(crate) const SETTING: Setting = Setting {
    key: "balloon",
    about: "memory that goes out and comes back while rows are measured, and how often: 128M/250ms; 0/250ms moves none, as a \
            control (docs/laboratory.md)",
};

/// Where QEMU's helper listens, in the boot's folder.
const SOCKET: &str = "balloon.sock";

/// The balloon of a guest with `memory` MiB, if it has one.
pub(crate) fn read(settings: &Settings, memory: u64) -> Result<Option<Balloon>, SettingError> {
    let Some(text) = settings.get(SETTING.key) else { return Ok(None) };
    let balloon: Balloon = text.parse().map_err(SettingError)?;
    if balloon.kib > memory << 9 {
        return Err(SettingError(format!(
            "balloon={text} takes more than half of the guest's {memory} MiB: give it more (memory=)"
        )));
    }
    Ok(Some(balloon))
}

/// The word of its kernel's arguments that tells a guest to move its own balloon.
pub(crate) fn of_its_own(balloon: &Balloon) -> String {
    format!("{BALLOON}={balloon}")
}

/// Adds the device to a machine of QEMU's with `memory` MiB, and what moves it; what to tell the guest's kernel of it.
pub(crate) fn of_qemu(
    balloon: &Balloon,
    host: &Host,
    memory: u64,
    program: Program,
) -> (Program, String) {
    let bytes = (memory << 20).to_string();
    let program = moved_by(host, program, &["qemu", SOCKET, &bytes, &balloon.to_string()]);
    let device = ["-device", "virtio-balloon-pci", "-qmp", &format!("unix:{SOCKET}")];
    (program.args(device), format!(" {BALLOON}={MOVED_BY_HOST}"))
}

/// Adds what moves the memory of User-Mode Linux, whose management console is at `console`. Its kernel does not count.
pub(crate) fn of_uml(balloon: &Balloon, host: &Host, console: &str, program: Program) -> Program {
    moved_by(host, program, &["uml", console, &balloon.to_string()])
        .arg(format!("{BALLOON}={MOVED_UNSEEN}"))
}

fn moved_by(host: &Host, mut program: Program, words: &[&str]) -> Program {
    program.helpers.push(Helper {
        what: "what moves the balloon".into(),
        program: host.probe.clone(),
        args: ["balloon"].iter().chain(words).map(|word| (*word).to_owned()).collect(),
        env: Vec::new(),
    });
    program
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_balloon_leaves_half_of_the_memory() {
        let of = |text: &str| read(&Settings::parse(&format!("q{text}")).unwrap(), 256);
        assert_eq!(of("").unwrap(), None);
        let balloon = of(",balloon=128M/250ms").unwrap().unwrap();
        assert_eq!(of_its_own(&balloon), "TARE_BALLOON=131072K/250000us");
        assert_eq!(of(",balloon=0/250ms").unwrap().unwrap().kib, 0);
        assert!(of(",balloon=129M/250ms").unwrap_err().to_string().contains("memory="));
        assert!(of(",balloon=lots").unwrap_err().to_string().contains("SIZE/PERIOD"));
    }
}
