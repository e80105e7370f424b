//! What a layer is: the program behind its short name, with its version and the way it works.

use crate::remarks::remark::Note;
use tare_proto::Hello;
use tare_store::StoredArtifact;

/// The first release of gVisor whose default platform is systrap, as a date.
const SYSTRAP: u32 = 20_230_601;

/// What is known of a layer.
#[derive(Debug, Clone, Copy)]
pub struct Known<'a> {
    /// Its kind.
    pub kind: &'a str,
    /// Its settings as `--layer` takes them.
    pub settings: &'a str,
    /// The files that it is made of.
    pub artifacts: &'a [StoredArtifact],
    /// What the probe found in it.
    pub hello: Option<&'a Hello>,
}

/// What a layer is, in a few words, and what a reader should know of that.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Identity {
    /// `gVisor 20221219, ptrace`; empty where nothing is known beyond the name.
    pub what: String,
    /// Its remark, with the remedy.
    pub remark: Option<Note>,
}

impl Identity {
    /// Of a layer as far as it is known.
    #[must_use]
    pub fn of(known: Known) -> Identity {
        match known.kind {
            "runc" | "crun" => plain(with_version(known.kind, known.version("runtime"))),
            "runsc" => gvisor(known),
            "uml" => user_mode(known),
            "qemu" | "kvm" => machine(known),
            _ => words(known),
        }
    }
}

impl Known<'_> {
    /// The value of a setting.
    fn setting(&self, key: &str) -> Option<&str> {
        let mut pairs = self.settings.split(',').filter_map(|pair| pair.split_once('='));
        pairs.find(|(own, _)| *own == key).map(|(_, value)| value)
    }

    /// What the file of that role says of itself.
    fn said(&self, role: &str) -> &str {
        let file = self.artifacts.iter().find(|file| file.role == role);
        file.map_or("", |file| file.version.raw())
    }

    /// The version in that: the first word that begins with a digit, as far as it is digits and points.
    fn version(&self, role: &str) -> Option<String> {
        let mut words = self.said(role).split([' ', '-', 'v', '(']);
        let word = words.find(|word| word.starts_with(|c: char| c.is_ascii_digit()))?;
        let version = word.split(|c: char| !c.is_ascii_digit() && c != '.').next()?;
        Some(version.trim_end_matches('.').to_owned())
    }

    /// The date of a release in what a file says of itself, in any of the forms that gVisor's builds have.
    fn date(&self, role: &str) -> Option<u32> {
        let mut runs = self.said(role).split(|c: char| !c.is_ascii_digit());
        // A pseudo-version of Go has the time behind the date.
        let run = runs.find(|run| run.starts_with("20") && [8, 14].contains(&run.len()))?;
        run[..8].parse().ok()
    }
}

fn plain(what: String) -> Identity {
    Identity { what, remark: None }
}

fn with_version(name: &str, version: Option<String>) -> String {
    version.map_or_else(|| name.to_owned(), |version| format!("{name} {version}"))
}

/// Kinds that are words, and the names of their programs.
const PROGRAMS: &[(&str, &str)] = &[
    ("podman", "podman"),
    ("docker", "docker"),
    ("bwrap", "bubblewrap"),
    ("nspawn", "systemd-nspawn"),
    ("lxc", "LXC"),
];

/// Its processes may be out of the host's sight.
fn words(known: Known) -> Identity {
    let program = PROGRAMS.iter().find(|(kind, _)| *kind == known.kind);
    let what =
        program.map_or_else(String::new, |(_, name)| with_version(name, known.version("runtime")));
    let elsewhere =
        known.setting("processes") == Some("elsewhere") && known.setting("pids").is_none();
    let text = "its processes are behind a daemon or on another host, where tare does not look: its memory and the CPU time \
                that it uses are not known, and which CPUs it runs on is up to its words";
    Identity { what, remark: elsewhere.then(|| Note { kind: "elsewhere", text: text.into() }) }
}

/// Its registers may be fewer than the host's.
fn user_mode(known: Known) -> Identity {
    let booted = known.hello.map(|hello| hello.kernel.clone());
    let version = booted.filter(|kernel| !kernel.is_empty()).or_else(|| known.version("uml"));
    let without = known.hello.is_some_and(|hello| hello.tunables.contains("hwcaps=-AVX"));
    let text = "runs without AVX: this processor has more registers (AMX) than User-Mode Linux before 6.14 can keep, so tare \
                lets it keep those of SSE alone and tells the C library inside to do without the wider ones; what copies or \
                compares memory may be slower for it than on other processors, and a program that looks for AVX by itself may \
                compute wrongly there";
    Identity {
        what: with_version("User-Mode Linux", version),
        remark: without.then(|| Note { kind: "registers", text: text.into() }),
    }
}

/// Its platform is the one that is set, or the release's default.
fn gvisor(known: Known) -> Identity {
    let date = known.date("runtime");
    let default = date.map(|date| if date < SYSTRAP { "ptrace" } else { "systrap" });
    let platform = known.setting("platform").or(default);
    let name = with_version("gVisor", date.map(|date| date.to_string()));
    let what = match platform {
        Some(platform) => format!("{name}, {platform}"),
        None => name,
    };
    let remedy = match date {
        Some(date) if date >= SYSTRAP => "leave out platform=ptrace",
        _ => {
            "get a current runsc (https://gvisor.dev/docs/user_guide/install) and give it with runtime=FILE, without platform="
        }
    };
    let text = format!(
        "intercepts system calls by ptrace; gVisor's current default is systrap, which is several times cheaper: {remedy}"
    );
    let slow = platform == Some("ptrace");
    Identity { what, remark: slow.then_some(Note { kind: "platform", text: text.into() }) }
}

