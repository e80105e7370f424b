//! Layers that are words: what runs when, what is undone however it ends, and what is said of what cannot be.

mod layers_common;

use layers_common::words::lines;
use layers_common::{LONG, Place, layer, null_call};
use std::fs;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;
use tare_layers::{Answer, Layer, Processes, Session, SessionError, Settings, configure};
use tare_proto::Machine;

const SOON: Duration = Duration::from_secs(20);

/// A layer of kind `command` with these settings, as a table of `tare.toml` gives them.
fn words(settings: &[(&str, &str)]) -> Box<dyn Layer> {
    let mut all = Settings::default();
    for (key, value) in [("name", "mine"), ("kind", "command")].iter().chain(settings) {
        all.set(key, value).unwrap();
    }
    configure(Machine::Real, &all).unwrap_or_else(|e| panic!("{e}")).2
}

fn measures(session: &mut Session) {
    match session.measure(&null_call(3, 2_000), LONG) {
        Ok(Answer::Series(series, _)) => assert!(!series.samples.is_empty()),
        other => panic!("{other:?}\n{}", session.console_tail()),
    }
}

#[test]
fn what_is_said_before_the_greeting_is_the_console() {
    let place = Place::new();
    let layer = words(&[
        ("start", "echo Welcome to {city}; echo 'tare is not tare1'; exec {probe} serve"),
        ("sh", "true"),
        ("city", "a b"),
    ]);
    let mut session = place.start(&*layer, None).unwrap();
    session.greet(LONG).unwrap();
    assert_eq!(session.console_tail(), "Welcome to a b\ntare is not tare1");
    measures(&mut session);
    assert!(session.footprint().is_some_and(|bytes| bytes > 100_000));
    assert_eq!(session.end(SOON).left, [""; 0]);
    place.assert_clean("a layer with a banner");
}

#[test]
fn words_that_end_and_say_nothing_are_told_what_they_must_do() {
    let place = Place::new();
    for start in ["sh -c ': {probe}'", "sh -c 'sleep 1000 & : {probe}'"] {
        let layer = words(&[("start", start)]);
        let mut session = place.start(&*layer, None).unwrap();
        let error = session.greet(LONG).unwrap_err();
        let said = layer.explain(&error, &session.console_tail());
        assert!(said.remedy.contains("stay until it ends"), "{said}");
        assert_eq!(session.end(SOON).left, [""; 0]);
    }
    place.assert_clean("words that end");
}

#[test]
fn stop_runs_after_every_ending_and_what_it_cannot_do_is_said() {
    let place = Place::new();
    let log = place.folder.join("log");
    let id = "{id}";
    let stop = format!("sh -c 'echo \"$1\" >>\"$2\"' sh {id} {}", log.display());
    let stopped = |start: &str, many: usize| {
        let layer = words(&[("start", start), ("stop", &stop)]);
        let begun = place.start(&*layer, None);
        let greeted = begun.and_then(|mut session| {
            let greeted = session.greet(LONG).map(drop);
            assert_eq!(session.end(SOON).left, [""; 0]);
            greeted
        });
        let said = lines(&log, many);
        assert!(said.len() == many && said[many - 1].starts_with("layers-test"), "{said:?}");
        place.assert_clean(start);
        greeted
    };
    stopped("{probe} serve", 1).unwrap();
    assert!(matches!(stopped("false {probe}", 2), Err(SessionError::Ended(_))));
    let layer =
        words(&[("start", "{probe} serve"), ("stop", "sh -c 'echo no such thing >&2; exit 1'")]);
    let mut session = place.start(&*layer, None).unwrap();
    session.greet(LONG).unwrap();
    let left = session.end(SOON).left;
    assert!(left.len() == 1 && left[0].contains("no such thing"), "{left:?}");
}

#[test]
fn what_boots_share_is_made_once_and_removed_with_the_layer() {
    let place = Place::new();
    let log = place.folder.join("log");
    let say =
        |what: &str| format!("sh -c 'echo {what} \"$1\" >>{}' sh {{campaign}}", log.display());
    let copy = place.folder.join("far");
    let push = format!("cp {{probe}} {}", copy.display());
    let finish = format!("{} {{hash}} && rm {}", say("finish"), copy.display());
    let layer = words(&[
        ("start", &format!("{} serve", copy.display())),
        ("prepare", &say("prepare")),
        ("push", &push),
        ("sh", "true"),
        ("finish", &finish),
    ]);
    for _ in 0..2 {
        let mut session = place.start(&*layer, None).unwrap();
        session.greet(LONG).unwrap();
        measures(&mut session);
        assert_eq!(session.end(SOON).left, [""; 0]);
    }
    assert!(copy.exists());
    drop(layer);
    let said = lines(&log, 2);
    assert!(said[0].starts_with("prepare ") && said[1].starts_with("finish "), "{said:?}");
    assert!(said.len() == 2 && !copy.exists(), "{said:?}");
    assert_eq!(said[0].split(' ').nth(1), said[1].split(' ').nth(1), "one campaign, one name");
    place.assert_clean("what boots share");
}

