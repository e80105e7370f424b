//! Files that hold several systems one after the other, of which none may be taken for another's repeat.

use crate::Fault;
use crate::lines::short;

/// A place in a file where a tool's output begins, and what it says of the system that it ran on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Beginning {
    /// The line, from 1, at which a part of the file could be cut off.
    pub line: usize,
    /// What stands there of the system; the same for repeats on one.
    pub system: String,
}

/// Refuses a file whose parts are of several systems: their figures would be pooled as repeats on one layer.
///
/// # Errors
/// At the second system, with the lines to cut at.
pub(crate) fn one_only(beginnings: &[Beginning]) -> Result<(), Fault> {
    let Some(first) = beginnings.first() else { return Ok(()) };
    let mut systems = vec![first];
    for beginning in beginnings {
        if beginning.system != systems[systems.len() - 1].system {
            systems.push(beginning);
        }
    }
    let [_, second, ..] = systems[..] else { return Ok(()) };
    let names: Vec<String> =
        systems.iter().map(|one| format!("line {}: {}", one.line, short(&one.system))).collect();
    let cuts: Vec<String> = systems[1..].iter().map(|one| one.line.to_string()).collect();
    let why = format!(
        "this file holds several systems ({}), which would be one layer; cut it before them and name a layer for each \
         part: csplit FILE {}; tare import ... --layer A xx00 --layer B xx01",
        names.join("; "),
        cuts.join(" ")
    );
    Err(Fault::at(second.line, 1, why))
}

/// The text of the nearest line before `at` (from 1) that says something, and its number; none when that is a rule.
pub(crate) fn title<'a>(lines: &[&'a str], at: usize) -> Option<(usize, &'a str)> {
    let above = lines.get(..at.checked_sub(1)?)?;
    let place = above.iter().rposition(|line| !line.trim().is_empty())?;
    let text = above[place].trim();
    let rule = text.chars().all(|c| "-=*_#".contains(c));
    (!rule).then_some((place + 1, text))
}

/// `text` without its digits: numbers count runs and tell times.
pub(crate) fn without_digits(text: &str) -> String {
    text.chars().filter(|c| !c.is_ascii_digit()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn beginnings(systems: &[&str]) -> Vec<Beginning> {
        let one =
            |(at, system): (usize, &&str)| Beginning { line: 10 * at, system: system.to_string() };
        systems.iter().enumerate().map(one).collect()
    }

    #[test]
    fn repeats_pass_and_several_systems_do_not() {
        assert!(one_only(&[]).is_ok());
        assert!(one_only(&beginnings(&["a", "a", "a"])).is_ok());
        let fault = one_only(&beginnings(&["a", "a", "b", "c"])).unwrap_err();
        assert_eq!(fault.line, 20);
        assert!(fault.why.contains("csplit FILE 20 30;"), "{fault}");
    }

    #[test]
    fn a_title_is_the_nearest_line_that_is_no_rule() {
        let lines = ["", "Guest 2", "", "====", "Banner"];
        assert_eq!(title(&lines, 4), Some((2, "Guest 2")));
        assert_eq!(title(&lines, 5), None);
        assert_eq!(title(&lines, 1), None);
        assert_eq!(without_digits("Guest 2"), "Guest ");
    }
}
