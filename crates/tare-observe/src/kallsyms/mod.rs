//! The symbols that a kernel carries in its own memory: what Linux prints as `/proc/kallsyms`, and Xen's table of the same making. A
//! stripped image has them, too.
//!
//! Linux writes them with `scripts/kallsyms.c`, Xen with `tools/symbols.c`. Names are strings of one-byte tokens, with their length before
//! them, and a token stands for a letter or for a piece of a name that is frequent. Nothing says where the tables are. The tokens of the ten
//! digits are these digits, one after the other, which finds the tokens. Of the names there are markers, the offset of each 256th, and these
//! find each other. Every step is checked by the next, so that no other bytes are taken for symbols.

use std::ops::Range;

/// Tokens, each with a number of one byte.
const TOKENS: usize = 256;

/// The names between two markers.
const PER_MARKER: usize = 256;

/// Most symbols that a kernel has; with all of its options Linux 6.12 has a quarter of them.
const MOST: usize = 1 << 20;

/// How far before the tokens the markers may be, in bytes: between them are three bytes a symbol.
const FARTHEST: usize = 4 * MOST;

/// Bytes of the names between two markers.
const APART: Range<u32> = 2 * PER_MARKER as u32..256 * PER_MARKER as u32;

/// Fewest markers; those of Xen 4.17 are 27.
const FEWEST: usize = 4;

/// Functions, as offsets from where a kernel is loaded or as addresses.
pub(crate) struct Kallsyms {
    /// Addresses or offsets, and names, in the table's order.
    pub functions: Vec<(u64, String)>,
    /// Whether they are addresses.
    pub placed: bool,
}

/// The functions of the kernel whose file is `image` and whose code and data are at the `addresses`; `None` if it has no such tables.
pub(crate) fn kallsyms(image: &[u8], addresses: &[Range<u64>]) -> Option<Kallsyms> {
    const DIGITS: &[u8] = b"0\x001\x002\x003\x004\x005\x006\x007\x008\x009\0";
    memchr::memmem::find_iter(image, DIGITS).find_map(|digits| {
        let tokens = Tokens::around(image, digits)?;
        let names = Names::before(image, tokens.begin)?;
        let (offsets, base) = offsets(image, &names, tokens.end, addresses)?;
        let functions =
            offsets.into_iter().zip(names.all(&tokens)?).filter_map(|(offset, name)| {
                let is_code = name.starts_with(['t', 'T', 'w', 'W']);
                Some((address(base, offset)?, name[1..].to_owned())).filter(|_| is_code)
            });
        Some(Kallsyms { functions: functions.collect(), placed: base != Base::None })
    })
}

/// What offsets are relative to.
#[derive(Clone, Copy, PartialEq)]
enum Base {
    /// The address that a kernel is loaded at, whichever that is.
    None,
    /// An address.
    At(u64),
    /// The same, and offsets that count down from there: those that count up are places in the data of each CPU
    /// (`KALLSYMS_ABSOLUTE_PERCPU`).
    Below(u64),
}

fn address(base: Base, offset: i32) -> Option<u64> {
    match base {
        Base::None => u64::try_from(offset).ok(),
        Base::At(base) => base.checked_add(u64::from(offset as u32)),
        Base::Below(_) if offset >= 0 => None,
        Base::Below(base) => base.checked_add(u64::from(!offset as u32)),
    }
}

fn word(image: &[u8], at: usize) -> Option<u32> {
    Some(u32::from_le_bytes(image.get(at..at.checked_add(4)?)?.try_into().ok()?))
}

/// The pieces that names are made of.
struct Tokens<'a> {
    all: Vec<&'a [u8]>,
    begin: usize,
    /// Behind them and their index.
    end: usize,
}

impl Tokens<'_> {
    /// Those of which the digits are at `digits`, where their index follows: the offset of each.
    fn around(image: &[u8], digits: usize) -> Option<Tokens<'_>> {
        let end = |begin: usize| {
            let length = image.get(begin..)?.iter().take(1 << 10).position(|byte| *byte == 0)?;
            Some(begin + length)
        };
        let behind = (usize::from(b'0')..TOKENS).try_fold(digits, |at, _| Some(end(at)? + 1))?;
        (behind..behind + 8).find_map(|index_at| {
            let index = image.get(index_at..index_at + 2 * TOKENS)?;
            let (index, _) = index.as_chunks::<2>();
            let offset = |token: usize| usize::from(u16::from_le_bytes(index[token]));
            let begin = digits.checked_sub(offset(usize::from(b'0')))?;
            let mut all = Vec::with_capacity(TOKENS);
            let mut at = begin;
            for token in 0..TOKENS {
                let end = end(at).filter(|_| at == begin + offset(token))?;
                all.push(&image[at..end]);
                at = end + 1;
            }
            (at == behind).then_some(Tokens { all, begin, end: index_at + 2 * TOKENS })
        })
    }
}

/// Where the names are, and how many.
struct Names<'a> {
    image: &'a [u8],
    begin: usize,
    /// Where the markers begin.
    end: usize,
    count: usize,
    /// Where their number is.
    counted_at: usize,
}