#[test]
fn what_cannot_be_prepared_is_said_and_undone() {
    let place = Place::new();
    let log = place.folder.join("log");
    let layer = words(&[
        ("start", "{probe} serve"),
        ("push", "sh -c 'echo the disk is full >&2; exit 1'"),
        ("finish", &format!("touch {}", log.display())),
    ]);
    let error = place.start(&*layer, None).err().expect("it cannot be pushed");
    assert!(error.to_string().contains("the disk is full"), "{error}");
    assert!(log.exists(), "half of it may be there");
    place.assert_clean("what could not be prepared");
}

#[test]
fn a_check_that_fails_says_what_it_said() {
    let place = Place::new();
    let layer =
        words(&[("start", "{probe} serve"), ("check", "sh -c 'echo no licence >&2; exit 1'")]);
    let missing = layer.check(&place.host).unwrap_err();
    assert!(missing.why.contains("no licence") && missing.remedy.contains("check="), "{missing}");
    let missing = words(&[("start", "no-such-sandbox {probe}")]).check(&place.host).unwrap_err();
    assert!(missing.why.contains("no-such-sandbox"), "{missing}");
}

#[test]
fn whoever_asks_for_a_password_is_told_that_nobody_answers() {
    let place = Place::new();
    let layer =
        words(&[("start", "printf 'root password: '; sleep 1000 # {probe}"), ("sh", "true")]);
    let mut session = place.start(&*layer, None).unwrap();
    let error = session.greet(Duration::from_millis(700)).unwrap_err();
    assert!(matches!(error, SessionError::NoGreeting(_)), "{error}");
    let said = layer.explain(&error, &session.console_tail());
    assert!(said.remedy.contains("asks for a password"), "{said}\n{}", session.console_tail());
    drop(session);
    place.assert_clean("a layer that asks for a password");
}

/// A daemon that starts what its client asks for, as docker's does. The end of a child interrupts its wait for the next client.
fn daemon(place: &Place) -> Child {
    let script = format!(
        "cd {}; mkfifo to from; while [ -p to ]; do read pid <to || continue
         sh -c '[ ! -f group ] || echo $$ >\"$(cat group)/cgroup.procs\"; exec {} serve' <in >from & echo $! >pid; done",
        place.folder.display(),
        place.host.probe.display()
    );
    let mut sh = Command::new("sh");
    let daemon =
        sh.args(["-c", &script]).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    let deadline = std::time::Instant::now() + SOON;
    while !place.folder.join("from").exists() {
        assert!(std::time::Instant::now() < deadline, "the daemon does not start");
        std::thread::sleep(Duration::from_millis(5));
    }
    daemon
}

#[test]
fn what_runs_behind_a_daemon_is_not_seen_unless_its_processes_are_named() {
    let place = Place::new();
    let folder = place.folder.display();
    let mut daemon = daemon(&place);
    // The client: both directions through the daemon's pipes.
    let client = format!(
        "cd {folder}; rm -f in; mkfifo in; echo go >to; cat <from & exec cat >in # {{probe}}"
    );
    let settings = [("start", client.as_str()), ("sh", "true"), ("processes", "elsewhere")];
    let mut session = place.start(&*words(&settings), None).unwrap();
    session.greet(LONG).unwrap();
    measures(&mut session);
    assert_eq!((session.footprint(), session.cpu_time(&Processes::now())), (None, None));
    assert!(session.out_of_sight().unwrap().contains("daemon"));
    drop(session);
    let pids = format!("cat {folder}/pid");
    let named = [&settings[..], &[("pids", pids.as_str())]].concat();
    let mut session = place.start(&*words(&named), None).unwrap();
    session.greet(LONG).unwrap();
    measures(&mut session);
    assert!(session.footprint().is_some_and(|bytes| bytes > 100_000));
    assert!(session.cpu_time(&Processes::now()).is_some() && session.out_of_sight().is_none());
    // They are somebody else's: nobody would let them go on if tare were killed.
    assert!(!session.stop_while_waiting(), "a daemon's processes are never stopped");
    measures(&mut session);
    drop(session);
    in_a_control_group(&place, &settings);
    daemon.kill().unwrap();
    daemon.wait().unwrap();
    place.assert_clean("a daemon's layer");
}

