//! Which set of a stopped thread's registers a tracer reads or writes: they differ in size, and so in what they cost.

use tare_proto::outside::{ALL_REGISTERS, FLOAT_REGISTERS, GENERAL_REGISTERS};

/// A set of registers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Registers {
    /// The general ones.
    General,
    /// Those of floating point; on x86 as far as FXSAVE knows them.
    Float,
    /// Any other set; on x86 all but the general ones, as XSAVE knows them: with AVX-512 and AMX 11,008 bytes.
    All,
}

/// Requests that read and write a set of their own (x86's numbers, `sys/ptrace.h`).
const GENERAL: [u64; 2] = [12, 13];
const FLOAT: [u64; 2] = [14, 15];

/// Those that read and write the set whose number is their address, and such numbers (`elf.h`).
const ANY: [u64; 2] = [0x4204, 0x4205];
const GENERAL_SET: u64 = 1;
const FLOAT_SET: u64 = 2;

impl Registers {
    /// What ptrace(2) reads or writes with this `request` and `address`; `None` where that is something else.
    pub(crate) fn of(request: u64, address: u64) -> Option<Registers> {
        let is_x86 = cfg!(target_arch = "x86_64");
        Some(match request {
            request if is_x86 && GENERAL.contains(&request) => Registers::General,
            request if is_x86 && FLOAT.contains(&request) => Registers::Float,
            request if ANY.contains(&request) => match address {
                GENERAL_SET => Registers::General,
                FLOAT_SET => Registers::Float,
                _ => Registers::All,
            },
            _ => return None,
        })
    }

    /// Its name in counters.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Registers::General => GENERAL_REGISTERS,
            Registers::Float => FLOAT_REGISTERS,
            Registers::All => ALL_REGISTERS,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_request_names_its_set_by_its_number_or_its_address() {
        let of = Registers::of;
        assert_eq!(of(0x4204, 1), Some(Registers::General));
        assert_eq!(of(0x4205, 2), Some(Registers::Float));
        assert_eq!(of(0x4205, 0x202), Some(Registers::All));
        assert_eq!(of(libc::PTRACE_SYSCALL as u64, 0), None);
        if cfg!(target_arch = "x86_64") {
            assert_eq!(of(libc::PTRACE_SETREGS as u64, 0), Some(Registers::General));
            assert_eq!(of(libc::PTRACE_GETFPREGS as u64, 0), Some(Registers::Float));
        }
    }
}
