//! What the kernel wrote, read: one event of one thread at one moment.

use crate::tracefs::{Field, Format};

/// Kinds of records (`linux/perf_event.h`).
const MAP: u32 = 1;
const LOST: u32 = 2;
const NAME: u32 = 3;
const FORK: u32 = 7;
const SAMPLE: u32 = 9;
const LOST_SAMPLES: u32 = 13;

/// The part of `misc` that says in which mode the CPU was, and its values for user mode and for a guest's two modes.
const MODE: u16 = 7;
const USER: [u16; 3] = [2, 4, 5];

/// Set in `misc` where a thread's new name is that of the program that it has become.
const EXEC: u16 = 1 << 13;

/// Most bytes of a mapped file's name.
const LONGEST_NAME: usize = 4096;

/// Bits of a tracepoint's flags: it was passed by an interrupt of a device (`TRACE_FLAG_HARDIRQ`).
const IN_INTERRUPT: u8 = 0x08;

/// An event of a thread.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Record {
    /// Nanoseconds of the monotonic clock.
    pub time: u64,
    /// Where.
    pub cpu: u32,
    /// The thread's process; 0 of an idle CPU.
    pub pid: u32,
    /// The thread.
    pub tid: u32,
    /// What.
    pub what: Happened,
}

/// What has happened.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Happened {
    /// A system call begins: its number.
    Call(u64),
    /// A system call ends.
    Return,
    /// The CPU goes from one thread to another.
    Switch {
        /// Who leaves it.
        from: u32,
        /// In which state, as the kernel has it; 0 when it could run on.
        state: u64,
        /// Who gets it; 0 when it becomes idle.
        to: u32,
    },
    /// The thread wakes another one.
    Waking {
        /// Whom.
        whom: u32,
        /// Whether a device's interrupt did it, and the thread was only there.
        interrupt: bool,
    },
    /// A signal is delivered: its number.
    Signal(i32),
    /// A page fault in user mode.
    Fault,
    /// A virtual machine is left: the reason's number.
    Exit(u32),
    /// Another event, by its place in the observer's table.
    Other(usize),
    /// The clock says where the CPU is.
    Clock {
        /// In user mode, or in a guest.
        user: bool,
        /// The address of its code.
        at: u64,
    },
    /// The thread's process becomes another program.
    Exec,
    /// A thread begins.
    Fork {
        /// Its process.
        pid: u32,
        /// Its own number.
        tid: u32,
    },
}

/// Code that a process maps.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mapping {
    /// When.
    pub time: u64,
    /// Who.
    pub pid: u32,
    /// Where, until before `end`.
    pub begin: u64,
    /// The end of it.
    pub end: u64,
    /// Where in the file it begins.
    pub offset: u64,
    /// The file's name, as the kernel tells it.
    pub file: String,
}

/// What a ring held.
#[derive(Debug, Default)]
pub(crate) struct Read {
    pub records: Vec<Record>,
    pub mappings: Vec<Mapping>,
    /// Records for which the kernel had no room.
    pub lost: u64,
}

/// A tracepoint that is read, and which fields of it.
pub(crate) struct Known {
    pub id: u64,
    pub reads: Reads,
}

/// How its records are read.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Reads {
    Call(Field),
    Return,
    Switch { from: Field, state: Field, to: Field },
    Waking(Field),
    Signal(Field),
    Fault,
    Exit(Field),
    Other(usize),
}

impl Reads {
    /// How records of the tracepoint `name` are read, if anybody knows.
    pub(crate) fn of(name: &str, format: &Format, place: usize) -> Option<Reads> {
        let field = |name: &str| format.field(name);
        Some(match name {
            "raw_syscalls/sys_enter" => Reads::Call(field("id")?),
            "raw_syscalls/sys_exit" => Reads::Return,
            "sched/sched_switch" => Reads::Switch {
                from: field("prev_pid")?,
                state: field("prev_state")?,
                to: field("next_pid")?,
            },
            "sched/sched_waking" => Reads::Waking(field("pid")?),
            "signal/signal_deliver" => Reads::Signal(field("sig")?),
            "exceptions/page_fault_user" => Reads::Fault,
            "kvm/kvm_exit" => Reads::Exit(field("exit_reason")?),
            _ => Reads::Other(place),
        })
    }

