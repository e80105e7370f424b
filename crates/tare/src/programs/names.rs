//! What the rows of programs are called.

use anyhow::{Result, bail};
use std::path::Path;

/// Longest name.
const MOST: usize = 40;

fn fine(c: char) -> bool {
    c.is_ascii_alphanumeric() || "-_+".contains(c)
}

/// `name`, if tables and files can hold it.
pub fn checked(name: &str) -> Result<String> {
    let begins = name.starts_with(|c: char| c.is_ascii_alphanumeric());
    if begins && name.len() <= MOST && name.chars().all(fine) {
        return Ok(name.to_owned());
    }
    bail!(
        "'{}' is not a valid name of a program: use up to {MOST} letters, digits, '-', '_' or '+', and begin with a letter or digit",
        name.escape_debug()
    );
}

/// The name of a command: its file's, or the first word of what a shell is told.
pub fn name_of_command(command: &[String]) -> String {
    let first = match command {
        [shell, flag, text] if shell.ends_with("sh") && flag == "-c" => {
            text.split_whitespace().next()
        }
        [first, ..] => Some(first.as_str()),
        [] => None,
    };
    let file = Path::new(first.unwrap_or_default()).file_name().unwrap_or_default();
    let name: String =
        file.to_string_lossy().chars().map(|c| if fine(c) { c } else { '-' }).collect();
    let name: String = name.trim_matches('-').chars().take(MOST).collect();
    if name.is_empty() { "command".into() } else { name }
}

/// The name of the metric `at` of `all`: its group's. A single one needs none.
pub fn metric(regex: &str, at: usize, all: usize) -> Option<String> {
    let named = ["(?<", "(?P<"].iter().find_map(|opens| {
        let (_, rest) = regex.split_once(opens)?;
        let (name, _) = rest.split_once('>')?;
        name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_').then(|| name.to_owned())
    });
    named.filter(|name| !name.is_empty()).or((all > 1).then(|| format!("{}", at + 1)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_is_called_as_its_command_or_its_metric() {
        let of =
            |line: &str| name_of_command(&line.split(' ').map(str::to_owned).collect::<Vec<_>>());
        assert_eq!(of("./bench --n 1000"), "bench");
        assert_eq!(of("/opt/a.b/run.sh"), "run-sh");
        let shell = ["/bin/sh", "-c", "./x | wc"].map(str::to_owned);
        assert_eq!(super::name_of_command(&shell), "x");
        assert_eq!(metric("a: (?<rate>[0-9]+)", 0, 2).as_deref(), Some("rate"));
        assert_eq!(metric("a: ([0-9]+)", 1, 2).as_deref(), Some("2"));
        assert_eq!(metric("(?<!x)([0-9]+)", 0, 1), None);
        assert!(checked("a/b").is_err() && checked("").is_err() && checked("a-1").is_ok());
    }
}
