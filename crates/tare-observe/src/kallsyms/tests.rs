//! Tables as the three makers write them, and damaged ones.

use super::*;

const TEXT: u64 = 0xffff_ffff_8100_0000;

/// What a kernel's names are written with: a token for each letter, and two for pieces.
fn tokens() -> (Vec<u8>, Vec<u8>) {
    let piece = |token: u8| match token {
        1 => b"sys_".to_vec(),
        2 => b"__x64_".to_vec(),
        letter if letter.is_ascii_graphic() => vec![letter],
        other => format!("q{other}").into_bytes(),
    };
    let (mut table, mut index) = (Vec::new(), Vec::new());
    for token in 0..=255 {
        index.extend((table.len() as u16).to_le_bytes());
        table.extend(piece(token));
        table.push(0);
    }
    (table, index)
}

/// Function number `at` in tokens: `T__x64_sys_123`, and a long one now and then.
fn name(at: usize) -> Vec<u8> {
    let tail = if at % 100 == 7 { "x".repeat(140) } else { String::new() };
    [&[b'T', 2, 1][..], at.to_string().as_bytes(), tail.as_bytes()].concat()
}

#[derive(Clone, Copy, PartialEq)]
enum Maker {
    Old,
    PerCpu,
    New,
    Xen,
}

fn pad(image: &mut Vec<u8>, to: usize) {
    image.resize(image.len().next_multiple_of(to), 0);
}

fn image(count: usize, maker: Maker) -> Vec<u8> {
    let mut offsets = Vec::new();
    for at in 0..count as i32 {
        let offset = if maker == Maker::PerCpu { -1 - 16 * at } else { 16 * at };
        offsets.extend(offset.to_le_bytes());
    }
    let (mut names, mut markers) = (Vec::new(), Vec::new());
    for at in 0..count {
        if at % PER_MARKER == 0 {
            markers.extend((names.len() as u32).to_le_bytes());
        }
        let name = name(at);
        if name.len() > 127 {
            names.push(name.len() as u8 & 0x7f | 0x80);
            names.push((name.len() >> 7) as u8);
        } else {
            names.push(name.len() as u8);
        }
        names.extend(name);
    }
    let align = if maker == Maker::Xen { 4 } else { 8 };
    let (table, index) = tokens();
    let mut image = vec![0x90; 4096];
    let based = |image: &mut Vec<u8>| {
        image.extend(&offsets);
        pad(image, align);
        image.extend(TEXT.to_le_bytes());
    };
    match maker {
        Maker::Old | Maker::PerCpu => based(&mut image),
        Maker::Xen => image.extend(&offsets),
        Maker::New => {}
    }
    image.extend((count as u32).to_le_bytes());
    pad(&mut image, align);
    image.extend(names);
    pad(&mut image, align);
    image.extend(markers);
    pad(&mut image, align);
    if maker == Maker::PerCpu {
        image.extend(vec![7; 3 * count]); // the order of the names
        pad(&mut image, align);
    }
    image.extend(table);
    pad(&mut image, align);
    image.extend(index);
    if maker == Maker::New {
        pad(&mut image, align);
        based(&mut image);
    }
    image.extend([0xcc; 512]);
    image
}

fn read(image: &[u8]) -> Option<Kallsyms> {
    kallsyms(image, &[0x1000..0x2000, TEXT..TEXT + (1 << 20)])
}

#[test]
fn each_makers_tables_are_found_and_read() {
    for maker in [Maker::Old, Maker::PerCpu, Maker::New, Maker::Xen] {
        for count in [1024, 1025, 3000, 3001] {
            let found = read(&image(count, maker)).expect("they are there");
            assert_eq!(found.placed, maker != Maker::Xen);
            assert_eq!(found.functions.len(), count);
            let base = if maker == Maker::Xen { 0 } else { TEXT };
            let (address, name) = &found.functions[1000];
            assert_eq!((*address, name.as_str()), (base + 16_000, "__x64_sys_1000"));
            assert_eq!(found.functions[1007].1.len(), 14 + 140);
        }
    }
}

#[test]
fn damaged_tables_are_refused_or_read_without_a_panic() {
    let whole = image(1500, Maker::Old);
    let mut state = 11u64;
    let mut random = |below: usize| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        (state >> 33) as usize % below
    };
    for round in 0..60 {
        let mut damaged = whole.clone();
        for _ in 0..=round % 5 {
            let at = random(damaged.len());
            damaged[at] = random(256) as u8;
        }
        if round % 3 == 0 {
            damaged.truncate(random(whole.len()));
        }
        if let Some(found) = read(&damaged) {
            assert!(found.functions.len() <= 1500);
        }
    }
    assert!(read(&[]).is_none() && read(&[0; 10_000]).is_none());
    let without_markers: Vec<u8> = whole[whole.len() - 2600..].to_vec();
    assert!(read(&without_markers).is_none());
}
