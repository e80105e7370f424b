//! Every real layer boots, answers, and leaves nothing behind however it ends; as root and as an
//! ordinary user. A layer that is missing here fails the test.

mod layers_common;

use layers_common::endings::{self, every_ending, this_program};
use layers_common::words::{
    WORDS, WORDS_OF_USERS, every_row_that_is_tested_is_here, others_say_what_they_need,
};
use layers_common::{
    CURRENT_GVISOR, LONG, NOBODY, PLACE, Place, disk_reads, layer, net_transactions, null_call,
};
use nix::unistd::geteuid;
use std::fs;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::Duration;
use tare_layers::{Answer, Session};

const LAYERS: &[&str] = &["native", "runc", "crun", "runsc", CURRENT_GVISOR, "uml", "qemu"];

/// One test, in parts that follow each other: two guests at once would only disturb each other.
#[test]
fn layers_boot_answer_and_leave_nothing() {
    let place = Place::new();
    give_kernel(&place);
    for name in LAYERS.iter().chain(WORDS) {
        every_ending(&place, name, "");
    }
    every_row_that_is_tested_is_here();
    panic_is_readable(&place);
    kvm_boots_or_is_explained(&place, "kvm,disk=32M,net=user");
    kvm_boots_or_is_explained(&place, "kvm,vmm=qemu");
    if geteuid().is_root() {
        let mut again = this_program("as_user", &place);
        again.uid(NOBODY).gid(NOBODY);
        let status = again.stdout(Stdio::inherit()).stderr(Stdio::inherit()).status().unwrap();
        place.assert_clean("an ordinary user's boots");
        assert!(status.success(), "as an ordinary user: {status}");
    }
}

/// What the test above starts again as an ordinary user.
#[test]
fn as_user() {
    let Some(place) = std::env::var_os(PLACE) else { return };
    let place = Place::at(Path::new(&place));
    for name in LAYERS.iter().chain(WORDS_OF_USERS) {
        every_ending(&place, name, " as an ordinary user");
    }
    for name in WORDS.iter().filter(|name| !WORDS_OF_USERS.contains(name)) {
        others_say_what_they_need(&place, name);
    }
}

/// What the tests start again as the owner of a session, to kill it.
#[test]
fn owner() {
    endings::own();
}

fn panic_is_readable(place: &Place) {
    let layer = layer("uml,args=init=/none rdinit=/none");
    let mut session = place.start(&*layer, None).unwrap();
    let error = session.greet(LONG).unwrap_err();
    let why = layer.explain(&error, &session.console_tail()).why;
    assert!(why.contains("Kernel panic - not syncing"), "{why}");
    drop(session);
    place.assert_clean("a kernel that panics");
}

/// KVM is not required: few machines that run tests have it. Where it fails it must say why, under each monitor.
fn kvm_boots_or_is_explained(place: &Place, settings: &str) {
    let layer = layer(settings);
    let missing = match layer.check(&place.host) {
        Err(missing) => missing,
        Ok(()) => {
            let mut session = place.start(&*layer, None).unwrap();
            let Err(error) = session.greet(Duration::from_secs(15)) else {
                return if settings.contains("vmm=qemu") {
                    drop(session)
                } else {
                    has_no_devices(session)
                };
            };
            layer.explain(&error, &session.console_tail())
        }
    };
    assert!(missing.why.contains("/dev/kvm") && !missing.remedy.is_empty(), "{missing}");
    place.assert_clean("a virtual machine that did not come up");
}

/// What tare's own monitor lacks is said with what has it.
fn has_no_devices(mut session: Session) {
    match session.measure(&null_call(5, 2_000), LONG) {
        Ok(Answer::Series(series, _)) => {
            assert!(series.counters.iter().any(|counter| counter.name == "kvm/vmm_port_io"));
        }
        other => panic!("kvm: {other:?}"),
    }
    for request in [disk_reads(), net_transactions()] {
        let Ok(Answer::Unavailable(why)) = session.measure(&request, LONG) else {
            panic!("{} is no hole", request.bench)
        };
        assert!(why.contains("vmm=qemu"), "{why}");
    }
}

/// The kernel that an earlier run of this test has fetched, and the other way round.
fn give_kernel(place: &Place) {
    let kept = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("kernels");
    let cache = place.host.cache.join("kernels");
    copy_all(&kept, &cache);
    layer("qemu,disk=32M").check(&place.host).unwrap_or_else(|missing| panic!("qemu: {missing}"));
    copy_all(&cache, &kept);
}

fn copy_all(from: &Path, to: &Path) {
    for entry in fs::read_dir(from).into_iter().flatten().flatten() {
        fs::create_dir_all(to).unwrap();
        let copy = to.join(entry.file_name());
        match entry.file_type().unwrap().is_dir() {
            true => copy_all(&entry.path(), &copy),
            false => drop(fs::copy(entry.path(), copy).unwrap()),
        }
    }
}
