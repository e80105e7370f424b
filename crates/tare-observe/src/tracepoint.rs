//! What a record of a tracepoint says, by the fields that the kernel describes.

use crate::record::{Asked, Happened};
use crate::registers::Registers;
use crate::tracefs::{Field, Format};

/// Bits of a tracepoint's flags: it was passed by an interrupt of a device (`TRACE_FLAG_HARDIRQ`).
const IN_INTERRUPT: u8 = 0x08;

/// A tracepoint that is read, and which fields of it.
#[derive(Debug)]
pub(crate) struct Known {
    pub id: u64,
    pub reads: Reads,
}

/// How its records are read.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Reads {
    Call { id: Field, arguments: Option<Field> },
    Return,
    Switch { from: Field, state: Field, to: Field },
    Waking(Field),
    Signal(Field),
    Fault,
    Exit { reason: Field, isa: Option<Field> },
    Block { asked: Field, bytes: Field },
    Other(usize),
}

impl Reads {
    /// How records of the tracepoint `name` are read, if anybody knows.
    pub(crate) fn of(name: &str, format: &Format, place: usize) -> Option<Reads> {
        let field = |name: &str| format.field(name);
        Some(match name {
            "raw_syscalls/sys_enter" => Reads::Call { id: field("id")?, arguments: field("args") },
            "raw_syscalls/sys_exit" => Reads::Return,
            "sched/sched_switch" => Reads::Switch {
                from: field("prev_pid")?,
                state: field("prev_state")?,
                to: field("next_pid")?,
            },
            "sched/sched_waking" => Reads::Waking(field("pid")?),
            "signal/signal_deliver" => Reads::Signal(field("sig")?),
            "exceptions/page_fault_user" => Reads::Fault,
            "kvm/kvm_exit" => Reads::Exit { reason: field("exit_reason")?, isa: field("isa") },
            "block/block_rq_issue" => {
                Reads::Block { asked: field("rwbs")?, bytes: field("bytes")? }
            }
            _ => Reads::Other(place),
        })
    }

    /// What a record with this data says.
    pub(crate) fn read(self, raw: &[u8]) -> Option<Happened> {
        let number = |field: Field| field.of(raw);
        Some(match self {
            Reads::Call { id, arguments } => {
                let id = u64::try_from(number(id)?).ok()?;
                let of_trace = arguments.filter(|_| id == libc::SYS_ptrace as u64);
                let set =
                    of_trace.and_then(|all| Registers::of(all.word(0, raw)?, all.word(2, raw)?));
                set.map_or(Happened::Call(id), Happened::Registers)
            }
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
            Reads::Exit { reason, isa } => Happened::Exit {
                reason: number(reason)? as u32,
                isa: isa.and_then(number).unwrap_or(0) as u32,
            },
            Reads::Block { asked, bytes } => {
                let letters = asked.letters(raw)?;
                let asked = match () {
                    () if letters.contains(&b'R') => Asked::Read,
                    () if letters.contains(&b'W') => Asked::Write,
                    () => Asked::Other,
                };
                Happened::Block { asked, bytes: number(bytes)? as u32 as u64 }
            }
            Reads::Other(place) => Happened::Other(place),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_exit_is_told_by_its_reason_and_by_whose_it_is() {
        let reason = "ID: 1\n\tfield:unsigned int exit_reason;\toffset:8;\tsize:4;\tsigned:0;\n";
        let isa = "\tfield:u32 isa;\toffset:12;\tsize:4;\tsigned:0;\n";
        let raw = [0, 0, 48, 1].map(u32::to_ne_bytes).concat();
        let read = |text: &str| {
            let format = Format::parse(text).unwrap();
            Reads::of("kvm/kvm_exit", &format, 0).unwrap().read(&raw)
        };
        let told = |isa| Some(Happened::Exit { reason: 48, isa });
        assert_eq!(read(&format!("{reason}{isa}")), told(1));
        assert_eq!(read(reason), told(0));
    }

    #[test]
    fn a_call_that_moves_registers_is_told_from_others_where_its_arguments_are_known() {
        let text =
            |more: &str| format!("ID: 1\n\tfield:long id;\toffset:8;\tsize:8;\tsigned:1;\n{more}");
        let whole = text("\tfield:unsigned long args[6];\toffset:16;\tsize:48;\tsigned:0;\n");
        let read = |text: &str, number: i64, request: u64, raw: usize| {
            let format = Format::parse(text).unwrap();
            let words = [0, number as u64, request, 77, 0x202, 0, 0, 0].map(u64::to_ne_bytes);
            Reads::of("raw_syscalls/sys_enter", &format, 0).unwrap().read(&words.concat()[..raw])
        };
        let (traces, all) = (libc::SYS_ptrace, 64);
        assert_eq!(read(&whole, traces, 0x4204, all), Some(Happened::Registers(Registers::All)));
        let call = Some(Happened::Call(traces as u64));
        assert_eq!(read(&whole, traces, libc::PTRACE_SYSCALL as u64, all), call);
        assert_eq!(read(&whole, traces, 0x4204, 40), call, "cut short");
        assert_eq!(read(&text(""), traces, 0x4204, all), call, "no field of that name");
        assert_eq!(read(&whole, 0, 0x4204, all), Some(Happened::Call(0)), "another call");
    }
}
