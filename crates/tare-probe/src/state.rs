//! What a layer holds in memory when it is saved, and what is asked of it afterwards. These requests are the host's own, for rows that
//! it measures around whole layers; no table of benchmarks has them.

use crate::bench::Refusal;
use crate::program::Talk;
use std::cell::RefCell;
use std::fs::{self, File};
use std::hint::black_box;
use std::io::Read;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};
use tare_proto::{MAX_SAMPLES, Request, Series, name_and_load};
use tare_proto::{STATE_COMMAND, STATE_FILL, STATE_IDENTITY, STATE_REQUEST, STATE_TOUCH};

/// Bytes of a page, and words of one.
const PAGE: usize = 4096;
const WORDS: usize = PAGE / 8;

/// Entries that a request looks up, each in a page of its own.
const LOOKED_UP: usize = 16;

thread_local! {
    /// What was prepared. The probe answers requests in one thread.
    static MEMORY: RefCell<Vec<u64>> = const { RefCell::new(Vec::new()) };
    /// The generator of the entries that requests look up; a copy of the layer has the same one.
    static NEXT: RefCell<u64> = const { RefCell::new(0x9e37_79b9_7f4a_7c15) };
    /// The program that answers requests in its place.
    static COMMAND: RefCell<Option<Talk>> = const { RefCell::new(None) };
}

/// What answers `request`, if it is one of these.
pub fn answer(request: &Request) -> Option<Result<Series, Refusal>> {
    let (name, load) = name_and_load(&request.bench);
    let begin = Instant::now();
    let mut note = String::new();
    let samples = match name {
        STATE_FILL => timed(|| fill(load as usize)),
        STATE_COMMAND => timed(|| start(request)),
        STATE_TOUCH => timed(touch),
        STATE_REQUEST => requests(request),
        STATE_IDENTITY => {
            note = identity();
            Ok(clocks())
        }
        _ => return None,
    };
    let elapsed_ns = begin.elapsed().as_nanos() as u64;
    let series =
        |samples| Series { id: request.id, samples, ops: 1, elapsed_ns, note, ..Series::default() };
    Some(samples.map(series))
}

/// The time of `work`, as the only sample.
fn timed(work: impl FnOnce() -> Result<(), Refusal>) -> Result<Vec<f64>, Refusal> {
    let begin = Instant::now();
    work()?;
    Ok(vec![begin.elapsed().as_nanos() as f64])
}

/// Starts the program of `request`, which has then answered once.
fn start(request: &Request) -> Result<(), Refusal> {
    let program = request.program.as_ref();
    let program = program.ok_or_else(|| Refusal::Failed("no program was named".into()))?;
    let talk = Talk::start(program)?;
    COMMAND.set(Some(talk));
    Ok(())
}

/// As many requests as are asked for, as long as there is time.
fn requests(request: &Request) -> Result<Vec<f64>, Refusal> {
    let late = Instant::now() + Duration::from_millis(request.limit_ms);
    let count = (request.samples as usize).clamp(1, MAX_SAMPLES);
    let mut samples = Vec::with_capacity(count);
    while samples.len() < count && (samples.is_empty() || Instant::now() < late) {
        samples.extend(timed(one_request)?);
    }
    Ok(samples)
}

fn one_request() -> Result<(), Refusal> {
    COMMAND.with_borrow_mut(|command| match command {
        Some(talk) => talk.ask(),
        None => {
            look_up();
            Ok(())
        }
    })
}

/// A number that follows from the last one (xorshift).
fn next(state: &mut u64) -> u64 {
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    *state
}

/// Writes so many MiB of numbers that no compression makes smaller.
fn fill(mebibytes: usize) -> Result<(), Refusal> {
    MEMORY.with_borrow_mut(|memory| {
        let mut state = 0x2545_f491_4f6c_dd1d;
        memory.clear();
        memory.resize_with(mebibytes.min(1 << 16) << 17, || next(&mut state));
    });
    Ok(())
}

