//! What the documentation says is what the command understands.

use super::Cli;
use clap::Parser;
use std::fs;
use std::path::{Path, PathBuf};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// Every page with its text.
fn pages() -> Vec<(String, String)> {
    let folders = [root(), root().join("docs"), root().join("docs/lab")];
    let entries = folders.map(|folder| fs::read_dir(folder).unwrap());
    let paths = entries.into_iter().flatten().map(|entry| entry.unwrap().path());
    let pages = paths.filter(|path| path.extension().is_some_and(|end| end == "md"));
    pages.map(|path| (path.display().to_string(), fs::read_to_string(&path).unwrap())).collect()
}

/// The shell commands of a page's code blocks, continued lines joined.
fn commands(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    for block in text.split("```").skip(1).step_by(2) {
        if let Some(script) = block.strip_prefix("sh\n").or(block.strip_prefix("yaml\n")) {
            let joined = script.replace("\\\n", " ");
            found.extend(joined.lines().filter_map(|line| {
                let line = line.trim().trim_start_matches("- ").trim_start_matches("time ");
                line.starts_with("tare ").then(|| line.to_owned())
            }));
        }
    }
    found
}

/// The words of a command as a shell takes them, up to what follows it.
fn words(line: &str) -> Vec<String> {
    let mut words = Vec::new();
    let mut word = String::new();
    let mut quote = None;
    let mut begun = false;
    for c in line.chars() {
        match (c, quote) {
            ('\'' | '"', None) => (quote, begun) = (Some(c), true),
            (c, Some(open)) if c == open => quote = None,
            ('#' | '>' | '|' | ';' | '&', None) if !begun => break,
            (' ', None) => {
                if begun {
                    words.push(std::mem::take(&mut word));
                }
                begun = false;
            }
            (c, _) => {
                word.push(c);
                begun = true;
            }
        }
    }
    if begun {
        words.push(word);
    }
    words
}

#[test]
fn every_command_of_the_documentation_is_understood() {
    let mut seen = 0;
    let mut wrong = Vec::new();
    for (page, text) in pages() {
        for line in commands(&text) {
            // What a reader or a runner puts in is one that works.
            let line = line.replace("$BLOCKS", "3").replace("$BUDGET", "1m").replace("N,...", "1");
            seen += 1;
            if let Err(error) = Cli::try_parse_from(words(&line)) {
                wrong.push(format!("{page}: {line}\n{error}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(seen > 60, "only {seen} commands were found");
}

/// `FILE` and `DIR` are good for what stands in their place.
#[test]
fn every_command_that_answers_a_papers_question_is_understood() {
    for paper in tare_import::papers().unwrap() {
        for command in paper.question.iter().filter_map(|question| question.by.as_deref()) {
            if let Err(error) = Cli::try_parse_from(words(command)) {
                panic!("{}: {command}\n{error}", paper.id);
            }
        }
    }
}

#[test]
fn every_example_of_the_help_is_understood_and_every_verb_has_one() {
    for (verb, examples) in super::help::EXAMPLES {
        assert!((1..=5).contains(&examples.len()), "{verb}");
        for (line, _) in *examples {
            let words = words(line);
            if let Err(error) = Cli::try_parse_from(words) {
                panic!("{verb}: {line}\n{error}");
            }
        }
    }
    let all = super::command();
    let named = |verb: &str| super::help::EXAMPLES.iter().any(|(name, _)| *name == verb);
    for verb in all.get_subcommands().filter(|verb| !verb.is_hide_set()) {
        assert!(named(verb.get_name()), "{} has no example", verb.get_name());
    }
}

#[test]
fn help_names_every_verb_and_hides_no_flag_of_the_long_one() {
    let text = super::command().render_help().to_string();
    for verb in super::command().get_subcommands().filter(|verb| !verb.is_hide_set()) {
        assert!(text.contains(&format!("\n  {} ", verb.get_name())), "{}\n{text}", verb.get_name());
    }
    assert!(text.lines().all(|line| line.chars().count() <= 80), "{text}");
    let mut all = super::command();
    let run = all.find_subcommand_mut("run").unwrap();
    let short = run.render_help().to_string();
    let long = run.render_long_help().to_string();
    let flags =
        |text: &str| text.lines().filter(|line| line.trim_start().starts_with("--")).count();
    assert!(flags(&short) <= 18, "{short}");
    assert!(flags(&long) > 40, "{long}");
    assert!(!long.contains("\nOptions:\n      --"), "every flag is in a group:\n{long}");
}

/// A message that the FAQ explains is one that tare has.
#[test]
fn every_message_of_the_faq_is_in_the_sources() {
    let faq = fs::read_to_string(root().join("docs/faq.md")).unwrap();
    let mut sources = String::new();
    let mut open = vec![root().join("crates")];
    while let Some(folder) = open.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                open.push(path);
            } else if path.extension().is_some_and(|end| end == "rs")
                && !path.ends_with("cli/tests.rs")
            {
                sources += &fs::read_to_string(&path).unwrap();
            }
        }
    }
    let messages: Vec<&str> =
        faq.lines().filter_map(|line| line.strip_prefix("**`")?.split('`').next()).collect();
    assert!(messages.len() >= 8, "{messages:?}");
    for message in messages {
        let message = message.replace("tare.toml is", "{} is");
        assert!(sources.contains(&message), "nothing prints '{message}'");
    }
}
