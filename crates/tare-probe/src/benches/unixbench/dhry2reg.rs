//! UnixBench "Dhrystone 2 using register variables".
//!
//! Version 2.1 as R. P. Weicker defined it (SIGPLAN Notices 23(8), 1988): a mix of assignments,
//! control statements, procedure calls and 30-character strings after what systems programs were
//! found to do, and the values that it must end with, which are checked before anything is timed.
//! Procedures that are in the second file of the original are never inlined here; what is in its first
//! file, and the texts, are the compiler's to see, as there. Records are indices where C has pointers, and
//! array accesses are checked, as Rust does: a loop does a little more than in C, so figures compare layers,
//! not compilers.

use super::{SHORT, against, row};
use crate::bench::{Bench, Op, Refusal};
use std::hint::black_box;
use tare_proto::Unit;

pub const BENCH: Bench = row(
    "unixbench/dhry2reg",
    "Dhrystone 2 (lps): version 2.1's mix of assignments, branches, calls and strings",
    Unit::PerSecond,
    SHORT,
    |own| against(116_700.0, own, prepare),
);

/// Loops that are checked.
const PROOF: i32 = 100;

fn prepare() -> Result<Op, Refusal> {
    let mut world = World::new();
    let locals = (1..=PROOF).map(|turn| world.turn(black_box(FIRST), turn)).last();
    if locals != Some((5, 13, 7, Kind::Second)) || !world.is_as_defined(PROOF) {
        return Err(Refusal::Failed("Dhrystone ended with wrong values".into()));
    }
    let mut turn = PROOF;
    Ok(Op::new(move || {
        turn = turn.wrapping_add(1) & 0xfff_ffff;
        black_box(black_box(&mut world).turn(black_box(FIRST), turn));
    }))
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    First,
    Second,
    Third,
    Fourth,
    #[allow(dead_code)] // the definition has it, and nothing that is run makes it
    Fifth,
}

/// Thirty characters and C's end.
type Text = [u8; 31];

const SOME: &Text = b"TARE'S OWN DHRYSTONE SOME LINE\0";
const FIRST: &Text = b"TARE'S OWN DHRYSTON 1ST STRING\0";
const SECOND: &Text = b"TARE'S OWN DHRYSTON 2ND STRING\0";
const THIRD: &Text = b"TARE'S OWN DHRYSTON 3RD STRING\0";

#[derive(Clone, Copy)]
struct Record {
    next: usize,
    discriminant: Kind,
    kind: Kind,
    number: i32,
    text: Text,
}

/// What is global in the definition.
struct World {
    records: [Record; 2],
    /// The record that the global pointer names.
    head: usize,
    number: i32,
    flag: bool,
    first: u8,
    second: u8,
    row: [i32; 50],
    table: [[i32; 50]; 50],
}

impl World {
    fn new() -> Box<World> {
        let (kind, number) = (Kind::Third, 40);
        let record = Record { next: 0, discriminant: Kind::First, kind, number, text: *SOME };
        let mut table = [[0; 50]; 50];
        table[8][7] = 10;
        Box::new(World {
            records: [record; 2],
            head: 1,
            number: 0,
            flag: false,
            first: 0,
            second: 0,
            row: [0; 50],
            table,
        })
    }

    /// Whether the global values are those that the definition gives after `turns`.
    fn is_as_defined(&self, turns: i32) -> bool {
        let (head, next) = (&self.records[1], &self.records[0]);
        (self.number, self.flag, self.first, self.second) == (5, true, b'A', b'B')
            && (self.row[8], self.table[8][7]) == (7, turns + 10)
            && (head.kind == Kind::Third && head.number == 17 && head.next == 0)
            && (next.kind == Kind::Second && next.number == 18 && next.text == *SOME)
    }