/// Writes a word of each page.
fn touch() -> Result<(), Refusal> {
    MEMORY.with_borrow_mut(|memory| {
        memory.iter_mut().step_by(WORDS).for_each(|word| *word = black_box(!*word));
    });
    Ok(())
}

/// What a server with a warm cache does for a request: it reads some entries anywhere in it.
fn look_up() {
    MEMORY.with_borrow(|memory| {
        NEXT.with_borrow_mut(|state| {
            for _ in 0..LOOKED_UP {
                let at = next(state) as usize % memory.len().max(1);
                black_box(memory.get(at));
            }
        });
    });
}

/// The realtime clock in nanoseconds.
fn clocks() -> Vec<f64> {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    vec![now.as_nanos() as f64]
}

/// What should differ between copies of a layer: `random=... machine=... boot=... mac=...`, a dash for what there is not.
fn identity() -> String {
    let mut random = [0; 16];
    let drawn = File::open("/dev/urandom").and_then(|mut file| file.read_exact(&mut random));
    let random: String = random.iter().map(|byte| format!("{byte:02x}")).collect();
    let random = drawn.map_or("-".into(), |()| random);
    let machine = text("/etc/machine-id");
    let boot = text("/proc/sys/kernel/random/boot_id");
    let mut macs: Vec<String> = fs::read_dir("/sys/class/net")
        .into_iter()
        .flatten()
        .flatten()
        .filter(|entry| entry.file_name() != "lo")
        .map(|entry| text(&entry.path().join("address").display().to_string()))
        .collect();
    macs.sort();
    let mac = if macs.is_empty() { "-".into() } else { macs.join("+") };
    format!("random={random} machine={machine} boot={boot} mac={mac}")
}

/// What a file says, a dash where it says nothing.
fn text(path: &str) -> String {
    let text = fs::read_to_string(path).unwrap_or_default();
    let text: String = text.trim().chars().filter(|c| !c.is_whitespace()).take(64).collect();
    if text.is_empty() { "-".into() } else { text }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ask(bench: &str, samples: u32) -> Series {
        let bench = bench.into();
        let request = Request { id: 7, bench, samples, limit_ms: 60_000, ..Request::default() };
        answer(&request).unwrap().unwrap_or_else(|_| panic!("{} is refused", request.bench))
    }

    #[test]
    fn memory_is_prepared_touched_and_looked_up() {
        assert_eq!(ask(&format!("{STATE_FILL}@2"), 1).id, 7);
        let [before, after] = [0, 1].map(|_| {
            let sum = MEMORY.with_borrow(|memory| (memory.len(), memory[0], memory[1]));
            ask(STATE_TOUCH, 1);
            sum
        });
        assert_eq!((before.0, after.0), (2 << 17, 2 << 17));
        assert_eq!((before.1, before.2), (!after.1, after.2), "one word of a page");
        assert_eq!(ask(STATE_REQUEST, 1000).samples.len(), 1000);
    }

    #[test]
    fn nothing_prepared_is_nothing_to_look_up() {
        assert_eq!(ask(STATE_REQUEST, 1).samples.len(), 1);
        assert_eq!(ask(STATE_TOUCH, 1).samples.len(), 1);
    }

    #[test]
    fn two_draws_differ_and_the_clock_runs() {
        let [one, two] = [0, 1].map(|_| ask(STATE_IDENTITY, 1));
        assert_ne!(one.note, two.note);
        assert!(one.samples[0] <= two.samples[0]);
        let names: Vec<_> = one.note.split(' ').filter_map(|word| word.split('=').next()).collect();
        assert_eq!(names, ["random", "machine", "boot", "mac"]);
    }

    #[test]
    fn other_names_are_not_answered_here() {
        let request = Request { bench: "lmbench/null_call".into(), ..Request::default() };
        assert!(answer(&request).is_none());
    }
}
