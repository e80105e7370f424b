//! A program's own code, as it goes on after a call: short, of many functions, with a look here and there. A layer whose kernel took
//! the call has put its own code and data in the place of the program's: in caches, in the TLB, in the branch predictor.

use super::row;
use crate::bench::{Bench, Op};
use std::collections::{BTreeMap, HashMap};
use std::fmt::Write;
use std::hint::black_box;

pub const ROWS: &[Bench] = &[
    row(
        "operations/code",
        "a piece of a program's code: numbers are printed and read, words sorted and looked up",
        || {
            let mut program = Program::new();
            Ok(Op::new(move || program.goes_on()))
        },
    ),
    row("operations/resumed", "one getppid(2), and such a piece of code after it", || {
        let mut program = Program::new();
        Ok(Op::new(move || {
            // SAFETY: getppid takes nothing and cannot fail.
            black_box(unsafe { libc::getppid() });
            program.goes_on();
        }))
    }),
];

const WORDS: [&str; 16] = [
    "page", "fault", "kernel", "guest", "exit", "trap", "ring", "queue", "clock", "timer", "table",
    "entry", "frame", "cache", "line", "stack",
];

/// Numbers of a page of the table, of which each look is into another one.
const PAGE: usize = 4096 / size_of::<u32>();

/// Pages of the table.
const PAGES: usize = 16;

/// What such a program holds. Nothing of it is allocated anew, since that may be a system call.
struct Program {
    step: u32,
    text: String,
    sorted: Vec<&'static str>,
    numbers: Vec<u32>,
    by_word: HashMap<&'static str, u32>,
    by_number: BTreeMap<u32, &'static str>,
    table: Vec<u32>,
}

impl Program {
    fn new() -> Program {
        let number = |at: usize| (at * 7919 % 1009) as u32;
        Program {
            step: 0,
            text: String::with_capacity(256),
            sorted: WORDS.to_vec(),
            numbers: (0..WORDS.len()).map(number).collect(),
            by_word: WORDS.iter().enumerate().map(|(at, word)| (*word, number(at))).collect(),
            by_number: WORDS.iter().enumerate().map(|(at, word)| (number(at), *word)).collect(),
            table: (0..(PAGES * PAGE) as u32).collect(),
        }
    }

    /// About a microsecond of it.
    fn goes_on(&mut self) {
        self.step = self.step.wrapping_add(1);
        let step = self.step;
        let word = WORDS[step as usize % WORDS.len()];
        self.text.clear();
        let share = f64::from(step % 1000) / 7.0;
        write!(self.text, "{step} {word:>8} {step:x} {share:.3}").expect("text takes it");
        let last = self.text.rsplit(' ').next().unwrap_or("0");
        let read: f64 = black_box(last).parse().unwrap_or(0.0);
        let found = self.by_word.get(black_box(word)).copied().unwrap_or(0);
        let above =
            self.by_number.range(found..).take(3).map(|(_, word)| word.len()).sum::<usize>();
        self.sorted.sort_unstable_by_key(|word| (word.len() as u32 ^ (step % 7), *word));
        self.numbers.iter_mut().for_each(|number| *number = number.wrapping_mul(31) % 4099);
        self.numbers.sort_unstable();
        let place = self.text.find(black_box("frame")).unwrap_or(0);
        let shape = (read.sin() * (1.0 + read).ln()).exp();
        let letters = self.text.chars().filter(|letter| letter.is_ascii_hexdigit()).count();
        for page in 0..PAGES {
            let at = page * PAGE + (page * 64 + step as usize) % PAGE;
            self.table[at] = self.table[at].rotate_left(3) ^ found;
        }
        black_box((above, place, shape, letters, &self.table, &self.sorted, &self.numbers));
    }
}
