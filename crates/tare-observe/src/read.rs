//! Reads what the kernel wrote into a ring (`perf_event_open(2)`, "MMAP layout").

use crate::record::{Counted, Happened, Identity, Look, Mapping, Record};
use crate::tracepoint::Known;

/// Kinds of records (`linux/perf_event.h`).
const MAP: u32 = 1;
const LOST: u32 = 2;
const NAME: u32 = 3;
const FORK: u32 = 7;
const SAMPLE: u32 = 9;
const MAP_AND_FILE: u32 = 10;
const LOST_SAMPLES: u32 = 13;

/// The part of `misc` that says in which mode the CPU was, and its values for user mode and for a guest's two modes.
const MODE: u16 = 7;
const USER: [u16; 3] = [2, 4, 5];

/// What stands between callers: those behind it are of the kernel, of user mode, or of something else (`enum perf_callchain_context`).
const KERNEL_FOLLOWS: u64 = (-128_i64) as u64;
const USER_FOLLOWS: u64 = (-512_i64) as u64;
const FIRST_MARK: u64 = (-4095_i64) as u64;

/// Most callers that are read, with what stands between them. The kernel writes 127 unless it is told otherwise.
const MOST_CALLERS: u64 = 512;

/// Set in `misc` where a thread's new name is that of the program that it has become.
const EXEC: u16 = 1 << 13;

/// Set in `misc` where a mapped file is told by its build ID.
const HAS_BUILD_ID: u16 = 1 << 14;

/// Most bytes of a mapped file's name.
const LONGEST_NAME: usize = 4096;

/// What the samples of a ring hold.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Samples<'a> {
    /// The data of one of these tracepoints.
    Points(&'a [Known]),
    /// Where the clock found somebody.
    Looks,
    /// What so many events of the group had counted.
    Counted(usize),
}

/// What a ring held.
#[derive(Debug, Default)]
pub(crate) struct Read {
    pub records: Vec<Record>,
    pub looks: Vec<Look>,
    pub mappings: Vec<Mapping>,
    pub counted: Vec<Counted>,
    /// Records for which the kernel had no room.
    pub lost: u64,
}