    fn read(self, raw: &[u8]) -> Option<Happened> {
        let number = |field: Field| field.of(raw);
        Some(match self {
            Reads::Call(id) => Happened::Call(u64::try_from(number(id)?).ok()?),
            Reads::Switch { from, state, to } => Happened::Switch {
                from: number(from)? as u32,
                state: number(state)? as u64,
                to: number(to)? as u32,
            },
            Reads::Waking(whom) => {
                let interrupt = raw.get(2)? & IN_INTERRUPT != 0;
                Happened::Waking { whom: number(whom)? as u32, interrupt }
            }
            Reads::Signal(number_of) => Happened::Signal(number(number_of)? as i32),
            Reads::Return => Happened::Return,
            Reads::Fault => Happened::Fault,
            Reads::Exit(reason) => Happened::Exit(number(reason)? as u32),
            Reads::Other(place) => Happened::Other(place),
        })
    }
}

/// Reads a ring's bytes.
pub(crate) fn read(bytes: &[u8], known: &[Known]) -> Read {
    let mut read = Read { records: Vec::with_capacity(bytes.len() / 88), ..Read::default() };
    let mut rest = bytes;
    while let Some((kind, misc, body, after)) = next(rest) {
        match kind {
            SAMPLE => read.records.extend(sample(misc, body, known)),
            FORK => read.records.extend(fork(body)),
            NAME if misc & EXEC != 0 => read.records.extend(exec(body)),
            MAP => read.mappings.extend(mapping(body)),
            LOST => read.lost += u64_at(body, 8).unwrap_or(1),
            LOST_SAMPLES => read.lost += u64_at(body, 0).unwrap_or(1),
            _ => {}
        }
        rest = after;
    }
    read
}

/// The first record: its kind, its `misc`, what is in it, and what follows; `None` at the end, or where the bytes make no sense.
fn next(bytes: &[u8]) -> Option<(u32, u16, &[u8], &[u8])> {
    let kind = u32_at(bytes, 0)?;
    let misc = u16_at(bytes, 4)?;
    let size: usize = u16_at(bytes, 6)?.into();
    if size < 8 || size > bytes.len() {
        return None;
    }
    Some((kind, misc, &bytes[8..size], &bytes[size..]))
}

/// A record that the group asked for: the code's address, process and thread, time, CPU, the tracepoint's data with its length.
fn sample(misc: u16, body: &[u8], known: &[Known]) -> Option<Record> {
    let (at, pid, tid) = (u64_at(body, 0)?, u32_at(body, 8)?, u32_at(body, 12)?);
    let (time, cpu) = (u64_at(body, 16)?, u32_at(body, 24)?);
    let length = u32_at(body, 32)? as usize;
    let raw = body.get(36..36 + length)?;
    let id = u16_at(raw, 0).unwrap_or(0);
    let of_tracepoint = known.iter().find(|one| one.id == u64::from(id) && id != 0);
    let what = match of_tracepoint {
        Some(one) => one.reads.read(raw)?,
        None => Happened::Clock { user: USER.contains(&(misc & MODE)), at },
    };
    Some(Record { time, cpu, pid, tid, what })
}

/// Process, parent, thread, parent's thread, time.
fn fork(body: &[u8]) -> Option<Record> {
    let (_, _, cpu) = end_of(body)?;
    Some(Record {
        time: u64_at(body, 16)?,
        cpu,
        pid: u32_at(body, 4)?,
        tid: u32_at(body, 12)?,
        what: Happened::Fork { pid: u32_at(body, 0)?, tid: u32_at(body, 8)? },
    })
}

/// What every record but a sample ends with: process and thread, time, CPU.
fn end_of(body: &[u8]) -> Option<(usize, u64, u32)> {
    let end = body.len().checked_sub(24)?;
    Some((end, u64_at(body, end + 8)?, u32_at(body, end + 16)?))
}