impl<'a> Names<'a> {
    /// Those whose markers are before `tokens`.
    fn before(image: &'a [u8], tokens: usize) -> Option<Names<'a>> {
        let farthest = tokens.saturating_sub(FARTHEST);
        let all = (farthest..tokens).rev().filter(|at| at % 4 == 0);
        all.into_iter().find_map(|at| Names::marked(image, at))
    }

    /// Those whose markers are at `at`.
    fn marked(image: &'a [u8], at: usize) -> Option<Names<'a>> {
        let mut markers = vec![word(image, at).filter(|first| *first == 0)?];
        while let Some(next) = word(image, at + 4 * markers.len())
            && next.checked_sub(markers[markers.len() - 1]).is_some_and(|it| APART.contains(&it))
        {
            markers.push(next);
        }
        // What follows the markers may look like another one or two.
        let fewest = FEWEST.max(markers.len().saturating_sub(2));
        let lengths = (fewest..=markers.len()).rev();
        lengths.into_iter().find_map(|length| Names::of(image, at, &markers[..length]))
    }

    /// Those that `markers`, which are at `at`, are of.
    fn of(image: &'a [u8], at: usize, markers: &[u32]) -> Option<Names<'a>> {
        let (from, last) = (markers[1] as usize, *markers.last()? as usize);
        let latest = at.checked_sub(last)?;
        let earliest = latest.saturating_sub(APART.end as usize);
        let begins = (earliest..latest).rev().filter(|begin| begin % 4 == 0);
        begins.into_iter().find_map(|begin| {
            let walk = |from: u32| skip(image, begin + from as usize, PER_MARKER);
            let fits = |pair: &[u32]| walk(pair[0]) == Some(begin + pair[1] as usize);
            if skip(image, begin, PER_MARKER) != Some(begin + from) || !markers.windows(2).all(fits)
            {
                return None;
            }
            let counts = PER_MARKER * (markers.len() - 1) + 1..=PER_MARKER * markers.len();
            let counted = |before: usize| {
                let counted_at = begin.checked_sub(before)?;
                let count = word(image, counted_at)? as usize;
                let names = Names { image, begin, end: at, count, counted_at };
                (counts.contains(&count) && count <= MOST).then_some(names)
            };
            counted(8).or_else(|| counted(4))
        })
    }

    /// Each with its type before it.
    fn all(&self, tokens: &Tokens) -> Option<Vec<String>> {
        let end = skip(self.image, self.begin, self.count).filter(|end| *end <= self.end)?;
        let mut rest = &self.image[self.begin..end];
        let mut names = Vec::with_capacity(self.count);
        while let Some((name, behind)) = split(rest) {
            let bytes: Vec<u8> =
                name.iter().flat_map(|token| tokens.all[usize::from(*token)]).copied().collect();
            names.push(
                String::from_utf8(bytes).ok().filter(|name| name.is_ascii() && name.len() > 1)?,
            );
            rest = behind;
        }
        Some(names)
    }
}

/// A name's tokens, and what is behind them. A length of more than 127 takes two bytes.
fn split(names: &[u8]) -> Option<(&[u8], &[u8])> {
    let (&first, rest) = names.split_first()?;
    let (length, rest) = match first & 0x80 {
        0 => (usize::from(first), rest),
        _ => {
            let (&second, rest) = rest.split_first()?;
            (usize::from(first & 0x7f) | usize::from(second) << 7, rest)
        }
    };
    rest.split_at_checked(length).filter(|(name, _)| !name.is_empty())
}

/// Where the names from `at` on end if they are so many.
fn skip(image: &[u8], at: usize, count: usize) -> Option<usize> {
    let mut rest = image.get(at..)?;
    for _ in 0..count {
        rest = split(rest)?.1;
    }
    Some(image.len() - rest.len())
}

/// The offset of each symbol, and what it is relative to: one of the kernel's own `addresses`, which is beside them. Until Linux 6.3 both are
/// before the names, since then behind the tokens. Xen's are before the names, and nothing says what they are relative to.
fn offsets(
    image: &[u8],
    names: &Names,
    behind: usize,
    addresses: &[Range<u64>],
) -> Option<(Vec<i32>, Base)> {
    let length = 4 * names.count;
    let read = |at: usize| {
        let all = image.get(at..at.checked_add(length)?)?;
        let (all, _) = all.as_chunks::<4>();
        Some(all.iter().map(|bytes| i32::from_le_bytes(*bytes)).collect::<Vec<i32>>())
    };
    let is_address = |base: &u64| *base != 0 && addresses.iter().any(|all| all.contains(base));
    for width in [8, 4] {
        let padded = length.next_multiple_of(width);
        let late = behind.next_multiple_of(width);
        let early = names.counted_at.wrapping_sub(width);
        for (at, base) in [(late, late + padded), (early.wrapping_sub(padded), early)] {
            let long = || word(image, base + 4).map(u64::from);
            let low = word(image, base).map(u64::from);
            let base = if width == 8 { low.zip(long()).map(|(a, b)| a | b << 32) } else { low };
            if let Some(base) = base.filter(is_address)
                && let Some(offsets) = read(at)
            {
                let downwards = offsets.iter().filter(|offset| **offset < 0).count();
                let is_below = 2 * downwards > offsets.len();
                return Some((offsets, if is_below { Base::Below(base) } else { Base::At(base) }));
            }
        }
    }
    let offsets = read(names.counted_at.checked_sub(length)?)?;
    offsets.is_sorted().then_some((offsets, Base::None))
}

#[cfg(test)]
mod tests;