fn machine(known: Known) -> Identity {
    let monitor = known.artifacts.iter().any(|file| file.role == "monitor");
    if monitor || known.setting("vmm") == Some("tare") {
        return plain("KVM under tare's monitor".into());
    }
    let qemu = with_version("QEMU", known.version("emulator"));
    match (known.setting("accel"), known.kind) {
        (Some("kvm"), _) | (None, "kvm") => plain(format!("KVM under {qemu}")),
        _ => {
            let text = "its code is translated (TCG): this is what emulation costs, not what KVM does; where KVM runs, \
                        weigh the layer kvm";
            Identity {
                what: format!("{qemu} TCG, emulation, not KVM"),
                remark: Some(Note { kind: "emulation", text: text.into() }),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(kind: &str, settings: &str, role: &str, version: &str) -> Identity {
        let file = StoredArtifact {
            role: role.into(),
            path: "/usr/bin/it".into(),
            sha256: String::new().into(),
            version: version.into(),
        };
        let hello = Hello { kernel: "6.1.176".into(), ..Hello::default() };
        Identity::of(Known { kind, settings, artifacts: &[file], hello: Some(&hello) })
    }

    fn what(kind: &str, settings: &str, role: &str, version: &str) -> String {
        of(kind, settings, role, version).what
    }

    #[test]
    fn layers_say_what_they_are() {
        assert_eq!(what("runc", "kind=runc", "runtime", "runc version 1.1.5+ds1"), "runc 1.1.5");
        assert_eq!(what("crun", "kind=crun", "runtime", "crun version 1.8.1"), "crun 1.8.1");
        assert_eq!(what("uml", "kind=uml", "kernel", "6.1.176"), "User-Mode Linux 6.1.176");
        let qemu = "QEMU emulator version 7.2.22 (Debian 1:7.2+dfsg-7)";
        let tcg = "QEMU 7.2.22 TCG, emulation, not KVM";
        assert_eq!(what("qemu", "accel=tcg,kind=qemu", "emulator", qemu), tcg);
        assert_eq!(
            what("kvm", "accel=kvm,kind=kvm,vmm=qemu", "emulator", qemu),
            "KVM under QEMU 7.2.22"
        );
        let own = what("kvm", "accel=kvm,kind=kvm,vmm=tare", "monitor", "");
        assert_eq!(own, "KVM under tare's monitor");
        assert_eq!(what("native", "kind=native", "", ""), "");
        assert_eq!(what("runc", "kind=runc", "runtime", ""), "runc");
    }

    #[test]
    fn a_layer_of_words_says_what_tare_does_not_see() {
        let podman = of("podman", "kind=podman,processes=below", "runtime", "podman version 4.3.1");
        assert_eq!((podman.what.as_str(), podman.remark), ("podman 4.3.1", None));
        let bwrap = what("bwrap", "kind=bwrap", "runtime", "bubblewrap 0.8.0");
        assert_eq!(bwrap, "bubblewrap 0.8.0");
        let docker = of(
            "docker",
            "kind=docker,processes=elsewhere",
            "runtime",
            "Docker version 28.2.2, build e",
        );
        assert_eq!(docker.what, "docker 28.2.2");
        assert!(docker.remark.unwrap().text.raw().contains("not known"));
        let told = of("command", "kind=command,pids=p,processes=elsewhere", "runtime", "");
        assert_eq!((told.what.as_str(), told.remark), ("", None));
    }

    #[test]
    fn user_mode_linux_says_that_it_does_without_avx_where_it_does() {
        let told = |tunables: &str| {
            let hello = Hello { tunables: tunables.into(), ..Hello::default() };
            let known = Known { kind: "uml", settings: "", artifacts: &[], hello: Some(&hello) };
            Identity::of(known).remark.map(|remark| remark.text)
        };
        let text = told("glibc.cpu.hwcaps=-AVX,-AVX2").expect("a remark");
        assert!(text.raw().contains("without AVX") && text.raw().contains("AMX"), "{text:?}");
        assert_eq!(told(""), None);
        assert_eq!(told("glibc.malloc.arena_max=1"), None);
    }

    #[test]
    fn gvisor_says_its_platform_and_what_is_better() {
        let old = of("runsc", "kind=runsc", "runtime", "runsc version 0.0~20221219.0");
        assert_eq!(old.what, "gVisor 20221219, ptrace");
        let remark = old.remark.expect("a remark").text;
        assert!(
            remark.raw().contains("systrap") && remark.raw().contains("runtime=FILE"),
            "{remark:?}"
        );
        let new = of("runsc", "kind=runsc", "runtime", "runsc version release-20260914.0");
        assert_eq!((new.what.as_str(), new.remark), ("gVisor 20260914, systrap", None));
        let built = "runsc version v0.0.0-20260914223344-0123456789ab";
        assert_eq!(what("runsc", "kind=runsc", "runtime", built), "gVisor 20260914, systrap");
        assert_eq!(what("runsc", "platform=kvm", "runtime", built), "gVisor 20260914, kvm");
        assert_eq!(what("runsc", "kind=runsc", "runtime", "VERSION_MISSING"), "gVisor");
        let set = of("runsc", "platform=ptrace", "runtime", built);
        let remark = set.remark.expect("a remark").text;
        assert!(
            set.what.ends_with("ptrace") && remark.raw().contains("leave out platform"),
            "{remark:?}"
        );
        assert!(!remark.raw().contains("get a current"), "it is current: {remark:?}");
    }
}
