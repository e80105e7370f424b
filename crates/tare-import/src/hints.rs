//! Outputs for people that are not read: the flag of the tool that gives the one that is.

/// A tool's text for people, and what to ask it for instead.
struct Hint {
    tool: &'static str,
    sniff: fn(&str) -> bool,
    flag: &'static str,
}

/// Every such text that is known.
const HINTS: &[Hint] = &[
    Hint {
        tool: "fio",
        sniff: |text| text.contains("IOPS=") && text.contains("BW=") && text.contains("clat"),
        flag: "fio --output-format=json",
    },
    Hint {
        tool: "iperf3",
        sniff: |text| {
            text.contains("[ ID] Interval")
                && (text.contains("Bitrate") || text.contains("Bandwidth"))
        },
        flag: "iperf3 --json",
    },
    Hint {
        tool: "perf stat",
        sniff: |text| text.contains("Performance counter stats for"),
        flag: "perf stat -x, -o FILE",
    },
    Hint {
        tool: "hyperfine",
        sniff: |text| text.contains("Benchmark ") && text.contains("Time (mean"),
        flag: "hyperfine --export-json FILE",
    },
];

/// What to do about a text that no format reads, where it is known what it is.
pub fn hint(text: &str) -> Option<String> {
    let Hint { tool, flag, .. } = HINTS.iter().find(|hint| (hint.sniff)(text))?;
    Some(format!(
        "this is the human-readable output of {tool}, which is rounded; import the output of {flag} instead"
    ))
}
