//! A server that is asked at rates: its rows, the queue that a client which waits would not see, and the rate at which a bound breaks.

mod common;

use common::{Bench, flat, samples};
use std::fs;

/// Answers one request after the other, and none before 5 ms: it can answer 200 a second. It listens at the address that it is given.
const SERVER: &str = "
import asyncio, sys
lock = asyncio.Lock()
async def talk(reader, writer):
    while await reader.readuntil(b'\\r\\n\\r\\n'):
        async with lock:
            await asyncio.sleep(0.005)
        writer.write(b'HTTP/1.1 200 OK\\r\\nContent-Length: 2\\r\\n\\r\\nok')
async def main():
    async with await asyncio.start_server(talk, sys.argv[1], 8080) as server:
        await server.serve_forever()
asyncio.run(main())
";

#[test]
fn latencies_count_from_when_requests_were_due_and_the_knee_is_below_what_a_server_can_do() {
    let bench = Bench::new();
    bench.write("server.py", SERVER);
    let line = "run --layers native,runc --blocks 1 --warmup 0 --repeat 1 --name slow --out c \
                --service http://:8080/ --rate 50,400 --asks-for 1s --arrivals even --costs=cpu,wakeups";
    let done =
        bench.tare_with(line, &["--slo", "p50 < 50ms", "--", "python3", "server.py", "127.0.0.1"]);
    assert_eq!(done.code, 0, "{}\n{}", done.out, done.err);
    let campaign = bench.campaign("c");
    for layer in ["native", "runc"] {
        let of = |row: &str| {
            let found = samples(&campaign, row, layer).concat();
            assert!(!found.is_empty(), "{row} on {layer}\n{}", done.out);
            found
        };
        let (slow, overrun) = (of("program/slow.p50@50"), of("program/slow.p50@400"));
        assert!(slow.iter().all(|ns| *ns >= 5e6), "{slow:?}");
        // After half a second 200 requests were due, and 100 answers can have come: the next one waits for half a second.
        assert!(overrun.iter().all(|ns| *ns >= 400e6), "a queue grows: {overrun:?}");
        assert!(of("program/slow.cpu@50").iter().all(|ns| *ns > 0.0));
        // Of each request the server waits for its 5 ms. Its client and it wait for each other as well, unless the machine pauses:
        // then many requests are due together.
        let woken = of("program/slow.wakeups@50");
        assert!(woken.iter().all(|count| (1.0..30.0).contains(count)), "{woken:?}");
        assert!(of("program/slow.knee").iter().all(|rate| (1.0..400.0).contains(rate)));
    }
    assert!(done.out.contains("requests a second"), "{}", done.out);
    let page = fs::read_to_string(bench.path("c/report.html")).expect("a page");
    assert!(page.contains("requests a second"), "its curve counts them");
}

#[test]
fn a_service_is_asked_from_outside_over_the_network_of_each_layer() {
    let bench = Bench::new();
    bench.write("server.py", SERVER);
    let line = "run --layers native,runc,runsc,uml --blocks 1 --warmup 0 --repeat 1 --name slow --out c --client outside \
                --service http://:8080/ --rate 50,400 --asks-for 1s --arrivals even --costs=cpu";
    let done = bench.tare_with(line, &["--", "python3", "server.py", "0.0.0.0"]);
    assert_eq!(done.code, 0, "{}\n{}", done.out, done.err);
    let campaign = bench.campaign("c");
    for (layer, network) in
        [("native", "veth"), ("runc", "veth"), ("runsc", "veth"), ("uml", "tap")]
    {
        let settings = campaign.layers.iter().find(|row| row.name == layer).unwrap().settings.raw();
        assert!(settings.contains(&format!("net={network}")), "{settings}");
        for (row, least) in [("program/slow.p50@50", 5e6), ("program/slow.p50@400", 400e6)] {
            let found = samples(&campaign, row, layer).concat();
            assert!(!found.is_empty() && found.iter().all(|ns| *ns >= least), "{layer}: {found:?}");
        }
    }
    // The time of a run is shared by its rows on both clocks, or a layer's own clock would seem to be fast.
    let fast = campaign.series.iter().find(|row| row.probe_ns / 3 > row.host_ns / 2);
    assert!(fast.is_none_or(|row| row.host_ns == 0), "{fast:?}");
}

#[test]
fn a_service_that_cannot_be_asked_ends_the_campaign_before_it_begins() {
    let bench = Bench::new();
    bench.write("server.py", SERVER);
    let cases: &[(&[&str], i32, &str)] = &[
        (
            &["--service", "ftp://:21/", "--", "true"],
            1,
            "is neither http://:PORT/PATH, https://:PORT/PATH, h2c",
        ),
        (&["--service", "http://:9/", "--", "true"], 1, "nothing answers at 127.0.0.1:9"),
        (&["--service", "http://:80/", "--slo", "fast", "--", "true"], 2, "a quantile and a time"),
        (&["--service", "http://:80/", "--rate", "1", "--", "true"], 2, "too few for a quantile"),
        (&["--rate", "1", "--", "true"], 2, "--service"),
        (
            &["--service", "http://:80/", "--slo", "p99<9ms", "--costs", "--", "true"],
            2,
            "add --rate",
        ),
        (
            &[
                "--layer",
                "name=same,kind=native,net=host",
                "--baseline",
                "same",
                "--service",
                "http://:80/",
                "--client",
                "outside",
                "--",
                "true",
            ],
            1,
            "cannot open connections to the layer on this network",
        ),
        (
            &[
                "--service",
                "http://:8080/",
                "--client",
                "outside",
                "--",
                "python3",
                "server.py",
                "127.0.0.1",
            ],
            1,
            "is not reached from outside, let it listen at 0.0.0.0",
        ),
    ];
    for (words, code, why) in cases {
        let line = "run --layers native --blocks 1 --timeout 3s --out c";
        let done = bench.tare_with(line, words);
        assert_eq!(done.code, *code, "{words:?}: {}", done.err);
        assert!(flat(&done.err).contains(why), "{words:?}: {}", done.err);
        assert!(!bench.path("c").exists(), "{words:?}");
    }
}
