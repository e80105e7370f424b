//! The network family: both ends, and why there may be no other end.

mod probe;
mod without;

use probe::{Peer, Probe, program};
use std::io::{Read, Write};
use std::net::TcpStream;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use tare_proto::{FromProbe, Series};
use without::{Refused, refuse};

const ALL: [&str; 7] = [
    "net/tcp_send",
    "net/tcp_receive",
    "net/tcp_rr",
    "net/udp_rr",
    "net/lo_stream",
    "net/lo_tcp_rr",
    "net/lo_udp_rr",
];

fn series(probe: &mut Probe, bench: &str) -> Series {
    match probe.measure(bench) {
        FromProbe::Series(series) => series,
        other => panic!("{bench}: {other:?}"),
    }
}

fn reason(probe: &mut Probe, bench: &str) -> String {
    match probe.measure(bench) {
        FromProbe::Unavailable { why, .. } => why,
        other => panic!("{bench}: {other:?}"),
    }
}

fn counter(series: &Series, name: &str) -> Option<f64> {
    series.counters.iter().find(|counter| counter.name == name).map(|counter| counter.value)
}

#[test]
fn one_peer_serves_every_benchmark_again_and_again() {
    let mut probe = Probe::start("net-all");
    for bench in ALL.iter().chain(&ALL) {
        let measured = series(&mut probe, bench);
        assert!(measured.samples.iter().all(|value| *value > 0.0), "{bench}: {measured:?}");
        match bench.ends_with("_rr") {
            true => assert!(counter(&measured, "latency_ns/p50").unwrap() > 0.0, "{bench}"),
            false => assert!(counter(&measured, "bytes").unwrap() >= 8192.0, "{bench}"),
        }
        assert_eq!(counter(&measured, "lost").is_some(), bench.contains("udp"), "{bench}");
    }
}

#[test]
fn without_another_end_the_reason_is_given_and_the_inside_is_measured() {
    let without = |name: &str, told: Option<&str>| {
        Probe::start_as(name, |command| {
            command.env_remove("TARE_NET");
            told.map(|told| command.env("TARE_NET", told));
        })
    };
    let mut probe = without("net-none", None);
    assert!(reason(&mut probe, "net/tcp_rr").contains("was given no network"));
    series(&mut probe, "net/lo_tcp_rr");
    let mut probe = without("net-rights", Some("none: it needs root"));
    assert_eq!(reason(&mut probe, "net/udp_rr"), "it needs root");
    let mut probe = without("net-gone", Some("127.0.0.1:1/1"));
    let why = reason(&mut probe, "net/tcp_send");
    assert!(why.contains("127.0.0.1:1") && why.contains("refused"), "{why}");
}

#[test]
fn a_layer_without_sockets_is_a_hole() {
    let no_sockets = [Refused { call: libc::SYS_socket, mask: 0, error: libc::EAFNOSUPPORT }];
    let mut probe = Probe::start_as("net-sockets", |command| refuse(command, &no_sockets));
    assert!(reason(&mut probe, "net/tcp_rr").contains("cannot reach"));
    assert!(reason(&mut probe, "net/lo_stream").contains("no loopback interface"));
}

#[test]
fn a_stranger_is_not_served_and_does_not_disturb() {
    let peer = Peer::start();
    let address = peer.told.split('/').next().unwrap();
    let mut stranger = TcpStream::connect(address).unwrap();
    stranger.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
    let mut hello = [0; 16];
    hello[8] = 2; // to be sent messages
    stranger.write_all(&hello).unwrap();
    let mut answer = Vec::new();
    assert!(stranger.read_to_end(&mut answer).is_ok_and(|size| size == 0), "{}", answer.len());
    let mut probe = Probe::start_as("net-stranger", |command| {
        command.env("TARE_NET", &peer.told);
    });
    series(&mut probe, "net/tcp_receive");
}

#[test]
fn a_signal_ends_no_measurement() {
    // A process that was stopped finds its socket calls with a time limit interrupted (signal(7)).
    let mut probe = Probe::start("net-signals");
    let (pid, over) = (probe.id() as i32, AtomicBool::new(false));
    std::thread::scope(|scope| {
        scope.spawn(|| {
            while !over.load(Ordering::Relaxed) {
                for signal in [libc::SIGSTOP, libc::SIGCONT] {
                    // SAFETY: kill has no memory preconditions; the process is ours and not reaped.
                    unsafe { libc::kill(pid, signal) };
                    std::thread::sleep(Duration::from_micros(200));
                }
            }
        });
        let all: Vec<FromProbe> = ALL.iter().map(|bench| probe.measure_for(bench, 300)).collect();
        over.store(true, Ordering::Relaxed);
        for (bench, answer) in ALL.iter().zip(all) {
            assert!(matches!(answer, FromProbe::Series(_)), "{bench}: {answer:?}");
        }
    });
}

#[test]
fn a_peer_that_cannot_listen_says_so() {
    let peer = Peer::start();
    for (told, why) in [(peer.told.as_str(), "in use"), ("nowhere", "nowhere")] {
        let output = program().arg("peer").env("TARE_NET", told).output().unwrap();
        let says = String::from_utf8_lossy(&output.stdout).into_owned();
        assert!(says.contains(why) && !output.status.success(), "{says}");
    }
}
