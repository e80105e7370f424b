//! Kernels by a pattern of their packages' names: all versions that the distribution has.

use crate::artifacts::package::{self, by_version};
use crate::{Host, Unavailable};
use std::collections::BTreeSet;
use std::time::Duration;
use tare_keeper::programs::{output, plain};

/// What stands for a version in a pattern.
const ANY: char = '*';

/// How the names of kernels' packages begin.
const PREFIX: &str = "linux-image-";

/// Numbers that a version has at least: `linux-image-6.12-amd64` only depends on one.
const NUMBERS: usize = 3;

/// Longest time for apt to list names.
const LISTING: Duration = Duration::from_secs(30);

/// Most packages that a pattern may stand for.
const MOST: usize = 256;

/// Whether `text` is a pattern of packages rather than a kernel.
pub fn is_pattern(text: &str) -> bool {
    text.contains(ANY) && !text.contains('/')
}

/// The packages of kernels whose names fit `pattern`, the oldest first. A `*` stands for a version: it matches no flavour, so
/// `linux-image-6.*-amd64` has neither cloud kernels nor those for real time.
///
/// # Errors
/// No apt, or no such package.
pub fn kernels(pattern: &str) -> Result<Vec<String>, Unavailable> {
    let said = output(plain("apt-cache").args(["pkgnames", PREFIX]), LISTING).map_err(|why| {
        Unavailable::new(format!("apt lists no kernels: {why}"), "name files instead")
    })?;
    let found = matching(pattern, said.lines());
    match found.len() {
        0 => Err(Unavailable::new(
            format!("no package of a kernel fits {pattern}"),
            "as root: apt-get update; 'apt-cache pkgnames linux-image-' lists what there is",
        )),
        1..=MOST => Ok(found),
        many => Err(Unavailable::new(
            format!("{many} kernels fit {pattern}"),
            format!("narrow it down to {MOST}"),
        )),
    }
}

/// Which of the packages `names` neither apt knows nor the cache has. None where there is no apt to ask.
pub fn unknown_packages<'a>(names: &[&'a str], host: &Host) -> Vec<&'a str> {
    let missing: Vec<&str> =
        names.iter().copied().filter(|name| !package::is_cached(name, host)).collect();
    if missing.is_empty() {
        return missing;
    }
    let Ok(said) = output(plain("apt-cache").arg("pkgnames"), LISTING) else { return Vec::new() };
    let known: BTreeSet<&str> = said.lines().map(str::trim).collect();
    missing.into_iter().filter(|name| !known.contains(name)).collect()
}

fn matching<'a>(pattern: &str, names: impl Iterator<Item = &'a str>) -> Vec<String> {
    let whole = |name: &&str| {
        let numbers = name.strip_prefix(PREFIX).is_some_and(|rest| numbers(rest) >= NUMBERS);
        numbers && fits(pattern.as_bytes(), name.as_bytes())
    };
    let mut found: Vec<String> = names.map(str::trim).filter(whole).map(str::to_owned).collect();
    found.sort_by(|a, b| by_version(a, b));
    found.dedup();
    found
}

/// How many numbers a name begins with: 3 of `6.1.0-47-amd64`.
fn numbers(name: &str) -> usize {
    let version = name.split(|c: char| !c.is_ascii_digit() && c != '.').next().unwrap_or_default();
    version.split('.').filter(|number| !number.is_empty()).count()
}

/// Whether `name` fits, a star standing for any text in which no part after a dash begins with a letter.
fn fits(pattern: &[u8], name: &[u8]) -> bool {
    let Some((&first, rest)) = pattern.split_first() else { return name.is_empty() };
    if first != ANY as u8 {
        return name.split_first().is_some_and(|(own, left)| *own == first && fits(rest, left));
    }
    for taken in 0..=name.len() {
        let flavour = name[..taken].windows(2).any(|w| w[0] == b'-' && w[1].is_ascii_alphabetic());
        if flavour {
            return false;
        }
        if fits(rest, &name[taken..]) {
            return true;
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    const NAMES: [&str; 9] = [
        "linux-image-6.1.0-50-amd64",
        "linux-image-6.1.0-9-amd64",
        "linux-image-6.1.0-50-cloud-amd64",
        "linux-image-6.1.0-50-rt-amd64",
        "linux-image-6.12-amd64",
        "linux-image-6.12.100+deb12-amd64",
        "linux-image-6.12.9+deb12-amd64",
        "linux-image-6.1.0-50-amd64-dbg",
        "linux-image-amd64",
    ];

    #[test]
    fn a_star_is_a_version_and_the_oldest_comes_first() {
        let found = matching("linux-image-6.*-amd64", NAMES.into_iter());
        let versions: Vec<&str> = found.iter().map(|name| &name["linux-image-".len()..]).collect();
        assert_eq!(
            versions,
            ["6.1.0-9-amd64", "6.1.0-50-amd64", "6.12.9+deb12-amd64", "6.12.100+deb12-amd64"]
        );
        assert_eq!(matching("linux-image-*-cloud-amd64", NAMES.into_iter()), [NAMES[2]]);
        assert_eq!(matching("linux-image-6.1.0-50-amd64", NAMES.into_iter()), [NAMES[0]]);
        assert!(matching("linux-image-5.*-amd64", NAMES.into_iter()).is_empty());
    }

    #[test]
    fn a_path_is_no_pattern() {
        assert!(is_pattern("linux-image-6.*-amd64"));
        assert!(!is_pattern("/boot/vmlinuz-*") && !is_pattern("linux-image-6.1.0-50-amd64"));
    }
}
