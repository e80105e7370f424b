//! The names of figures, made once: a file repeats the same few.

use std::sync::Arc;

/// Longest name that a figure gets; the rest of a longer one is cut.
const NAME: usize = 96;

/// Places of the cache at first and at most. Names that fall on the same place displace each other, so no file can make
/// it larger or slower than that.
const PLACES: (usize, usize) = (64, 4096);

/// The last names made, each where its hash says.
#[derive(Debug, Default)]
pub(crate) struct Names {
    places: Vec<Option<Made>>,
    /// Names made since it has its size.
    made: usize,
}

/// What was printed, and what it is called.
#[derive(Debug)]
struct Made {
    printed: (Box<str>, Box<str>),
    suite: Arc<str>,
    name: Arc<str>,
}

impl Names {
    /// The suite and the name `suite/name` of what a tool calls so.
    pub(crate) fn shared(&mut self, suite: &str, name: &str) -> (Arc<str>, Arc<str>) {
        if self.made >= self.places.len() / 2 && self.places.len() < PLACES.1 {
            let size = (4 * self.places.len()).clamp(PLACES.0, PLACES.1);
            self.places.clear();
            self.places.resize_with(size, || None);
            self.made = 0;
        }
        let size = self.places.len();
        let place = &mut self.places[hash(suite, name) % size];
        let known = place.as_ref().filter(|made| {
            let (own_suite, own_name) = &made.printed;
            **own_name == *name && **own_suite == *suite
        });
        if let Some(made) = known {
            return (made.suite.clone(), made.name.clone());
        }
        self.made += 1;
        let tidy = slug(suite);
        let full = format!("{tidy}/{}", slug(name));
        let made =
            Made { printed: (suite.into(), name.into()), suite: tidy.into(), name: full.into() };
        let answer = (made.suite.clone(), made.name.clone());
        *place = Some(made);
        answer
    }
}

/// A name without what tables and shells stumble over: lower case, words joined by `_`, bounded.
pub(crate) fn slug(text: &str) -> String {
    let mut slug = String::new();
    for c in text.chars() {
        match c {
            c if c.is_alphanumeric() || "/.+-".contains(c) => slug.extend(c.to_lowercase()),
            _ if slug.ends_with(['_', '/']) || slug.is_empty() => {}
            _ => slug.push('_'),
        }
        if slug.len() >= NAME {
            break;
        }
    }
    slug.trim_end_matches('_').to_owned()
}

/// Tells the names of one file apart, no more.
fn hash(suite: &str, name: &str) -> usize {
    let mix =
        |sum: u64, word: u64| (sum.rotate_left(23) ^ word).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    let mut sum = suite.len() as u64;
    for chunk in name.as_bytes().chunks(8) {
        let mut word = [0; 8];
        word[..chunk.len()].copy_from_slice(chunk);
        sum = mix(sum, u64::from_le_bytes(word));
    }
    (sum >> 40) as usize
}