    /// One loop, beside the `first` text; the values of its own variables at its end.
    fn turn(&mut self, first: &Text, turn: i32) -> (i32, i32, i32, Kind) {
        self.start_over();
        self.combine_flags();
        let (mut one, mut two, mut three) = (2, 3, 0);
        let mut text = *SECOND;
        let mut kind = Kind::Second;
        self.flag = !self.strings(first, &text);
        while one < two {
            three = 5 * one - two;
            add_two(one, two, &mut three);
            one += 1;
        }
        self.arrays(one, three);
        self.records(self.head);
        let mut letter = b'A';
        while letter <= self.second {
            if kind == self.same(letter, b'C') {
                self.choose(Kind::First, &mut kind);
                text = *THIRD;
                two = turn;
                self.number = turn;
            }
            letter += 1;
        }
        black_box(&text);
        two *= one;
        one = two / three;
        two = 7 * (two - three) - one;
        self.until_found(&mut one);
        (one, two, three, kind)
    }

    fn records(&mut self, at: usize) {
        let next = self.records[at].next;
        self.records[next] = self.records[self.head];
        self.records[at].number = 5;
        self.records[next].number = self.records[at].number;
        self.records[next].next = self.records[at].next;
        let mut follow = self.records[next].next;
        self.follow_head(&mut follow);
        self.records[next].next = follow;
        if self.records[next].discriminant == Kind::First {
            let mut number = 6;
            let mut kind = self.records[next].kind;
            self.choose(self.records[at].kind, &mut kind);
            self.records[next].kind = kind;
            self.records[next].next = self.records[self.head].next;
            add_two(number, 10, &mut number);
            self.records[next].number = number;
        } else {
            self.records[at] = self.records[next];
        }
    }

    fn until_found(&mut self, number: &mut i32) {
        let mut local = *number + 10;
        let mut kind = Kind::Second;
        while kind != Kind::First {
            if self.first == b'A' {
                local -= 1;
                *number = local - self.number;
                kind = Kind::First;
            }
        }
    }

    fn follow_head(&mut self, to: &mut usize) {
        *to = self.records[self.head].next;
        let number = self.number;
        add_two(10, number, &mut self.records[self.head].number);
    }

    fn combine_flags(&mut self) {
        let local = self.first == b'A';
        self.flag |= local;
        self.second = b'B';
    }

    fn start_over(&mut self) {
        self.first = b'A';
        self.flag = false;
    }

    #[inline(never)]
    fn choose(&mut self, from: Kind, to: &mut Kind) {
        *to = if is_third(from) { from } else { Kind::Fourth };
        match from {
            Kind::First => *to = Kind::First,
            Kind::Second => *to = if self.number > 100 { Kind::First } else { Kind::Fourth },
            Kind::Third => *to = Kind::Second,
            Kind::Fourth => {}
            Kind::Fifth => *to = Kind::Third,
        }
    }

    #[inline(never)]
    fn arrays(&mut self, one: i32, two: i32) {
        let at = one as usize + 5;
        self.row[at] = two;
        self.row[at + 1] = self.row[at];
        self.row[at + 30] = at as i32;
        for column in at..=at + 1 {
            self.table[at][column] = at as i32;
        }
        self.table[at][at - 1] += 1;
        self.table[at + 20][at] = self.row[at];
        self.number = 5;
    }

    #[inline(never)]
    fn same(&mut self, one: u8, two: u8) -> Kind {
        let copy = one;
        if copy != two {
            return Kind::First;
        }
        self.first = copy;
        Kind::Second
    }

    #[inline(never)]
    fn strings(&mut self, one: &Text, two: &Text) -> bool {
        let (mut at, mut letter) = (2, 0);
        while at <= 2 {
            if self.same(one[at], two[at + 1]) == Kind::First {
                letter = b'A';
                at += 1;
            }
        }
        if (b'W'..b'Z').contains(&letter) {
            at = 7;
        }
        if letter == b'R' {
            return true;
        }
        if one > two {
            self.number = at as i32 + 7;
            return true;
        }
        false
    }
}

#[inline(never)]
fn add_two(one: i32, two: i32, sum: &mut i32) {
    let local = one + 2;
    *sum = two + local;
}

#[inline(never)]
fn is_third(kind: Kind) -> bool {
    let local = kind;
    local == Kind::Third
}
