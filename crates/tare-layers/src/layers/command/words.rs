//! Words with placeholders: `podman run -v {probe}:/tare-probe` becomes a program and its arguments.

use crate::settings::suggestion;
use crate::{SettingError, Settings};
use std::io;

/// What a placeholder may be called beside the settings of the user's own, and its meaning.
pub(crate) const PLACES: &[(&str, &str)] = &[
    ("probe", "the probe, a static program, as a file on this host"),
    (
        "root",
        "a folder with the probe at /tare-probe and empty proc, sys, dev, tmp, usr, etc and files: a root file system",
    ),
    ("folder", "the boot's own folder, in which the words run; it is removed with the boot"),
    ("files", "a folder on this host's disk, removed with the boot"),
    ("image", "the folder where save= puts what restore= takes"),
    ("id", "the boot's name, which no other boot has: letters, digits and dashes"),
    ("campaign", "a name that all boots of this campaign share, and no other campaign"),
    ("hash", "the first 16 digits of the probe's SHA-256"),
    ("arch", "the architecture that the probe is for, as uname -m says it"),
    ("cpus", "how many CPUs the layer is to have (vcpus=, default 1)"),
    ("cpu_list", "the CPUs that the campaign's layers are pinned to, such as 2 or 2,3"),
    ("memory", "the memory that it is to have, in MiB (memory=, default 512M)"),
    ("nofile", "how many files a process of this host may open"),
    ("nproc", "how many processes a user of this host may have"),
    ("kernel", "a Linux kernel for a virtual machine (kernel=, or one that tare finds)"),
    ("vmlinux", "the same kernel as an uncompressed ELF image"),
    ("initramfs", "an initramfs whose /init is the probe"),
    (
        "cmdline",
        "that kernel's arguments, for a machine whose first serial line is standard input and output",
    ),
];

/// What a placeholder's name begins with where its value is part of what a shell will read, here or elsewhere.
const FOR_A_SHELL: &str = "sh:";

/// Settings that hold any number of words, none if they are not set.
pub(crate) const LISTS: &[&str] = &["args", "engine", "wrap"];

/// Placeholders that bring the probe.
const BRING: &[&str] = &["probe", "root", "initramfs"];