/// The daemon puts what it starts into a control group, as engines of containers do.
fn in_a_control_group(place: &Place, settings: &[(&str, &str)]) {
    let mounts = fs::read_to_string("/proc/mounts").unwrap();
    let mut groups = mounts.lines().map(|line| line.split(' ').collect::<Vec<_>>());
    let usable = |words: &Vec<&str>| words[2].starts_with("cgroup") && !words[3].contains("cpuset");
    let root = groups.find(usable).expect("control groups")[1].to_owned();
    let name = format!("command-test-{}", std::process::id());
    let folder = Path::new(&root).join(&name);
    fs::create_dir(&folder).unwrap();
    fs::write(place.folder.join("group"), folder.display().to_string()).unwrap();
    let told = [settings, &[("cgroup", "{group}"), ("group", name.as_str())]].concat();
    let mut session = place.start(&*words(&told), None).unwrap();
    session.greet(LONG).unwrap();
    let before = session.cpu_time(&Processes::now());
    assert!(before.is_some() && session.out_of_sight().is_none());
    let deadline = std::time::Instant::now() + SOON;
    while session.cpu_time(&Processes::now()) <= before {
        assert!(std::time::Instant::now() < deadline, "it has measured, and used nothing");
        measures(&mut session);
    }
    assert!(session.footprint().is_some_and(|bytes| bytes > 100_000));
    assert!(!session.stop_while_waiting(), "a daemon's processes are never stopped");
    drop(session);
    let deadline = std::time::Instant::now() + SOON;
    while fs::remove_dir(&folder).is_err() {
        assert!(std::time::Instant::now() < deadline, "{} stays", folder.display());
        std::thread::sleep(Duration::from_millis(10));
    }
    let nowhere = [settings, &[("cgroup", "/no/such/group")]].concat();
    fs::remove_file(place.folder.join("group")).unwrap();
    let mut session = place.start(&*words(&nowhere), None).unwrap();
    session.greet(LONG).unwrap();
    let why = session.out_of_sight().unwrap().to_owned();
    assert!(why.contains("cgroup=/no/such/group") && session.footprint().is_none(), "{why}");
}

#[test]
fn a_client_is_known_by_its_name() {
    let settings =
        Settings::parse("x,kind=command,start=ssh far /tmp/p serve,push=scp {probe} far:").unwrap();
    let (_, settings, _) = configure(Machine::Real, &settings).unwrap();
    assert_eq!(settings.get("processes"), Some("elsewhere"));
}

#[test]
fn a_machine_whose_serial_line_is_its_output_is_a_layer_of_words() {
    let place = Place::new();
    let layer = words(&[
        (
            "start",
            "qemu-system-x86_64 -accel tcg -m {memory} -smp {cpus} -display none -monitor none -serial stdio -no-reboot \
             -nodefaults -kernel {kernel} -initrd {initramfs} -append '{cmdline}'",
        ),
        ("kernel", &kernel()),
    ]);
    layer.check(&place.host).unwrap_or_else(|missing| panic!("{missing}"));
    let mut session = place.start(&*layer, None).unwrap();
    let greeted = session.greet(LONG);
    assert!(greeted.is_ok(), "{greeted:?}\n{}", session.console_tail());
    measures(&mut session);
    assert_eq!(session.end(SOON).left, [""; 0]);
    place.assert_clean("a machine of words");
}

/// A kernel that is there or that this test takes from its package once.
fn kernel() -> String {
    let cache = Path::new(env!("CARGO_TARGET_TMPDIR")).join("command-cache");
    let mut host = Place::new().host.clone();
    host.cache = cache;
    fs::create_dir_all(&host.cache).unwrap();
    layer("qemu").check(&host).unwrap_or_else(|missing| panic!("{missing}"));
    let folders = [Path::new("/boot").to_owned(), host.cache.join("kernels")];
    let files =
        folders.iter().flat_map(|folder| fs::read_dir(folder).into_iter().flatten().flatten());
    let mut names = files.map(|entry| entry.path().display().to_string());
    names.find(|name| name.contains("vmlinuz-")).expect("a kernel")
}
