//! The tools of UnixBench's scripts, as far as the scripts use them.

use super::Args;
use std::ffi::CStr;
use std::fs::{self, File};
use std::io::{self, Read, Write};

/// `tare-sort [-n]`: sorts lines, with `-n` by the number that they begin with.
pub const SORT: &CStr = c"tare-sort";
/// `tare-od FILE`: octal words, sixteen bytes a line.
pub const DUMP: &CStr = c"tare-od";
/// `tare-grep WORD FILE`: the lines that hold a word.
pub const FIND: &CStr = c"tare-grep";
/// `tare-tee FILE`: copies its input to its output and to a file.
pub const TEE: &CStr = c"tare-tee";
/// `tare-wc`: lines, words and bytes.
pub const WORDS: &CStr = c"tare-wc";
/// `tare-rm FILE...`: removes files.
pub const REMOVE: &CStr = c"tare-rm";

/// Runs the tool `name`; `None` when there is none.
pub fn run(name: &CStr, args: &Args) -> Option<i32> {
    let words: Vec<&str> =
        args[1..].iter().flatten().filter_map(|word| word.to_str().ok()).collect();
    let done = match (name, words.as_slice()) {
        (name, []) if name == SORT => sort(false),
        (name, ["-n"]) if name == SORT => sort(true),
        (name, [file]) if name == DUMP => dump(file),
        (name, [word, file]) if name == FIND => find(word, file),
        (name, [file]) if name == TEE => tee(file),
        (name, []) if name == WORDS => words_of(),
        (name, files) if name == REMOVE => files.iter().try_for_each(fs::remove_file),
        _ => return None,
    };
    Some(i32::from(done.is_err()))
}

fn sort(by_number: bool) -> io::Result<()> {
    let text = input()?;
    let mut lines: Vec<&[u8]> = text.split_inclusive(|byte| *byte == b'\n').collect();
    if by_number {
        lines.sort_by_key(|line| leading_number(line));
    } else {
        lines.sort_unstable();
    }
    output(&lines.concat())
}

fn leading_number(line: &[u8]) -> u64 {
    let digits = line.iter().take_while(|byte| byte.is_ascii_digit());
    digits.fold(0, |number: u64, digit| number.wrapping_mul(10) + u64::from(digit - b'0'))
}

fn dump(file: &str) -> io::Result<()> {
    let bytes = fs::read(file)?;
    let mut text = Vec::with_capacity(bytes.len() * 5);
    for (at, line) in bytes.chunks(16).enumerate() {
        write!(text, "{:07o}", at * 16)?;
        for pair in line.chunks(2) {
            let word = u16::from(pair[0]) | u16::from(*pair.get(1).unwrap_or(&0)) << 8;
            write!(text, " {word:06o}")?;
        }
        text.push(b'\n');
    }
    output(&text)
}

fn find(word: &str, file: &str) -> io::Result<()> {
    let text = fs::read(file)?;
    let lines = text.split_inclusive(|byte| *byte == b'\n');
    let held = |line: &&[u8]| line.windows(word.len()).any(|part| part == word.as_bytes());
    output(&lines.filter(held).collect::<Vec<_>>().concat())
}

fn tee(file: &str) -> io::Result<()> {
    let mut copy = File::create(file)?;
    let mut block = [0; 4096];
    loop {
        match io::stdin().read(&mut block)? {
            0 => return Ok(()),
            got => {
                copy.write_all(&block[..got])?;
                output(&block[..got])?;
            }
        }
    }
}

fn words_of() -> io::Result<()> {
    let text = input()?;
    let lines = text.iter().filter(|byte| **byte == b'\n').count();
    let words = text.split(u8::is_ascii_whitespace).filter(|word| !word.is_empty()).count();
    output(format!("{lines} {words} {}\n", text.len()).as_bytes())
}

fn input() -> io::Result<Vec<u8>> {
    let mut text = Vec::new();
    io::stdin().read_to_end(&mut text)?;
    Ok(text)
}

fn output(text: &[u8]) -> io::Result<()> {
    let mut out = io::stdout();
    out.write_all(text)?;
    out.flush()
}
