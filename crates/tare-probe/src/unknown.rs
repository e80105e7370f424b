//! Words of the kernel's command line that are no parameter of it. It hands them to its first program: `name` as an argument,
//! `name=value` as a variable. (Those with a point are taken for a module's, and are not handed on.)

use std::env;
use std::sync::OnceLock;

static WORDS: OnceLock<Vec<String>> = OnceLock::new();

/// Variables that every kernel gives its first program.
const USUAL: [&str; 2] = ["HOME", "TERM"];

/// Keeps what the kernel has handed to this process, its first, with these `arguments`.
pub fn keep(arguments: &[&str]) {
    let variables = env::vars_os().filter(|(name, _)| USUAL.iter().all(|usual| name != usual));
    let variables =
        variables.map(|(name, value)| format!("{}={}", name.display(), value.display()));
    let words = arguments.iter().map(|word| (*word).to_owned());
    WORDS.get_or_init(|| words.chain(variables).collect());
}

/// Those words; none where this process or its parent is no guest's first.
pub fn words() -> Vec<String> {
    WORDS.get().cloned().unwrap_or_default()
}
