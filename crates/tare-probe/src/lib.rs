//! All of the probe but its entry point: one static program that is PID 1 of a guest, a container's process or an ordinary
//! program, and measures what the host asks for. It is a library so that tests reach what needs no layer.

mod applets;
mod balloon;
mod bench;
mod benches;
mod budget;
mod cache;
mod call;
mod caught;
mod cli;
mod clock;
mod copies;
mod costs;
mod crew;
mod device;
#[cfg(target_arch = "x86_64")]
mod entry;
mod facts;
mod fork;
mod free;
mod handicap;
mod harness;
mod hello;
mod init;
mod inner;
mod interface;
mod latency;
mod mark;
mod memory;
mod modules;
mod numbers;
mod on_disk;
mod overhead;
mod peer;
mod perf;
mod process;
mod program;
mod sampling;
mod scratch;
mod serve;
mod service;
mod signals;
mod slices;
mod socket;
mod state;
mod sys;
mod trap;
mod turns;
mod unknown;
mod watch;
mod window;

use std::ffi::CStr;

const USAGE: &str = "\
tare-probe: measures one layer from inside, for tare

  tare-probe list [--json]    what it can measure
  tare-probe run NAME...      measure benchmarks (NAME@N: N copies) or suites and print
  tare-probe overhead         what its harness adds to an operation
  tare-probe repeat NAME N [less]
                              do the operation of a row N times, or what its value is corrected by
  tare-probe count PID MS     count what a running process does for MS milliseconds (what tare starts)
  tare-probe serve [FILE]     take requests on standard input, or FILE's (what tare starts)
  tare-probe serve --slower P the same, every timed loop P% longer: a difference to be found
  tare-probe hello            write one line, as the second process of a layer (what tare starts)
  tare-probe peer             be the other end of network benchmarks (what tare starts)
  tare-probe ask URL KEY=VALUE...
                              ask a service at a rate= for seconds= over connections= (what tare starts)
  tare-probe balloon qemu SOCKET BYTES BALLOON
  tare-probe balloon uml CONSOLE BALLOON
                              move the memory of a guest out and in (what tare starts)
  tare-probe stage AT DIR COMMAND...
                              become COMMAND, beside an overlay of DIR at AT/root (what tare starts)

As PID 1 of a guest it mounts what it needs, serves on the line that the kernel
argument tare.line=DEVICE names, and powers off when done.
";

/// The probe: what a program with these arguments does, and its exit code.
///
/// # Safety
/// `values` holds `count` pointers to NUL-terminated strings that live as long as the process, as the kernel passes them.
pub unsafe fn main(count: libc::c_int, values: *const *const libc::c_char) -> libc::c_int {
    if let Some(code) =
        applets::run(std::array::from_fn(|at| argument(count, values, at as libc::c_int)))
    {
        return code;
    }
    clock::note_main();
    signals::reset();
    // Not `std::env::args`: without Rust's entry point only glibc fills it.
    let args = (1..count).filter_map(|at| argument(count, values, at));
    let args: Vec<String> = args.map(|arg| arg.to_string_lossy().into_owned()).collect();
    let words: Vec<&str> = args.iter().map(String::as_str).collect();
    match words.as_slice() {
        ["list"] => cli::list(),
        ["list", "--json"] => cli::list_json(),
        ["run", names @ ..] if !names.is_empty() => cli::run(names),
        ["overhead"] => cli::overhead(),
        ["repeat", name, times] => cli::repeat(name, times, false),
        ["repeat", name, times, "less"] => cli::repeat(name, times, true),
        ["count", pid, ms] => program::operations::attached::main(pid, ms),
        ["hello"] => applets::hello(),
        ["peer"] => peer::main(),
        ["ask", url, words @ ..] => service::main(url, words),
        ["balloon", "qemu", socket, bytes, balloon] => balloon::host::qemu(socket, bytes, balloon),
        ["balloon", "uml", console, balloon] => balloon::host::uml(console, balloon),
        ["stage", mib, stage, lower, command @ ..] => {
            program::stage::main(mib, stage, lower, command)
        }
        ["serve"] => init::supervised(serve::on_stdio),
        ["serve", "--slower", percent] if handicap::set(percent) => {
            init::supervised(serve::on_stdio)
        }
        ["serve", plan] => init::supervised(|| serve::on_plan(plan)),
        ["-h" | "--help" | "help"] => cli::usage(),
        // Its arguments are words that its kernel does not know.
        words if init::is_first() => init::main(words),
        _ => {
            eprint!("{USAGE}");
            2
        }
    }
}

/// Argument `at` of those that the kernel passed.
fn argument<'a>(
    count: libc::c_int,
    values: *const *const libc::c_char,
    at: libc::c_int,
) -> Option<&'a CStr> {
    if at >= count {
        return None;
    }
    // SAFETY: `values` holds `count` pointers.
    let value = unsafe { values.wrapping_add(at as usize).read() };
    // SAFETY: each points to a NUL-terminated string that lives as long as the process.
    Some(unsafe { CStr::from_ptr(value) })
}
