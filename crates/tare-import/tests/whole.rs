//! Files as people have them: several systems in one, text for people, XML that is made to hurt.

mod common;

use common::{output, values};
use tare_import::{Parsed, find, hint, parse, recognise};

fn read(format: &str, text: &str) -> Result<Parsed, String> {
    parse(find(format).expect(format), text, "stem", "layer").map_err(|fault| fault.to_string())
}

#[test]
fn systems_one_after_the_other_are_not_pooled() {
    let [hv, pr, native] =
        ["hv", "pr", "native"].map(|name| output(&format!("unixbench-{name}.txt")));
    let whole =
        format!("Results\nNative\n{native}\nGuest HV (16 cores)\n{hv}\nGuest PR (16 cores)\n{pr}");
    let refused = read("unixbench", &whole).unwrap_err();
    let line = whole.lines().position(|line| line.starts_with("Guest HV")).unwrap() + 1;
    assert!(refused.starts_with(&format!("line {line}, ")), "{refused}");
    for part in ["Guest PR", "csplit FILE", "--layer A xx00 --layer B xx01"] {
        assert!(refused.contains(part), "no {part} in {refused}");
    }
    // Without titles the machines' own lines tell them apart.
    let other = native.replace("OS: GNU/Linux", "OS: GNU/Linux of another host");
    assert!(read("unixbench", &format!("{native}\n{other}")).is_err());
    let repeats = read("unixbench", &format!("{hv}{hv}")).unwrap();
    assert_eq!(values(&repeats, "unixbench-1-index/score").len(), 2);
    let titled = read("unixbench", &format!("Run 1\n{hv}\nRun 2\n{hv}")).unwrap();
    assert_eq!(values(&titled, "unixbench-1-index/score").len(), 2);
}

#[test]
fn streams_of_several_systems_are_not_pooled() {
    let [hv, pr] = ["hv", "pr"].map(|name| output(&format!("stream-{name}.txt")));
    let refused = read("stream", &format!("Guest HV\n{hv}\nGuest PR\n{pr}")).unwrap_err();
    assert!(refused.contains("Guest PR") && refused.contains("csplit"), "{refused}");
    let threads = |n: u32| format!("Number of Threads counted = {n}\n-------\n{hv}-------\n");
    assert!(read("stream", &(threads(1) + &threads(16))).is_err());
    assert_eq!(values(&read("stream", &threads(1).repeat(3)).unwrap(), "stream/copy").len(), 3);
    assert_eq!(values(&read("stream", &hv.repeat(2)).unwrap(), "stream/copy").len(), 2);
}

#[test]
fn hosts_of_lmbench_are_not_pooled() {
    let raw = |host: &str| {
        format!(
            "[lmbench3.0 results for Linux {host} 6.1]\n\nSimple syscall: 0.1700 microseconds\n"
        )
    };
    assert!(read("lmbench", &(raw("one") + &raw("two"))).unwrap_err().contains("csplit FILE 4;"));
    assert_eq!(
        values(&read("lmbench", &raw("one").repeat(2)).unwrap(), "lmbench/null_call").len(),
        2
    );
    let row = |host: &str, call: f64| {
        format!("{host:9} Linux 2.6.16- 2400 {call} 0.29 2.14 3.00 8.84 0.68 2.19 137. 536. 3204\n")
    };
    let head = "                 L M B E N C H  3 . 0   S U M M A R Y\n\n\
        Processor, Processes - times in microseconds - smaller is better\n\
        ------------------------------------------------------------------------------\n\
        Host                 OS  Mhz null null      open slct sig  sig  fork exec sh  \n\
        --------- ------------- ---- ---- ---- ---- ---- ---- ---- ---- ---- ---- ----\n";
    let summary = format!("{head}{}{}{}", row("one", 0.17), row("layer", 0.25), row("layer", 0.5));
    // The tests' layer is called "layer".
    let own = read("lmbench-summary", &summary).unwrap();
    assert_eq!(values(&own, "lmbench/null_call"), [250.0, 500.0]);
    let other = read("lmbench-summary", &summary.replace("layer", "third")).unwrap_err();
    assert!(other.contains("call the layer one of one, third"), "{other}");
}

#[test]
fn text_for_people_is_told_apart_and_the_flag_is_named() {
    let fio = "job: (g=0): rw=randread, bs=4096B\nfio-3.33\njob: (groupid=0, jobs=1): err= 0\n\
        \x20 read: IOPS=1000, BW=4000KiB/s (4096kB/s)(39.1MiB/10001msec)\n    clat (usec): min=1, max=9, avg=2\n";
    let iperf = "Connecting to host ::1, port 5201\n[ ID] Interval           Transfer     Bitrate         Retr\n\
        [  5]   0.00-1.00   sec  1.00 GBytes  8.59 Gbits/sec    0             sender\n";
    let perf = "\n Performance counter stats for 'true':\n\n              0.45 msec task-clock\n\
        \x20               50      page-faults\n\n       0.001 seconds time elapsed\n";
    let hyperfine = "Benchmark 1: true\n  Time (mean ± σ):       1.0 ms ±   0.1 ms    [User: 0.5 ms]\n\
        \x20 Range (min … max):     0.9 ms …   1.2 ms    500 runs\n";
    let flags = ["--output-format=json", "--json", "perf stat -x,", "--export-json"];
    for (text, flag) in [fio, iperf, perf, hyperfine].into_iter().zip(flags) {
        assert_eq!(recognise(text).map(|format| format.name), None, "{text}");
        assert!(hint(text).is_some_and(|hint| hint.contains(flag)), "{flag}: {:?}", hint(text));
    }
    assert_eq!(hint("Dear diary\n"), None);
}

#[test]
fn xml_of_any_depth_is_refused_and_not_followed() {
    let deep = |open: &str, close: &str| {
        let open = open.repeat(20_000);
        let close = close.repeat(20_000);
        format!("<PhoronixTestSuite>\n{open}{close}</PhoronixTestSuite>")
    };
    let tricks = [
        deep("<a>", "</a>"),
        deep("<a b=\"/>\">", "</a>"),
        deep("<a b='</a>'>", "</a>"),
        deep("<a><!-- </a> --><?x </a> ?><![CDATA[</a>]]>", "</a>"),
        deep("<a>", ""),
    ];
    for text in tricks {
        let refused = read("phoronix", &text).unwrap_err();
        assert!(refused.starts_with("line 2, ") && refused.contains("deeper"), "{refused}");
    }
    // Many beside each other are not deep; an end without a beginning is the reader's to tell.
    assert!(
        read(
            "phoronix",
            &format!("<PhoronixTestSuite>{}</PhoronixTestSuite>", "<a/>".repeat(20_000))
        )
        .is_err()
    );
    assert!(read("phoronix", &format!("{}{}", "</a>".repeat(9), "<a>".repeat(20_000))).is_err());
}
