//! The command line.

use crate::fault::Fault;
use std::path::PathBuf;

pub const USAGE: &str = "\
usage: tare-vmm --kernel FILE [--initrd FILE] [--append TEXT] [--memory MIB] [--cpus 1]
the console is standard error, the guest's second serial port standard input and output";

/// Least and most memory of a guest, in MiB.
const MEMORY: (u64, u64) = (32, 1 << 20);

/// Longest kernel command line (the x86 kernel's COMMAND_LINE_SIZE, its final zero included).
const LONGEST: usize = 2048;

#[derive(Debug, PartialEq)]
pub struct Args {
    /// A bzImage, or an ELF image with a PVH entry.
    pub kernel: PathBuf,
    pub initrd: Option<PathBuf>,
    /// The kernel's arguments.
    pub append: String,
    /// Memory in MiB.
    pub memory: u64,
}

impl Args {
    /// Reads the arguments after the program's name.
    pub fn parse(mut words: impl Iterator<Item = String>) -> Result<Args, Fault> {
        let mut kernel = None;
        let mut initrd = None;
        let mut append = String::new();
        let mut memory = 512;
        while let Some(option) = words.next() {
            let value = words.next().ok_or_else(|| usage(format!("{option} lacks its value")))?;
            match option.as_str() {
                "--kernel" => kernel = Some(PathBuf::from(value)),
                "--initrd" => initrd = Some(PathBuf::from(value)),
                "--append" => append = value,
                "--memory" => memory = number(&option, &value, MEMORY.0, MEMORY.1)?,
                "--cpus" => number(&option, &value, 1, 1).map(drop)?,
                _ => return Err(usage(format!("there is no option {option}"))),
            }
        }
        let kernel = kernel.ok_or_else(|| usage("--kernel FILE is missing".into()))?;
        if append.len() >= LONGEST || append.contains('\0') {
            let why = format!("--append takes up to {} bytes without a zero", LONGEST - 1);
            return Err(usage(why));
        }
        Ok(Args { kernel, initrd, append, memory })
    }
}

fn usage(why: String) -> Fault {
    Fault::Usage(format!("{why}\n{USAGE}"))
}

fn number(option: &str, value: &str, least: u64, most: u64) -> Result<u64, Fault> {
    let number = value.parse().ok().filter(|number| (least..=most).contains(number));
    number.ok_or_else(|| usage(format!("{option} {value}: from {least} to {most}")))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(line: &str) -> Result<Args, String> {
        let words = line.split(' ').filter(|word| !word.is_empty()).map(str::to_owned);
        Args::parse(words).map_err(|fault| fault.to_string())
    }

    #[test]
    fn options_are_read() {
        let args = parse("--kernel k --initrd i --append quiet --memory 128 --cpus 1").unwrap();
        let wanted = Args {
            kernel: "k".into(),
            initrd: Some("i".into()),
            append: "quiet".into(),
            memory: 128,
        };
        assert_eq!(args, wanted);
        assert_eq!(parse("--kernel k").unwrap().memory, 512);
    }

    #[test]
    fn mistakes_are_named() {
        let refused = |line: &str| parse(line).unwrap_err();
        assert!(refused("").contains("--kernel FILE is missing"));
        assert!(refused("--kernel").contains("lacks its value"));
        assert!(refused("--kernal k").contains("no option --kernal"));
        assert!(refused("--kernel k --cpus 2").contains("from 1 to 1"));
        assert!(refused("--kernel k --memory 1G").contains("from 32"));
        let long = format!("--kernel k --append {}", "x".repeat(LONGEST));
        assert!(refused(&long).contains("2047 bytes"));
    }
}
