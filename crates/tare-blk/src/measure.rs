//! One measurement: a back end, its disks, a load for a while; bandwidth, CPU time of both ends, latencies.

use crate::device::Medium;
use crate::error::Error;
use crate::front::{
    Bare, Disk, Effort, Load, Phase, Tally, Wanted, Way, connect, drive, latencies,
};
use crate::outcome::Outcome;
use crate::process::{Process, cpu_of, own_cpu, peer};
use crate::settings::{Lock, SECTOR, Settings, Source};
use nix::unistd::Pid;
use std::ffi::OsString;
use std::os::unix::net::UnixStream;
use std::path::PathBuf;
use std::sync::Mutex;
use std::thread;
use std::time::{Duration, Instant};

/// Nobody waits longer than this for a request or a word of the other end.
pub const PATIENCE: Duration = Duration::from_secs(10);

/// What answers at the other end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Back {
    /// Nobody: the device is asked directly.
    Bare,
    /// This crate's back end; the words that start it, before its settings.
    Ours(Vec<OsString>),
    /// QEMU's, which needs its qemu-storage-daemon.
    Qemu,
    /// Whoever listens at this socket.
    Socket(PathBuf),
}

/// What is measured.
#[derive(Clone, Debug)]
pub struct Point {
    /// What answers.
    pub back: Back,
    /// The device, and what is negotiated.
    pub settings: Settings,
    /// Disks, each with a load.
    pub disks: u16,
    /// Bytes of a request.
    pub block: u32,
    /// Requests of a queue at a time.
    pub depth: u16,
    /// Whether it writes.
    pub write: bool,
    /// How long it is measured, after a fifth of that to warm up.
    pub time: Duration,
}

/// Measures one point.
///
/// # Errors
/// What either end refuses, a back end that ends or stops answering: never a hang, and never half a result.
pub fn measure(point: &Point) -> Result<Outcome, Error> {
    point.settings.check()?;
    let block = u64::from(point.block);
    if block == 0
        || !block.is_multiple_of(SECTOR)
        || block > 64 << 20
        || point.depth == 0
        || point.disks == 0
    {
        return Err(Error::Setting(format!(
            "a load is at least one request of a multiple of {SECTOR} bytes, up to 64 MiB, on at least one disk"
        )));
    }
    match &point.back {
        Back::Bare => run(point, bare(point)?, || Ok(None)),
        Back::Socket(name) => {
            let what = format!("connecting to {}", name.display());
            let socket = UnixStream::connect(name).map_err(Error::system(what))?;
            let other: Option<Pid> = peer(&socket);
            let disk = connect(socket, &wanted(point), PATIENCE)?;
            run(point, disk.queues.into_iter().map(boxed).collect(), || {
                other.map(cpu_of).transpose()
            })
        }
        Back::Ours(words) => of_process(point, |sockets| ours(point, words, sockets)),
        Back::Qemu if point.settings.device != Source::Null => {
            Err(Error::Setting("QEMU's back end is measured on a null device only".into()))
        }
        Back::Qemu => of_process(point, |sockets| qemu(point, sockets)),
    }
}

/// Starts a back end, measures it and ends it.
fn of_process(
    point: &Point,
    words: impl FnOnce(&[i32]) -> Vec<OsString>,
) -> Result<Outcome, Error> {
    let (process, sockets) = Process::start(point.disks, words)?;
    let measured = driven(point, &process, sockets);
    let says = process.end();
    measured.map_err(|failure| match says.is_empty() {
        true => failure,
        false => Error::Back { failure: Box::new(failure), says },
    })
}

fn driven(point: &Point, process: &Process, sockets: Vec<UnixStream>) -> Result<Outcome, Error> {
    let wanted = wanted(point);
    let disks = sockets
        .into_iter()
        .map(|socket| connect(socket, &wanted, PATIENCE))
        .collect::<Result<Vec<Disk>, Error>>()?;
    let queues = disks.into_iter().flat_map(|disk| disk.queues).map(boxed).collect();
    run(point, queues, || process.cpu().map(Some))
}

type Queue = (Box<dyn Way + Send>, Load);

