//! Programs of a few bytes of machine code, in files of one segment.

/// Where they are loaded.
const BASE: u64 = 0x40_0000;

/// A 64-bit program of this `code`.
pub fn of_64_bits(code: &[u8]) -> Vec<u8> {
    let header = 120;
    let whole = header + code.len() as u64;
    let mut file = beginning(2);
    put(&mut file, &[(2, 2), (62, 2), (1, 4), (BASE + header, 8), (64, 8), (0, 8), (0, 4)]);
    put(&mut file, &[(64, 2), (56, 2), (1, 2), (0, 2), (0, 2), (0, 2)]);
    put(
        &mut file,
        &[(1, 4), (5, 4), (0, 8), (BASE, 8), (BASE, 8), (whole, 8), (whole, 8), (4096, 8)],
    );
    file.extend_from_slice(code);
    file
}

/// A 32-bit program of this `code`.
pub fn of_32_bits(code: &[u8]) -> Vec<u8> {
    let header = 84;
    let whole = header + code.len() as u64;
    let mut file = beginning(1);
    put(&mut file, &[(2, 2), (3, 2), (1, 4), (BASE + header, 4), (52, 4), (0, 4), (0, 4)]);
    put(&mut file, &[(52, 2), (32, 2), (1, 2), (0, 2), (0, 2), (0, 2)]);
    put(
        &mut file,
        &[(1, 4), (0, 4), (BASE, 4), (BASE, 4), (whole, 4), (whole, 4), (5, 4), (4096, 4)],
    );
    file.extend_from_slice(code);
    file
}

fn beginning(class: u8) -> Vec<u8> {
    let mut file = vec![0x7f, b'E', b'L', b'F', class, 1, 1];
    file.resize(16, 0);
    file
}

/// Adds numbers, each with as many bytes as it has.
fn put(file: &mut Vec<u8>, numbers: &[(u64, usize)]) {
    for (value, bytes) in numbers {
        file.extend_from_slice(&value.to_le_bytes()[..*bytes]);
    }
}