/// Process and thread, the new name.
fn exec(body: &[u8]) -> Option<Record> {
    let (_, time, cpu) = end_of(body)?;
    Some(Record { time, cpu, pid: u32_at(body, 0)?, tid: u32_at(body, 4)?, what: Happened::Exec })
}

/// Process and thread, address, length, offset in the file, the file's name.
fn mapping(body: &[u8]) -> Option<Mapping> {
    let (behind, time, _) = end_of(body)?;
    let (begin, length, offset) = (u64_at(body, 8)?, u64_at(body, 16)?, u64_at(body, 24)?);
    let name = body.get(32..behind)?.split(|byte| *byte == 0).next()?;
    let name = &name[..name.len().min(LONGEST_NAME)];
    let file = String::from_utf8_lossy(name).into_owned();
    let end = begin.checked_add(length)?;
    Some(Mapping { time, pid: u32_at(body, 0)?, begin, end, offset, file })
}

fn u16_at(bytes: &[u8], at: usize) -> Option<u16> {
    Some(u16::from_ne_bytes(bytes.get(at..at + 2)?.try_into().ok()?))
}

fn u32_at(bytes: &[u8], at: usize) -> Option<u32> {
    Some(u32::from_ne_bytes(bytes.get(at..at + 4)?.try_into().ok()?))
}

fn u64_at(bytes: &[u8], at: usize) -> Option<u64> {
    Some(u64::from_ne_bytes(bytes.get(at..at + 8)?.try_into().ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record(kind: u32, misc: u16, body: &[u8]) -> Vec<u8> {
        let size = (8 + body.len()) as u16;
        [&kind.to_ne_bytes()[..], &misc.to_ne_bytes(), &size.to_ne_bytes(), body].concat()
    }

    fn sample_of(raw: &[u8]) -> Vec<u8> {
        let length = raw.len() as u32;
        let place = 0x1234u64.to_ne_bytes();
        let thread = [7u32.to_ne_bytes(), 8u32.to_ne_bytes()].concat();
        let head = [&place[..], &thread, &99u64.to_ne_bytes()].concat();
        let cpu = [&1u32.to_ne_bytes()[..], &[0; 4], &length.to_ne_bytes(), raw].concat();
        [head, cpu].concat()
    }

    #[test]
    fn records_are_read_and_what_makes_no_sense_ends_them() {
        let known = [Known { id: 443, reads: Reads::Fault }];
        let fault = sample_of(&[0xbb, 1, 0, 0]);
        let clock = sample_of(&[0, 0, 0, 0]);
        let lost = [3u64.to_ne_bytes(), 41u64.to_ne_bytes()].concat();
        let thread = [7u32.to_ne_bytes(), 7u32.to_ne_bytes()].concat();
        let place = [0x1000u64, 0x2000, 0].map(u64::to_ne_bytes).concat();
        let end = [&thread[..], &44u64.to_ne_bytes(), &[0; 8]].concat();
        let all = [
            record(SAMPLE, 1, &fault),
            record(LOST, 0, &lost),
            record(77, 0, &[1; 16]),
            record(SAMPLE, 2, &clock),
            record(MAP, 0, &[&thread[..], &place, b"/bin/sh\0", &end].concat()),
            record(NAME, EXEC, &[&thread[..], b"sh\0\0\0\0\0\0", &end].concat()),
            record(NAME, 0, &[&thread[..], b"sh\0\0\0\0\0\0", &end].concat()),
            vec![9; 6],
        ]
        .concat();
        let Read { records, mappings, lost } = read(&all, &known);
        let what: Vec<Happened> = records.iter().map(|record| record.what).collect();
        let clock = Happened::Clock { user: true, at: 0x1234 };
        assert_eq!(what, [Happened::Fault, clock, Happened::Exec]);
        let expected = Mapping {
            time: 44,
            pid: 7,
            begin: 0x1000,
            end: 0x3000,
            offset: 0,
            file: "/bin/sh".into(),
        };
        assert_eq!(mappings, [expected]);
        assert_eq!(
            (records[0].pid, records[0].tid, records[0].time, records[0].cpu),
            (7, 8, 99, 1)
        );
        assert_eq!(lost, 41);
        for end in 0..all.len() {
            read(&all[..end], &known);
        }
    }
}
