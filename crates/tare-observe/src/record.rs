//! What the kernel wrote, read: one event of one thread at one moment.

use crate::tracefs::{Field, Format};

/// Kinds of records (`linux/perf_event.h`).
const LOST: u32 = 2;
const FORK: u32 = 7;
const SAMPLE: u32 = 9;
const LOST_SAMPLES: u32 = 13;

/// The part of `misc` that says in which mode the CPU was, and its values for user mode and for a guest's two modes.
const MODE: u16 = 7;
const USER: [u16; 3] = [2, 4, 5];

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
    },
    /// A thread begins.
    Fork {
        /// Its process.
        pid: u32,
        /// Its own number.
        tid: u32,
    },
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

/// Reads a ring's bytes: the records, and how many the kernel had no room for.
pub(crate) fn read(bytes: &[u8], known: &[Known]) -> (Vec<Record>, u64) {
    let mut records = Vec::with_capacity(bytes.len() / 80);
    let mut lost = 0;
    let mut rest = bytes;
    while let Some((kind, misc, body, after)) = next(rest) {
        match kind {
            SAMPLE => records.extend(sample(misc, body, known)),
            FORK => records.extend(fork(body)),
            LOST => lost += u64_at(body, 8).unwrap_or(1),
            LOST_SAMPLES => lost += u64_at(body, 0).unwrap_or(1),
            _ => {}
        }
        rest = after;
    }
    (records, lost)
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

/// A record that the group asked for: process and thread, time, CPU, the tracepoint's data with its length.
fn sample(misc: u16, body: &[u8], known: &[Known]) -> Option<Record> {
    let (pid, tid) = (u32_at(body, 0)?, u32_at(body, 4)?);
    let (time, cpu) = (u64_at(body, 8)?, u32_at(body, 16)?);
    let length = u32_at(body, 24)? as usize;
    let raw = body.get(28..28 + length)?;
    let id = u16_at(raw, 0).unwrap_or(0);
    let of_tracepoint = known.iter().find(|one| one.id == u64::from(id) && id != 0);
    let what = match of_tracepoint {
        Some(one) => one.reads.read(raw)?,
        None => Happened::Clock { user: USER.contains(&(misc & MODE)) },
    };
    Some(Record { time, cpu, pid, tid, what })
}

/// Process, parent, thread, parent's thread, time; then what every record ends with: process and thread, time, CPU.
fn fork(body: &[u8]) -> Option<Record> {
    let end = body.len().checked_sub(24)?;
    Some(Record {
        time: u64_at(body, 16)?,
        cpu: u32_at(body, end + 16)?,
        pid: u32_at(body, 4)?,
        tid: u32_at(body, 12)?,
        what: Happened::Fork { pid: u32_at(body, 0)?, tid: u32_at(body, 8)? },
    })
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
        let head = [&7u32.to_ne_bytes()[..], &8u32.to_ne_bytes(), &99u64.to_ne_bytes()].concat();
        let cpu = [&1u32.to_ne_bytes()[..], &[0; 4], &length.to_ne_bytes(), raw].concat();
        [head, cpu].concat()
    }

    #[test]
    fn records_are_read_and_what_makes_no_sense_ends_them() {
        let known = [Known { id: 443, reads: Reads::Fault }];
        let fault = sample_of(&[0xbb, 1, 0, 0]);
        let clock = sample_of(&[0, 0, 0, 0]);
        let lost = [3u64.to_ne_bytes(), 41u64.to_ne_bytes()].concat();
        let all = [
            record(SAMPLE, 1, &fault),
            record(LOST, 0, &lost),
            record(77, 0, &[1; 16]),
            record(SAMPLE, 2, &clock),
            vec![9; 6],
        ]
        .concat();
        let (records, lost) = read(&all, &known);
        let what: Vec<Happened> = records.iter().map(|record| record.what).collect();
        assert_eq!(what, [Happened::Fault, Happened::Clock { user: true }]);
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
