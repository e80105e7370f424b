//! Checks the Markdown pages: every link leads to something, and every shell command is run by a test or says why not.

use anyhow::Result;
use std::fs;
use std::path::{Path, PathBuf};

/// Opens a block of shell commands.
const SHELL: &str = "```sh";

pub fn wrong(root: &Path) -> Result<Vec<String>> {
    let mut wrong = Vec::new();
    for page in pages(root)? {
        let text = fs::read_to_string(root.join(&page))?;
        let name = page.display();
        let said = unmarked(&text).into_iter().chain(broken(root, &page, &text));
        wrong.extend(said.map(|(line, what)| format!("{name}:{line}: {what}")));
    }
    Ok(wrong)
}

/// The pages at the root and below `docs`, relative to the root.
fn pages(root: &Path) -> Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    let mut open = vec![PathBuf::new(), PathBuf::from("docs")];
    while let Some(folder) = open.pop() {
        for entry in fs::read_dir(root.join(&folder))? {
            let path = folder.join(entry?.file_name());
            if root.join(&path).is_dir() && folder.starts_with("docs") {
                open.push(path);
            } else if path.extension().is_some_and(|extension| extension == "md") {
                found.push(path);
            }
        }
    }
    found.sort();
    Ok(found)
}

/// Blocks of commands of which nobody knows whether they work, with their lines.
fn unmarked(text: &str) -> Vec<(usize, String)> {
    let lines: Vec<&str> = text.lines().collect();
    let mut wrong = Vec::new();
    for (at, line) in lines.iter().enumerate() {
        let before = if at == 0 { "" } else { lines[at - 1] };
        let tested = before == "<!-- tested -->" || before.starts_with("<!-- not tested");
        if *line == SHELL && !tested {
            let how = "say '<!-- tested -->' or '<!-- not tested: WHY -->' above this block";
            wrong.push((at + 1, how.to_owned()));
        }
        if line.starts_with("    tare ") {
            wrong.push((at + 1, format!("commands stand in a block that opens with {SHELL}")));
        }
    }
    wrong
}

/// Links that lead to no file or to no heading, with their lines.
fn broken(root: &Path, page: &Path, text: &str) -> Vec<(usize, String)> {
    let mut wrong = Vec::new();
    for (at, line) in prose(text) {
        for target in line.split("](").skip(1).filter_map(|rest| rest.split(')').next()) {
            if target.contains("://") {
                continue; // Tests have no network.
            }
            let (file, anchor) = target.split_once('#').unwrap_or((target, ""));
            let folder = page.parent().unwrap_or(Path::new(""));
            let path = if file.is_empty() { page.to_owned() } else { folder.join(file) };
            let there = fs::read_to_string(root.join(&path)).ok();
            let leads = match (&there, anchor) {
                (None, _) => root.join(&path).exists() && anchor.is_empty(),
                (Some(_), "") => true,
                (Some(text), anchor) => headings(text).any(|heading| heading == anchor),
            };
            if !leads {
                wrong.push((at, format!("the link to {target} leads nowhere")));
            }
        }
    }
    wrong
}

/// The lines outside of code blocks, numbered from 1.
fn prose(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut code = false;
    text.lines().enumerate().filter_map(move |(at, line)| {
        let fence = line.starts_with("```");
        code ^= fence;
        (!code && !fence).then_some((at + 1, line))
    })
}

/// The names by which a page's headings are linked: in lower case, with hyphens for blanks and without other marks.
fn headings(text: &str) -> impl Iterator<Item = String> {
    let heading = |line: &str| {
        let title = line.starts_with('#').then(|| line.trim_start_matches('#').trim())?;
        let kept = |c: char| match c {
            ' ' | '-' => Some('-'),
            c if c.is_alphanumeric() || c == '_' => Some(c.to_ascii_lowercase()),
            _ => None,
        };
        Some(title.chars().filter_map(kept).collect())
    };
    prose(text).filter_map(move |(_, line)| heading(line))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_to_files_and_headings_are_followed() {
        let tree = tempfile::tempdir().unwrap();
        fs::create_dir(tree.path().join("docs")).unwrap();
        fs::write(
            tree.path().join("README.md"),
            "# One\n[a](docs/a.md#why-is-it-so) [b](docs/none.md)\n",
        )
        .unwrap();
        let page =
            "## Why is it so?\n[up](../README.md#one)\n[no](../README.md#two)\n[here](#why)\n";
        fs::write(tree.path().join("docs/a.md"), page).unwrap();
        let wrong = wrong(tree.path()).unwrap();
        let nowhere =
            |line: &str, target: &str| format!("{line}: the link to {target} leads nowhere");
        let expected = [
            nowhere("README.md:2", "docs/none.md"),
            nowhere("docs/a.md:3", "../README.md#two"),
            nowhere("docs/a.md:4", "#why"),
        ];
        assert_eq!(wrong, expected);
    }

    #[test]
    fn commands_say_whether_a_test_runs_them() {
        let lines =
            |text: &str| unmarked(text).into_iter().map(|(line, _)| line).collect::<Vec<_>>();
        assert_eq!(lines("a\n```sh\ntare run\n```\n"), [2]);
        assert!(lines("<!-- tested -->\n```sh\ntare run\n```\n").is_empty());
        assert!(lines("<!-- not tested: it reboots -->\n```sh\nreboot\n```\n").is_empty());
        assert_eq!(lines("text\n\n    tare run\n"), [3]);
    }
}