/// Placeholders that have no meaning before there is a boot.
const OF_A_BOOT: &[&str] = &["id", "files", "image", "cpu_list"];

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Words {
    words: Vec<Vec<Part>>,
    /// A shell takes them apart: then there is one, the whole text.
    shell: bool,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Part {
    Text(String),
    Place(String),
    /// As a shell writes it.
    Quoted(String),
}

impl Words {
    /// The words of the setting `key`, if it is set, taken apart as a shell does or, with `shell`, by one.
    pub fn read(
        settings: &Settings,
        key: &str,
        shell: bool,
    ) -> Result<Option<Words>, SettingError> {
        let Some(text) = settings.get(key) else { return Ok(None) };
        let split = if shell { Some(vec![text.to_owned()]) } else { shlex::split(text) };
        let unclosed = || {
            let what = "a quotation mark is not closed, or nothing follows a backslash";
            SettingError(format!("{key}={text}: {what}"))
        };
        let split = split.ok_or_else(unclosed)?;
        if split.iter().all(|word| word.trim().is_empty()) {
            return Err(SettingError(format!("{key}= has no words")));
        }
        Ok(Some(Words { words: split.iter().map(|word| parts(word)).collect(), shell }))
    }

    /// The first word, if it is a program's name as it stands.
    pub fn program(&self) -> Option<&str> {
        match self.words.first().map(Vec::as_slice) {
            Some([Part::Text(name)]) if !self.shell => Some(name),
            _ => None,
        }
    }

    pub fn places(&self) -> impl Iterator<Item = &str> {
        self.words.iter().flatten().filter_map(|part| match part {
            Part::Place(name) | Part::Quoted(name) => Some(name.as_str()),
            Part::Text(_) => None,
        })
    }

    /// Whether the probe comes with them.
    pub fn bring_the_probe(&self) -> bool {
        self.places().any(|name| BRING.contains(&name))
    }

    /// Fails for a placeholder that is neither tare's nor one of the `own` settings, and for one that only a boot has where
    /// there is none.
    pub fn check(&self, key: &str, own: &[&str], boots: bool) -> Result<(), SettingError> {
        for name in self.places() {
            let tares = PLACES.iter().any(|(place, _)| *place == name) || LISTS.contains(&name);
            if !tares && !own.contains(&name) {
                let all = PLACES.iter().map(|(place, _)| *place).chain(own.iter().copied());
                let near = suggestion(name, &all.collect::<Vec<_>>());
                return Err(SettingError(format!(
                    "{key}= has the placeholder {{{name}}}, which is neither tare's nor a setting of this layer; {near} \
                     (to have the braces themselves: {{{{{name}}}}})"
                )));
            }
            if !boots && OF_A_BOOT.contains(&name) {
                let what = "which only a boot has, and these words run once for all boots";
                return Err(SettingError(format!(
                    "{key}= has the placeholder {{{name}}}, {what}; there is {{campaign}}"
                )));
            }
        }
        Ok(())
    }

    /// A program and its arguments. A word that is nothing but the placeholder of a list becomes as many words as that has.
    pub fn fill(
        &self,
        mut value: impl FnMut(&str) -> io::Result<String>,
    ) -> io::Result<Vec<String>> {
        let mut filled = Vec::new();
        for word in &self.words {
            match word.as_slice() {
                [Part::Place(name)] if LISTS.contains(&name.as_str()) && !self.shell => {
                    filled.extend(shlex::split(&value(name)?).unwrap_or_default());
                }
                parts => filled.push(self.joined(parts, &mut value)?),
            }
        }
        let shell = ["sh", "-c"].map(str::to_owned);
        Ok(if self.shell { shell.into_iter().chain(filled).collect() } else { filled })
    }

    fn joined(
        &self,
        parts: &[Part],
        value: &mut impl FnMut(&str) -> io::Result<String>,
    ) -> io::Result<String> {
        let mut text = String::new();
        for part in parts {
            match part {
                Part::Text(part) => text += part,
                Part::Quoted(name) => {
                    let value = quoted(name, &value(name)?)?;
                    text += &if self.shell { quoted("", &value)? } else { value };
                }
                // A list stands for words in a shell's line, too.
                Part::Place(name) if self.shell && !LISTS.contains(&name.as_str()) => {
                    text += &quoted(name, &value(name)?)?;
                }
                Part::Place(name) => text += &value(name)?,
            }
        }
        Ok(text)
    }
}

/// The value of the placeholder `name` as a shell writes it: one word, or those of a list.
fn quoted(name: &str, value: &str) -> io::Result<String> {
    if !LISTS.contains(&name) {
        return Ok(shlex::try_quote(value).map_err(io::Error::other)?.into_owned());
    }
    let words = shlex::split(value).unwrap_or_default();
    shlex::try_join(words.iter().map(String::as_str)).map_err(io::Error::other)
}

/// What `word` is made of. Only `{lower_case}` and `{sh:lower_case}` are placeholders; `{{lower_case}}` stands for `{lower_case}`,
/// and every other brace for itself.
fn parts(word: &str) -> Vec<Part> {
    let mut parts = Vec::new();
    let mut text = String::new();
    let mut rest = word;
    while let Some(at) = rest.find('{') {
        text += &rest[..at];
        rest = &rest[at..];
        let doubled = rest.strip_prefix("{{").and_then(|rest| Some((name(rest)?, rest)));
        if let Some((name, inside)) = doubled.filter(|(name, i)| i[name.len()..].starts_with("}}"))
        {
            text += &format!("{{{name}}}");
            rest = &inside[name.len() + 2..];
        } else if let Some(name) = name(&rest[1..]) {
            if !text.is_empty() {
                parts.push(Part::Text(std::mem::take(&mut text)));
            }
            parts.push(match name.strip_prefix(FOR_A_SHELL) {
                Some(name) => Part::Quoted(name.to_owned()),
                None => Part::Place(name.to_owned()),
            });
            rest = &rest[name.len() + 2..];
        } else {
            text.push('{');
            rest = &rest[1..];
        }
    }
    text += rest;
    if !text.is_empty() || parts.is_empty() {
        parts.push(Part::Text(text));
    }
    parts
}

/// The placeholder's name that `rest` begins with, if a brace closes it.
fn name(rest: &str) -> Option<&str> {
    let (name, _) = rest.split_once('}')?;
    let lower = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_';
    let own = name.strip_prefix(FOR_A_SHELL).unwrap_or(name);
    let fine = own.starts_with(|c: char| c.is_ascii_lowercase()) && own.chars().all(lower);
    fine.then_some(name)
}

/// The program that `words` run in the end, with its arguments: what stands behind `env` and its assignments, if they begin so.
pub fn behind_env(words: &[String]) -> &[String] {
    match words.split_first() {
        Some((first, rest)) if first == "env" => {
            let variables = rest.iter().take_while(|word| word.contains('=')).count();
            &rest[variables..]
        }
        _ => words,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str, shell: bool) -> Result<Words, SettingError> {
        let mut settings = Settings::default();
        settings.set("start", text).unwrap();
        Words::read(&settings, "start", shell).map(Option::unwrap)
    }

    fn filled(text: &str, shell: bool) -> Vec<String> {
        let value = |name: &str| match name {
            "probe" => Ok("/a b/probe".to_owned()),
            "args" => Ok("-x 'y z'".to_owned()),
            "engine" => Ok(String::new()),
            other => panic!("{other}"),
        };
        read(text, shell).unwrap().fill(value).unwrap()
    }

    #[test]
    fn a_value_stays_one_word_whatever_it_holds() {
        assert_eq!(
            filled("run -v {probe}:/p '{probe} c'", false),
            ["run", "-v", "/a b/probe:/p", "/a b/probe c"]
        );
        assert_eq!(filled("run {engine} {args} +{args}", false), ["run", "-x", "y z", "+-x 'y z'"]);
        assert_eq!(
            filled("a; exec {probe} {args}", true),
            ["sh", "-c", "a; exec '/a b/probe' -x 'y z'"]
        );
    }

    #[test]
    fn a_value_in_a_shells_text_stays_one_word_of_that_shell() {
        let remote = filled("ssh host 'rm -f {sh:probe}-x; {sh:args} {sh:engine}'", false);
        assert_eq!(remote, ["ssh", "host", "rm -f '/a b/probe'-x; -x 'y z' "]);
        let there = filled("ssh host rm\\ {sh:probe}", true);
        let here = shlex::split(&there[2]).unwrap();
        assert_eq!(here, ["ssh", "host", "rm '/a b/probe'"]);
        assert_eq!(filled("f {{sh:probe}}", false), ["f", "{sh:probe}"]);
    }

    #[test]
    fn braces_that_are_no_placeholder_stay() {
        assert_eq!(
            filled("f {{probe}} ${HOME} {} {.Id} {a", false),
            ["f", "{probe}", "${HOME}", "{}", "{.Id}", "{a"]
        );
        assert_eq!(filled("f {{.Id}} x{probe}", false), ["f", "{{.Id}}", "x/a b/probe"]);
    }

    #[test]
    fn mistakes_name_what_would_be_right() {
        let refusal = |text: &str, boots| {
            read(text, false).and_then(|words| words.check("start", &["image"], boots)).unwrap_err()
        };
        assert!(refusal("run 'a", true).0.contains("not closed"));
        assert!(refusal("''", true).0.contains("no words"));
        let near = refusal("run {prob}", true).0;
        assert!(near.contains("{prob}") && near.contains("did you mean probe"), "{near}");
        assert!(refusal("run {imag}", true).0.contains("did you mean image"));
        assert!(refusal("push {id}", false).0.contains("{campaign}"));
        assert_eq!(
            read("run {image} {args} {id}", false).unwrap().check("s", &["image"], true),
            Ok(())
        );
    }

    #[test]
    fn env_and_its_variables_are_not_the_program() {
        let behind = |line: &str| behind_env(&shlex::split(line).unwrap()).join(" ");
        assert_eq!(behind("env A=1 B='x y' run it=1"), "run it=1");
        assert_eq!(behind("run env A=1"), "run env A=1");
    }
}