fn boxed((way, load): (impl Way + Send + 'static, Load)) -> Queue {
    (Box::new(way), load)
}

fn wanted(point: &Point) -> Wanted {
    let load = load(point, 0, 0);
    Wanted { ring: point.settings.ring, queues: point.settings.queues, load }
}

fn load(point: &Point, from: u64, to: u64) -> Load {
    let block = point.block;
    let depth = usize::from(point.depth);
    let write = point.write;
    Load { block, depth, write, from, to }
}

/// The same devices without a ring, a queue each.
fn bare(point: &Point) -> Result<Vec<Queue>, Error> {
    let one = |_| {
        let medium = Medium::open(&point.settings)?;
        let end = medium.capacity() - medium.capacity() % u64::from(point.block);
        if end == 0 {
            return Err(Error::Setting("the disk is smaller than a request".into()));
        }
        let load = load(point, 0, end);
        let device = medium.queue(u32::from(point.depth))?;
        Ok(boxed((Bare::new(device, load)?, load)))
    };
    (0..point.disks).map(one).collect()
}

/// Drives all queues, and counts between two looks at the clocks.
fn run(
    point: &Point,
    queues: Vec<Queue>,
    back: impl Fn() -> Result<Option<Duration>, Error>,
) -> Result<Outcome, Error> {
    let phase = Phase::default();
    let global = Mutex::new(());
    let own: Vec<Mutex<()>> = (0..point.disks).map(|_| Mutex::new(())).collect();
    let per_disk = queues.len().div_ceil(usize::from(point.disks));
    let held = |queue: usize| match point.settings.lock {
        Lock::None => None,
        Lock::Device => own.get(queue / per_disk),
        Lock::Global => Some(&global),
    };
    thread::scope(|scope| {
        let threads: Vec<_> = queues
            .into_iter()
            .enumerate()
            .map(|(queue, (mut way, load))| {
                let phase = &phase;
                let held = held(queue);
                scope.spawn(move || drive(&mut *way, &load, phase, held, PATIENCE))
            })
            .collect();
        let clocks = between(&phase, point.time, &back);
        phase.end();
        let tallies = threads
            .into_iter()
            .map(|thread| thread.join().expect("a driver does not panic"))
            .collect::<Result<Vec<Tally>, Error>>();
        // A driver that failed knows more than the clocks of a process that has ended.
        let tallies = tallies?;
        Ok(outcome(point, &tallies, &clocks?))
    })
}

struct Clocks {
    wall: Duration,
    front: Duration,
    back: Option<Duration>,
}

fn between(
    phase: &Phase,
    time: Duration,
    back: &impl Fn() -> Result<Option<Duration>, Error>,
) -> Result<Clocks, Error> {
    sleep(phase, time / 5);
    let wall = Instant::now();
    let front = own_cpu()?;
    let other = back()?;
    phase.measure();
    sleep(phase, time);
    let passed = wall.elapsed();
    phase.end();
    let back = other.zip(back()?).map(|(before, after)| after.saturating_sub(before));
    Ok(Clocks { wall: passed, front: own_cpu()?.saturating_sub(front), back })
}

/// Sleeps, but not on after a queue has failed.
fn sleep(phase: &Phase, time: Duration) {
    let until = Instant::now() + time;
    while !phase.over() {
        let left = until.saturating_duration_since(Instant::now());
        if left.is_zero() {
            break;
        }
        thread::sleep(left.min(Duration::from_millis(20)));
    }
}

fn outcome(point: &Point, tallies: &[Tally], clocks: &Clocks) -> Outcome {
    let requests: u64 = tallies.iter().map(|tally| tally.requests).sum();
    let effort = tallies.iter().fold(Effort::default(), |all, tally| all.and(tally.effort));
    let mut latency = latencies();
    for tally in tallies {
        latency.add(&tally.latency).expect("histograms of the same bounds");
    }
    let bytes = requests * u64::from(point.block);
    let per_gb = |time: Duration| time.as_secs_f64() / (bytes as f64 / 1e9);
    let per_request = |count: u64| count as f64 / requests as f64;
    Outcome {
        requests,
        bytes,
        seconds: clocks.wall.as_secs_f64(),
        bandwidth: bytes as f64 / clocks.wall.as_secs_f64(),
        front_cpu_s_per_gb: per_gb(clocks.front),
        back_cpu_s_per_gb: clocks.back.map(per_gb),
        latency_us: [0.5, 0.95, 0.99, 0.999]
            .map(|part| latency.value_at_quantile(part) as f64 / 1e3),
        sent_per_request: per_request(effort.sent),
        kicks_per_request: per_request(effort.kicks),
    }
}

/// The command line of this crate's back end.
fn ours(point: &Point, words: &[OsString], sockets: &[i32]) -> Vec<OsString> {
    let settings = &point.settings;
    let mut line = words.to_vec();
    line.extend(settings.words().into_iter().map(OsString::from));
    line.extend(sockets.iter().map(|socket| OsString::from(format!("--listen-fd={socket}"))));
    line
}

/// The command line of QEMU's, with a null device.
fn qemu(point: &Point, sockets: &[i32]) -> Vec<OsString> {
    let bytes = point.settings.mebibytes << 20;
    let mut line = vec![OsString::from("qemu-storage-daemon")];
    for (disk, socket) in sockets.iter().enumerate() {
        let queues = point.settings.queues;
        line.extend(
            [
                "--blockdev".into(),
                format!("null-co,node-name=n{disk},size={bytes},read-zeroes=off"),
                "--export".into(),
                format!(
                    "vhost-user-blk,id=e{disk},node-name=n{disk},num-queues={queues},writable=on,addr.type=fd,addr.str={socket}"
                ),
            ]
            .map(OsString::from),
        );
    }
    line
}
