//! The output of `strace -f -y` (or `-yy`): one call a line, with what its descriptors are.

use super::Trace;
use crate::Fault;
use std::collections::HashMap;
use tare_proto::{CallClass, call_class, transfer_class, transfer_kind};

/// Most threads that may be in a call at once.
const MOST_THREADS: usize = 100_000;

/// The beginnings of calls that go on in a later line, by thread.
type Unfinished<'a> = HashMap<&'a str, &'a str>;

pub(super) fn read(text: &str) -> Result<Trace, Fault> {
    let mut trace = Trace { lacks: "page faults", ..Trace::default() };
    let mut unfinished = Unfinished::new();
    for (at, line) in text.lines().enumerate() {
        let (thread, rest) = thread(line);
        let rest = without_time(rest);
        if rest.is_empty() || rest.starts_with("---") || rest.starts_with("+++") {
            continue;
        }
        let whole = match whole(thread, rest, &mut unfinished) {
            Some(whole) => whole,
            None => continue,
        };
        let fault = |why: &str| Fault::at(at + 1, 1 + line.len() - rest.len(), why);
        let Some(call) = Call::read(&whole) else {
            return Err(fault("no system call as strace writes it"));
        };
        add(&mut trace, &call).map_err(fault)?;
    }
    match trace.calls.is_empty() {
        true => Err(Fault::at(1, 1, "neither a trace of strace nor a summary of perf trace -s")),
        false => Ok(trace),
    }
}

/// The thread that a line is of, and the rest: `[pid 12] `, `12 ` or nothing.
fn thread(line: &str) -> (&str, &str) {
    let line = line.trim();
    if let Some((pid, rest)) = line.strip_prefix("[pid").and_then(|rest| rest.split_once(']')) {
        return (pid.trim(), rest.trim_start());
    }
    match line.split_once(char::is_whitespace) {
        Some((pid, rest)) if pid.bytes().all(|byte| byte.is_ascii_digit()) => {
            (pid, rest.trim_start())
        }
        _ => ("", line),
    }
}

/// Without the time of day or the seconds that `-t`, `-tt`, `-ttt` and `-r` write first.
fn without_time(line: &str) -> &str {
    let is_time = |word: &str| {
        word.contains(['.', ':']) && word.bytes().all(|b| b.is_ascii_digit() || b".:".contains(&b))
    };
    match line.split_once(char::is_whitespace) {
        Some((first, rest)) if is_time(first) => rest.trim_start(),
        _ => line,
    }
}

/// A whole call from `line`, if it ends there.
fn whole<'a>(thread: &'a str, line: &'a str, unfinished: &mut Unfinished<'a>) -> Option<String> {
    if let Some(begin) = line.strip_suffix("<unfinished ...>") {
        if unfinished.len() < MOST_THREADS {
            unfinished.insert(thread, begin.trim_end());
        }
        return None;
    }
    match line.strip_prefix("<... ").and_then(|rest| rest.split_once("resumed>")) {
        Some((_, end)) => unfinished.remove(thread).map(|begin| format!("{begin}{end}")),
        None => Some(line.to_owned()),
    }
}

struct Call<'a> {
    name: &'a str,
    args: Vec<&'a str>,
    result: &'a str,
}

impl Call<'_> {
    fn read(text: &str) -> Option<Call<'_>> {
        let (name, rest) = text.split_once('(')?;
        let fine = |c: char| c.is_ascii_alphanumeric() || c == '_';
        if name.is_empty() || !name.chars().all(fine) {
            return None;
        }
        // A call that never returned (exit) has a question mark, or no result at all.
        let (args, result) = rest.rsplit_once(" = ").unwrap_or((rest, "?"));
        let args = args.trim_end();
        let args = args.strip_suffix(')').unwrap_or(args);
        Some(Call { name, args: split(args), result: result.trim() })
    }

    fn arg(&self, place: usize) -> &str {
        self.args.get(place).copied().unwrap_or("")
    }

    /// What it returned, as a number; none where it failed.
    fn number(&self) -> Option<f64> {
        let word = self.result.split([' ', '<']).next()?;
        word.parse().ok().filter(|number| *number >= 0.0)
    }

    /// Components of the path in an argument; none where that is no path.
    fn components(&self, place: usize) -> Option<usize> {
        let path = self.arg(place).strip_prefix('"')?;
        let path = path.trim_end_matches('.').trim_end_matches('"');
        Some(path.split('/').filter(|name| !name.is_empty()).count())
    }
}

/// Arguments, which commas divide outside of quotes and brackets.
fn split(text: &str) -> Vec<&str> {
    let (mut args, mut begin, mut depth, mut quoted, mut escaped) =
        (Vec::new(), 0, 0i32, false, false);
    for (at, byte) in text.bytes().enumerate() {
        match byte {
            _ if escaped => escaped = false,
            b'\\' => escaped = true,
            b'"' => quoted = !quoted,
            b'[' | b'{' | b'(' if !quoted => depth += 1,
            b']' | b'}' | b')' if !quoted => depth -= 1,
            b',' if !quoted && depth == 0 => {
                args.push(text[begin..at].trim());
                begin = at + 1;
            }
            _ => {}
        }
    }
    args.push(text[begin..].trim());
    args
}

/// What a descriptor is, as `-y` writes it: `3</etc/passwd>`.
fn descriptor(word: &str) -> Option<&str> {
    word.split_once('<').map(|(_, name)| name.trim_end_matches('>'))
}

fn add(trace: &mut Trace, call: &Call) -> Result<(), &'static str> {
    trace.saw(call.name);
    let bytes = call.number().unwrap_or(0.0);
    match call_class(call.name) {
        CallClass::One(class) => trace.add(class, 1.0),
        CallClass::Path(class, place) => path(trace, call, class, place),
        CallClass::Open(place) => {
            let makes = call.args.iter().any(|arg| arg.contains("O_CREAT"));
            path(trace, call, if makes { "create" } else { "open" }, place);
        }
        CallClass::Transfer(way) | CallClass::TransferOfResult(way) => {
            let failed =
                "the trace does not say what its descriptors are: take it with strace -f -y";
            let kind = transfer_kind(descriptor(call.arg(0)).ok_or(failed)?);
            let class = transfer_class(kind, way);
            trace.add(class, 1.0);
            trace.add_bytes(class, bytes);
        }
        CallClass::Sized(class) => {
            trace.add(class, 1.0);
            trace.add_bytes(class, bytes);
        }
        CallClass::Included => starts(trace, call),
        CallClass::Close(_) | CallClass::CloseMany => {}
        CallClass::Unknown => trace.add_unknown(1.0),
    }
    Ok(())
}

fn path(trace: &mut Trace, call: &Call, class: &'static str, place: usize) {
    match call.components(place) {
        _ if call.result.contains("ENOENT") => trace.add("lookup_miss", 1.0),
        // An empty path is of the descriptor itself.
        Some(0) | None => trace.add("descriptor", 1.0),
        Some(components) => trace.add_paths(class, components as f64, 1.0),
    }
}

fn starts(trace: &mut Trace, call: &Call) {
    let flag = |name: &str| call.args.iter().any(|arg| arg.contains(name));
    let fine = call.number().is_some();
    match call.name {
        _ if !fine => {}
        "execve" | "execveat" => trace.add("exec", 1.0),
        "vfork" => trace.add("spawn", 1.0),
        "fork" | "clone" | "clone3" => trace.add(
            match () {
                () if flag("CLONE_THREAD") => "thread",
                () if flag("CLONE_VFORK") => "spawn",
                () => "fork",
            },
            1.0,
        ),
        _ => {}
    }
}
