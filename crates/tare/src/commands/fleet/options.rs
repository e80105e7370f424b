//! The options of sbatch that stand in the scripts' first lines, each one word of Slurm's.

use crate::cli::SubmitArgs;
use crate::usage::wrong_usage;
use anyhow::Result;

/// Those of each script, as they are written.
pub struct Options {
    pub host: Vec<String>,
    pub merge: Vec<String>,
}

impl Options {
    pub fn from_args(args: &SubmitArgs) -> Result<Options> {
        let account = args.account.iter().map(|name| format!("--account={name}"));
        let all = account.chain(args.sbatch.iter().cloned());
        let merge = all.map(|option| word(&option)).collect::<Result<Vec<_>>>()?;
        let mut host = vec!["--no-requeue".to_owned()];
        host.extend(args.exclusive.then(|| "--exclusive".to_owned()));
        host.extend(args.reboot.then(|| "--reboot".to_owned()));
        host.extend(merge.iter().cloned());
        Ok(Options { host, merge })
    }
}

/// One option as Slurm reads it in a `#SBATCH` line: blanks end it and '#' begins a comment unless they stand in quotes.
fn word(option: &str) -> Result<String> {
    if option.chars().any(|c| c.is_control() || "\"'\\".contains(c)) {
        wrong_usage!(
            "sbatch's option {option:?} has characters that a script's first lines cannot hold: write the scripts with --dry-run, \
             change them, and submit their directory"
        );
    }
    let odd = option.is_empty() || option.contains([' ', '#']);
    Ok(if odd { format!("\"{option}\"") } else { option.to_owned() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_option_stays_one_word_or_is_refused() {
        assert_eq!(word("--time=60").unwrap(), "--time=60");
        assert_eq!(word("--comment=two words #1").unwrap(), "\"--comment=two words #1\"");
        for wrong in ["--comment=a\nrm -rf /", "--comment=\"a", "--comment=it's", "a\\b", "a\tb"] {
            assert!(word(wrong).is_err(), "{wrong:?}");
        }
    }
}
