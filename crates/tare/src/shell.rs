//! Command lines of a shell: what runs one, and how one is quoted so that it can be typed again.

use std::borrow::Cow;
use std::ffi::OsString;

/// What no shell takes for anything but itself, beside letters and digits.
const PLAIN: &str = "-_./:@+,=%";

/// The words of a command that runs `text` in a shell.
pub fn command(text: &str) -> Vec<String> {
    ["/bin/sh", "-c", text].map(str::to_owned).to_vec()
}

/// The command that this process was started with, as a shell reads it back: word for word.
pub fn own_command() -> String {
    join(std::env::args_os())
}

/// The same with the `seed` of its campaign, which tare has chosen.
pub fn own_command_with_seed(seed: u64) -> String {
    join(with_seed(std::env::args_os().collect(), seed))
}

/// `words` with a flag behind the verb `run`: what stands at the end may be another's command.
fn with_seed(mut words: Vec<OsString>, seed: u64) -> Vec<OsString> {
    if let Some(verb) = words.iter().skip(1).position(|word| word == "run") {
        let behind = verb + 2;
        words.splice(behind..behind, ["--seed".into(), seed.to_string().into()]);
    }
    words
}

/// `words` as a line of a POSIX shell (or bash, or zsh) that gives these words, whatever stands in them.
pub fn join(words: impl IntoIterator<Item = OsString>) -> String {
    let words = words.into_iter().map(|word| quote(&word.to_string_lossy()).into_owned());
    words.collect::<Vec<_>>().join(" ")
}

/// One word, in quotes when a shell would expand or split it. Lines within a word are written as `\n`, since a report shows a command on one.
pub fn quote(word: &str) -> Cow<'_, str> {
    let plain = |c: char| c.is_ascii_alphanumeric() || PLAIN.contains(c);
    // zsh expands a word that begins with an equals sign.
    if !word.is_empty() && !word.starts_with('=') && word.chars().all(plain) {
        return Cow::Borrowed(word);
    }
    let quoted = |text: &str| format!("'{}'", text.replace('\'', r"'\''"));
    // What a shell takes from a command ends without empty lines.
    if word.contains(['\n', '\t']) && !word.ends_with('\n') {
        let format = word.replace('\\', r"\\").replace('%', "%%");
        let format = format.replace('\n', r"\n").replace('\t', r"\t");
        return Cow::Owned(format!("\"$(printf -- {})\"", quoted(&format)));
    }
    Cow::Owned(quoted(word))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::process::Command;

    #[test]
    fn what_a_shell_leaves_alone_stays_as_it_is() {
        let line = ["tare", "run", "--layers", "native,runc", "--pin=2,3", "a/b_c-d.e:f@g+h%"];
        assert_eq!(join(line.map(OsString::from)), line.join(" "));
    }

    #[test]
    fn a_seed_stands_before_a_command_of_the_readers() {
        let with = |line: &str| join(with_seed(line.split(' ').map(OsString::from).collect(), 7));
        assert_eq!(
            with("tare --color never run -- run x"),
            "tare --color never run --seed 7 -- run x"
        );
        assert_eq!(with("run bisect"), "run bisect");
    }

    #[test]
    fn a_shell_gives_back_every_word() {
        let words = [
            "lmbench/*",
            "a?",
            "[ab]",
            "{a,b}",
            "~",
            "$HOME",
            "`id`",
            "a b",
            "",
            "it's",
            "a\"b",
            "!1",
            "#",
            "a;b",
            "a|b",
            "a&b",
            "<a>",
            "(a)",
            "\\",
            "^a",
            "=ls",
            "slower > 3%",
            "a\nb",
            "for i in x:\n\tprint('%d \\n' % i)\n\n  $HOME",
            "ends\n",
            "é",
        ];
        let line = join(["printf", "%s\\0"].into_iter().chain(words).map(OsString::from));
        let shells = ["sh", "bash"].into_iter().filter_map(|shell| {
            let folder = tempfile::tempdir().unwrap();
            std::fs::write(folder.path().join("ab"), "").unwrap();
            Command::new(shell).args(["-c", &line]).current_dir(folder.path()).output().ok()
        });
        for done in shells {
            let text = String::from_utf8(done.stdout).unwrap();
            assert_eq!(
                text.trim_end_matches('\0').split('\0').collect::<Vec<_>>(),
                words,
                "{line}"
            );
        }
    }
}
