//! A static x86-64 program, assembled by hand.

/// Where its code is: the probe's own place.
const TEXT: u64 = 0x5000_0000;

/// Where its memory is, which nothing has touched.
pub const DATA: u64 = 0x5100_0000;

/// Bytes of that.
const DATA_SIZE: u64 = 0x40_0000;

/// Bytes of the headers before the code.
const HEADERS: u64 = 64 + 2 * 56;

#[derive(Default)]
pub struct Program(Vec<u8>);

impl Program {
    pub fn code(&mut self, bytes: &[u8]) -> &mut Program {
        self.0.extend(bytes);
        self
    }

    /// `mov $value, %ecx`.
    pub fn set_ecx(&mut self, value: u32) -> &mut Program {
        self.code(&[0xb9]).code(&value.to_le_bytes())
    }

    /// `mov address, %eax`.
    pub fn load(&mut self, address: u32) -> &mut Program {
        self.code(&[0x8b, 0x04, 0x25]).code(&address.to_le_bytes())
    }

    /// `mov %eax, address`.
    pub fn store(&mut self, address: u32) -> &mut Program {
        self.code(&[0x89, 0x04, 0x25]).code(&address.to_le_bytes())
    }

    /// `reboot(2)` with what powers off.
    pub fn power_off(&mut self) -> &mut Program {
        self.code(&[0xb8, 169, 0, 0, 0]).code(&[0xbf, 0xad, 0xde, 0xe1, 0xfe]);
        self.code(&[0xbe, 0x69, 0x19, 0x12, 0x28]).code(&[0xba, 0xdc, 0xfe, 0x21, 0x43]);
        self.code(&[0x0f, 0x05])
    }

    /// The whole file.
    pub fn elf(&self) -> Vec<u8> {
        let mut file = vec![0x7f, b'E', b'L', b'F', 2, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0];
        file.extend([2, 0, 62, 0, 1, 0, 0, 0]); // executable, x86-64, version 1
        let start = TEXT + HEADERS;
        [start, 64, 0].iter().for_each(|word: &u64| file.extend(word.to_le_bytes()));
        file.extend([0, 0, 0, 0, 64, 0, 56, 0, 2, 0, 64, 0, 0, 0, 0, 0]); // sizes; two segments
        let size = HEADERS + self.0.len() as u64;
        segment(&mut file, 5, TEXT, size, size);
        segment(&mut file, 6, DATA, 0, DATA_SIZE);
        file.extend(&self.0);
        file
    }
}

fn segment(file: &mut Vec<u8>, flags: u32, at: u64, size: u64, memory: u64) {
    file.extend(1u32.to_le_bytes());
    file.extend(flags.to_le_bytes());
    [0, at, at, size, memory, 4096].iter().for_each(|word: &u64| file.extend(word.to_le_bytes()));
}

/// The mark with `code`, as the probe sets it.
pub fn mark(code: u16) -> Vec<u8> {
    let [low, high] = code.to_le_bytes();
    vec![0x0f, 0x1f, 0x80, low, high, 0x4b, 0x4d]
}

/// `value` in bits, lowest first, and what it is.
pub fn number(value: u64, name: u16) -> Vec<u8> {
    let bits = (0..64 - value.leading_zeros()).map(|bit| mark((value >> bit & 1) as u16));
    bits.chain([mark(name)]).flatten().collect()
}