/// Reads a ring's bytes.
pub(crate) fn read(bytes: &[u8], samples: Samples) -> Read {
    let mut read = Read { records: Vec::with_capacity(bytes.len() / 88), ..Read::default() };
    let mut rest = bytes;
    while let Some((kind, misc, body, after)) = next(rest) {
        match kind {
            SAMPLE => match samples {
                Samples::Points(known) => read.records.extend(sample(body, known)),
                Samples::Looks => read.looks.extend(look(misc, body)),
                Samples::Counted(events) => read.counted.extend(counted(body, events)),
            },
            FORK => read.records.extend(fork(body)),
            NAME if misc & EXEC != 0 => read.records.extend(exec(body)),
            MAP => read.mappings.extend(mapping(body, 32, Identity::Unknown)),
            MAP_AND_FILE => {
                read.mappings.extend(identity(misc, body).and_then(|id| mapping(body, 64, id)));
            }
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

/// A tracepoint's record: process and thread, time, CPU, the tracepoint's data with its length.
fn sample(body: &[u8], known: &[Known]) -> Option<Record> {
    let (pid, tid) = (u32_at(body, 0)?, u32_at(body, 4)?);
    let (time, cpu) = (u64_at(body, 8)?, u32_at(body, 16)?);
    let length = u32_at(body, 24)? as usize;
    let raw = body.get(28..28 + length)?;
    let id = u64::from(u16_at(raw, 0)?);
    let what = known.iter().find(|one| one.id == id)?.reads.read(raw)?;
    Some(Record { time, cpu, pid, tid, what })
}

/// A record of the clock: the code's address, process and thread, time, CPU, the callers with their number.
fn look(misc: u16, body: &[u8]) -> Option<Look> {
    let mut look = Look {
        at: u64_at(body, 0)?,
        pid: u32_at(body, 8)?,
        tid: u32_at(body, 12)?,
        time: u64_at(body, 16)?,
        user: USER.contains(&(misc & MODE)),
        kernel: Vec::new(),
        callers: Vec::new(),
    };
    let many = u64_at(body, 32)?.min(MOST_CALLERS) as usize;
    let mut callers = None;
    for at in 0..many {
        match u64_at(body, 40 + 8 * at)? {
            KERNEL_FOLLOWS => callers = Some(&mut look.kernel),
            USER_FOLLOWS => callers = Some(&mut look.callers),
            mark if mark >= FIRST_MARK => callers = None,
            caller => callers.iter_mut().for_each(|callers| callers.push(caller)),
        }
    }
    // The first one of the mode in which it was is the code itself.
    let own = if look.user { &mut look.callers } else { &mut look.kernel };
    own.drain(..own.len().min(1));
    Some(look)
}

/// Process and thread, time, CPU, how many events the group has, for how long it was enabled and ran, and their counts. The leader counts
/// nothing, and the `events` that were opened after it follow it.
fn counted(body: &[u8], events: usize) -> Option<Counted> {
    let all = u64_at(body, 24)? as usize;
    let counts: Option<Vec<u64>> = (1..=events).map(|at| u64_at(body, 48 + 8 * at)).collect();
    Some(Counted {
        tid: u32_at(body, 4)?,
        time: u64_at(body, 8)?,
        cpu: u32_at(body, 16)?,
        enabled: u64_at(body, 32)?,
        ran: u64_at(body, 40)?,
        counts: counts.filter(|_| all > events)?,
    })
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

/// Process and thread, address, length, offset in the file, and from `names` on the file's name.
fn mapping(body: &[u8], names: usize, identity: Identity) -> Option<Mapping> {
    let (behind, time, _) = end_of(body)?;
    let (begin, length, offset) = (u64_at(body, 8)?, u64_at(body, 16)?, u64_at(body, 24)?);
    let name = body.get(names..behind)?.split(|byte| *byte == 0).next()?;
    let name = &name[..name.len().min(LONGEST_NAME)];
    let file = String::from_utf8_lossy(name).into_owned();
    let end = begin.checked_add(length)?;
    Some(Mapping { time, pid: u32_at(body, 0)?, begin, end, offset, file, identity })
}

/// Behind the offset: a build ID with its length, or the numbers of a device and of a file there.
fn identity(misc: u16, body: &[u8]) -> Option<Identity> {
    if misc & HAS_BUILD_ID != 0 {
        let length: usize = (*body.get(32)?).into();
        return Some(Identity::BuildId(body.get(36..36 + length.min(20))?.to_vec()));
    }
    let device = libc::makedev(u32_at(body, 32)?, u32_at(body, 36)?);
    Some(Identity::Inode { device, inode: u64_at(body, 40)? })
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
    use crate::tracepoint::Reads;

    fn record(kind: u32, misc: u16, body: &[u8]) -> Vec<u8> {
        let size = (8 + body.len()) as u16;
        [&kind.to_ne_bytes()[..], &misc.to_ne_bytes(), &size.to_ne_bytes(), body].concat()
    }

    /// Thread 8 of process 7 on CPU 1, at 99.
    fn head() -> Vec<u8> {
        let thread = [7u32, 8].map(u32::to_ne_bytes).concat();
        [&thread[..], &99u64.to_ne_bytes(), &1u32.to_ne_bytes(), &[0; 4]].concat()
    }

    fn sample_of(raw: &[u8]) -> Vec<u8> {
        let length = raw.len() as u32;
        [&head()[..], &length.to_ne_bytes(), raw].concat()
    }

    #[test]
    fn records_are_read_and_what_makes_no_sense_ends_them() {
        let known = [Known { id: 443, reads: Reads::Fault }];
        let fault = sample_of(&[0xbb, 1, 0, 0]);
        let unknown = sample_of(&[0, 0, 0, 0]);
        let lost = [3u64.to_ne_bytes(), 41u64.to_ne_bytes()].concat();
        let thread = [7u32.to_ne_bytes(), 7u32.to_ne_bytes()].concat();
        let place = [0x1000u64, 0x2000, 0].map(u64::to_ne_bytes).concat();
        let end = [&thread[..], &44u64.to_ne_bytes(), &[0; 8]].concat();
        let built = [&[3, 0, 0, 0, 0xa, 0xb, 0xc][..], &[0; 17]].concat();
        let inode = [8u32, 1, 77, 0, 0, 0].map(u32::to_ne_bytes).concat();
        let name = [&[0; 8][..], b"/bin/sh\0"].concat();
        let all = [
            record(SAMPLE, 1, &fault),
            record(LOST, 0, &lost),
            record(77, 0, &[1; 16]),
            record(SAMPLE, 2, &unknown),
            record(MAP, 0, &[&thread[..], &place, b"/bin/sh\0", &end].concat()),
            record(
                MAP_AND_FILE,
                HAS_BUILD_ID,
                &[&thread[..], &place, &built, &name, &end].concat(),
            ),
            record(MAP_AND_FILE, 0, &[&thread[..], &place, &inode, &name, &end].concat()),
            record(NAME, EXEC, &[&thread[..], b"sh\0\0\0\0\0\0", &end].concat()),
            record(NAME, 0, &[&thread[..], b"sh\0\0\0\0\0\0", &end].concat()),
            vec![9; 6],
        ]
        .concat();
        let Read { records, mappings, lost, .. } = read(&all, Samples::Points(&known));
        let what: Vec<Happened> = records.iter().map(|record| record.what).collect();
        assert_eq!(what, [Happened::Fault, Happened::Exec]);
        let expected = Mapping {
            time: 44,
            pid: 7,
            begin: 0x1000,
            end: 0x3000,
            offset: 0,
            file: "/bin/sh".into(),
            identity: Identity::Unknown,
        };
        let inode = Identity::Inode { device: libc::makedev(8, 1), inode: 77 };
        let same = |identity| Mapping { identity, ..expected.clone() };
        let identities = [Identity::Unknown, Identity::BuildId(vec![0xa, 0xb, 0xc]), inode];
        assert_eq!(mappings, identities.map(same));
        assert_eq!(
            (records[0].pid, records[0].tid, records[0].time, records[0].cpu),
            (7, 8, 99, 1)
        );
        assert_eq!(lost, 41);
        for end in 0..all.len() {
            read(&all[..end], Samples::Points(&known));
        }
    }

    #[test]
    fn what_a_group_has_counted_is_read_behind_its_leader() {
        let group = [4u64, 90, 80, 0, 100, 200, 7].map(u64::to_ne_bytes).concat();
        let body = [&head()[..], &group].concat();
        let told = read(&record(SAMPLE, 1, &body), Samples::Counted(2)).counted.remove(0);
        let (enabled, ran, counts) = (90, 80, vec![100, 200]);
        assert_eq!(told, Counted { time: 99, cpu: 1, tid: 8, enabled, ran, counts });
        assert_eq!(counted(&body, 4), None, "the group has no more");
        for end in 0..body.len() {
            counted(&body[..end], 3);
        }
    }

    #[test]
    fn callers_are_told_by_their_mode() {
        let looked = |misc, chain: &[u64]| {
            let many = [chain.len() as u64];
            let numbers: Vec<u8> =
                many.iter().chain(chain).flat_map(|number| number.to_ne_bytes()).collect();
            let body = [&0x1234u64.to_ne_bytes()[..], &head(), &numbers].concat();
            for end in 0..body.len() {
                look(misc, &body[..end]);
            }
            read(&record(SAMPLE, misc, &body), Samples::Looks).looks.remove(0)
        };
        let deferred = FIRST_MARK + 8;
        let inside = looked(1, &[KERNEL_FOLLOWS, 0x1234, 5, USER_FOLLOWS, 6, 7, deferred, 8]);
        assert_eq!((inside.user, inside.at, inside.pid, inside.tid), (false, 0x1234, 7, 8));
        assert_eq!((inside.kernel, inside.callers), (vec![5], vec![6, 7]));
        let outside = looked(2, &[USER_FOLLOWS, 0x1234, 9]);
        assert_eq!((outside.user, outside.kernel, outside.callers), (true, vec![], vec![9]));
        let none = looked(2, &[]);
        assert_eq!((none.at, none.kernel, none.callers), (0x1234, vec![], vec![]));
    }
}
