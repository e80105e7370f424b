//! The probe: one static program that is PID 1 of a guest, a container's process or an ordinary
//! program, and measures what the host asks for.
#![no_main] // see `main`

mod applets;
mod bench;
mod benches;
mod clock;
mod facts;
mod harness;
mod hello;
mod init;
mod scratch;
mod serve;
mod sys;

const USAGE: &str = "\
tare-probe: measures one layer from inside, for tare

  tare-probe list [--json]    what it can measure
  tare-probe run NAME...      measure by hand and print
  tare-probe serve            take requests on standard input (what tare starts)

As PID 1 of a guest it mounts what it needs, serves on the line that the kernel
argument tare.line=DEVICE names, and powers off when done.
";

/// The C entry point, not Rust's: an exec'd child (see [`applets`]) must cost what an empty static
/// program costs, without the Rust runtime's own system calls before `main`.
#[unsafe(no_mangle)]
extern "C" fn main(_argc: libc::c_int, _argv: *const *const libc::c_char) -> libc::c_int {
    let mut args = std::env::args_os().map(|arg| arg.to_string_lossy().into_owned());
    let program = args.next().unwrap_or_default();
    let args: Vec<String> = args.collect();
    if let Some(code) = applets::run(&program, &args) {
        return code;
    }
    let words: Vec<&str> = args.iter().map(String::as_str).collect();
    match words.as_slice() {
        ["list"] => by_hand::list(),
        ["list", "--json"] => by_hand::list_json(),
        ["run", names @ ..] if !names.is_empty() => by_hand::run(names),
        ["serve"] => init::supervised(serve::on_stdio),
        ["-h" | "--help" | "help"] => by_hand::usage(),
        [] if init::is_guest() => init::main(),
        _ => {
            eprint!("{USAGE}");
            2
        }
    }
}

/// What a person at a shell asks for; the only place beside the protocol that prints.
mod by_hand {
    use crate::{bench, benches, harness};
    use tare_proto::Request;

    pub fn usage() -> i32 {
        print!("{}", super::USAGE);
        0
    }

    pub fn list() -> i32 {
        for bench in benches::ALL {
            println!("{:24} {}", bench.name, bench.about);
        }
        0
    }

    /// `{"suites": [SuiteInfo], "benches": [BenchInfo]}`.
    pub fn list_json() -> i32 {
        let benches: Vec<_> = benches::ALL.iter().map(|b| b.info()).collect();
        let suites: Vec<_> = benches::SUITES.iter().map(bench::Suite::info).collect();
        println!("{}", serde_json::json!({ "suites": suites, "benches": benches }));
        0
    }

    pub fn run(names: &[&str]) -> i32 {
        let mut code = 0;
        for name in names {
            match measure(name) {
                Ok(line) => println!("{name:24} {line}"),
                Err(why) => {
                    eprintln!("tare-probe: {name}: {why}");
                    code = 1;
                }
            }
        }
        code
    }

    fn measure(name: &str) -> Result<String, String> {
        let bench = benches::find(name)
            .ok_or("no such benchmark; 'tare-probe list' names them all".to_owned())?;
        let request = Request {
            id: 0,
            bench: name.to_owned(),
            samples: bench.samples,
            batch_ns: 5_000_000,
            limit_ms: 10_000,
        };
        let series = harness::measure(bench, &request).map_err(|refusal| refusal.to_string())?;
        let mut sorted = series.samples.clone();
        sorted.sort_by(f64::total_cmp);
        let unit = bench.unit.symbol();
        let (low, middle) = (sorted[0], sorted[sorted.len() / 2]);
        let high = sorted[sorted.len() - 1];
        Ok(format!(
            "{middle:12.2} {unit}  [{low:.2} .. {high:.2}]  {} x {} operations, loop {:.2} ns, subtracted {:.2}",
            series.samples.len(),
            series.ops,
            series.loop_ns,
            series.subtracted,
        ))
    }
}
