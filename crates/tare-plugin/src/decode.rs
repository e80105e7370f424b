//! Recognises the few instructions that the counting needs to know.

/// An instruction that is more than work.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Special {
    /// The probe's mark with its code.
    Mark(u16),
    /// `syscall`, `sysenter`, `int 0x80` or Xen's `int 0x82`.
    SystemCall,
    /// `vmcall`, `vmmcall`.
    VmCall,
    /// `vmrun`, `vmlaunch`, `vmresume`: a guest goes on.
    EnterGuest,
    Cr3Write,
    Cr4Write,
    Invlpg,
    PortIo,
    Msr,
    Halt,
    /// A call of a function.
    Call,
    /// A return from one.
    Return,
    /// `mov $NUMBER, %eax` in one of its forms, which stands before a hypercall.
    SetAx(u32),
}

/// What the instruction of these `bytes` is, if it is special.
pub fn special(bytes: &[u8]) -> Option<Special> {
    if let [0x0f, 0x1f, 0x80, low, high, 0x4b, 0x4d] = *bytes {
        return Some(Special::Mark(u16::from_le_bytes([low, high])));
    }
    if let [0xb8, a, b, c, d] = *bytes {
        return Some(Special::SetAx(u32::from_le_bytes([a, b, c, d])));
    }
    match *bytes {
        [0x48, 0xc7, 0xc0, a, b, c, d] => {
            return Some(Special::SetAx(u32::from_le_bytes([a, b, c, d])));
        }
        [0x31 | 0x33, 0xc0] => return Some(Special::SetAx(0)),
        _ => {}
    }
    let prefix = |byte: &u8| matches!(byte, 0x66 | 0xf2 | 0xf3 | 0x40..=0x4f);
    let opcode = &bytes[bytes.iter().take_while(|byte| prefix(byte)).count()..];
    match *opcode {
        [0x0f, 0x05 | 0x34, ..] | [0xcd, 0x80 | 0x82, ..] => Some(Special::SystemCall),
        [0x0f, 0x01, 0xc1 | 0xd9, ..] => Some(Special::VmCall),
        [0x0f, 0x01, 0xd8 | 0xc2 | 0xc3, ..] => Some(Special::EnterGuest),
        [0x0f, 0x22, register, ..] if register >> 3 & 7 == 3 => Some(Special::Cr3Write),
        [0x0f, 0x22, register, ..] if register >> 3 & 7 == 4 => Some(Special::Cr4Write),
        [0x0f, 0x01, operand, ..] if operand >> 3 & 7 == 7 && operand < 0xc0 => {
            Some(Special::Invlpg)
        }
        [0x0f, 0x30 | 0x32, ..] => Some(Special::Msr),
        [0x6c..=0x6f | 0xe4..=0xe7 | 0xec..=0xef, ..] => Some(Special::PortIo),
        [0xf4] => Some(Special::Halt),
        [0xe8, ..] => Some(Special::Call),
        [0xff, operand, ..] if operand >> 3 & 7 == 2 => Some(Special::Call),
        [0xc2 | 0xc3, ..] => Some(Special::Return),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn special_instructions_are_told_from_others() {
        let rows: &[(&[u8], Option<Special>)] = &[
            (&[0x0f, 0x1f, 0x80, 0x01, 0x02, 0x4b, 0x4d], Some(Special::Mark(0x0201))),
            (&[0x0f, 0x1f, 0x80, 0, 0, 0, 0], None), // a compiler's own long NOP
            (&[0x0f, 0x05], Some(Special::SystemCall)),
            (&[0xcd, 0x80], Some(Special::SystemCall)),
            (&[0x0f, 0x01, 0xd9], Some(Special::VmCall)),
            (&[0x0f, 0x01, 0xd8], Some(Special::EnterGuest)),
            (&[0x0f, 0x22, 0xd8], Some(Special::Cr3Write)),
            (&[0x0f, 0x22, 0xe0], Some(Special::Cr4Write)),
            (&[0x0f, 0x20, 0xd8], None), // a read of CR3
            (&[0x0f, 0x01, 0x38], Some(Special::Invlpg)),
            (&[0x0f, 0x01, 0xf8], None), // swapgs
            (&[0x0f, 0x30], Some(Special::Msr)),
            (&[0x66, 0xef], Some(Special::PortIo)),
            (&[0xf4], Some(Special::Halt)),
            (&[0xe8, 1, 0, 0, 0], Some(Special::Call)),
            (&[0x41, 0xff, 0xd3], Some(Special::Call)),
            (&[0x41, 0xff, 0xe3], None), // a jump
            (&[0xf3, 0xc3], Some(Special::Return)),
            (&[0xb8, 0x1a, 0, 0, 0], Some(Special::SetAx(26))),
            (&[0x48, 0xc7, 0xc0, 0x1a, 0, 0, 0], Some(Special::SetAx(26))),
            (&[0x31, 0xc0], Some(Special::SetAx(0))),
            (&[0x89, 0xc8], None),
            (&[0x48], None),
            (&[], None),
        ];
        for (bytes, wanted) in rows {
            assert_eq!(special(bytes), *wanted, "{bytes:x?}");
        }
    }

    #[test]
    fn neighbours_of_special_instructions_are_work() {
        let rows: &[&[u8]] = &[
            &[0x0f, 0x01, 0xc8],    // monitor
            &[0x0f, 0x01, 0xf9],    // rdtscp
            &[0x0f, 0x01, 0x10],    // lgdt
            &[0x0f, 0x22, 0xc0],    // a write of CR0
            &[0x0f, 0x22, 0xd0],    // and of CR2
            &[0x0f, 0x31],          // rdtsc
            &[0x0f, 0x33],          // rdpmc
            &[0xcd, 0x81],          // another interrupt
            &[0xe3, 0x10],          // jrcxz
            &[0xe9, 0, 0, 0, 0],    // jump
            &[0x66, 0xb8, 0x1a, 0], // mov to AX, not EAX
            &[0xb9, 0x1a, 0, 0, 0], // to ECX
            &[0x0f, 0x1f, 0x80, 0, 2, 0x4b, 0x4e],
            &[0x0f, 0x1f, 0x40, 0x00], // a short NOP
        ];
        for bytes in rows {
            assert_eq!(special(bytes), None, "{bytes:x?}");
        }
    }

    #[test]
    fn prefixes_change_nothing() {
        let rows: &[(&[u8], Special)] = &[
            (&[0x48, 0x0f, 0x05], Special::SystemCall),
            (&[0xf3, 0x6c], Special::PortIo), // rep insb
            (&[0x66, 0xf3, 0x6f], Special::PortIo),
            (&[0x44, 0x0f, 0x22, 0xd8], Special::Cr3Write), // of a register that a prefix extends
            (&[0x41, 0x0f, 0x01, 0x38], Special::Invlpg),
        ];
        for (bytes, wanted) in rows {
            assert_eq!(special(bytes), Some(*wanted), "{bytes:x?}");
        }
    }
}
