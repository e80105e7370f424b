//! What `tare verify` prints.

use super::files::{Compared, FileId, Files, State};
use crate::cli::VerifyArgs;
use crate::output;
use anyhow::Result;
use serde_json::json;
use std::fmt::Write;
use tare_board::format::count;
use tare_board::{Repetition, Unequal};
use tare_report::{clean, json_text};
use tare_store::Role;

/// Most differences that the text names; JSON has all.
const SHOWN: usize = 10;

/// Characters of a hash that tell two files apart.
const HASH: usize = 12;

/// Prints how the files compare, and the repetition, if there was one.
pub(super) fn print(args: &VerifyArgs, files: &Files, found: Option<&Repetition>) -> Result<()> {
    if args.json {
        let exact = found.map(Repetition::is_exact);
        let all = json!({ "exact": exact, "files": files.compared, "repetition": found });
        return output::print(&json_text(&all));
    }
    let mut text = about_files(&files.compared);
    match found {
        Some(found) => text += &about(found, args),
        None => {
            text += "Not repeated: guests with other files execute other instructions, so equality cannot be expected. --anyway repeats \
                     it all the same.\n";
        }
    }
    let lines: Vec<String> =
        text.lines().map(|line| output::wrapped(line, output::width())).collect();
    output::print(&(lines.join("\n") + "\n"))
}

fn about_files(compared: &[Compared]) -> String {
    let named = |state: State| -> Vec<String> {
        let of = compared.iter().filter(|file| file.state == state);
        of.map(|file| name(file, ", ")).collect()
    };
    let mut text = String::new();
    let same = named(State::Same);
    if !same.is_empty() {
        let _ = writeln!(text, "The same files as in the record: {}.", same.join("; "));
    }
    let unknown = named(State::NotRecorded);
    if !unknown.is_empty() {
        let unknown = unknown.join("; ");
        let _ = writeln!(
            text,
            "Not in the record, made by an earlier tare, so not compared: {unknown}."
        );
    }
    for file in compared.iter().filter(|file| file.state == State::Different) {
        let (recorded, here) = (which(&file.recorded), which(&file.here));
        let _ =
            writeln!(text, "DIFFERENT {}: {recorded} in the record, {here} here", name(file, ", "));
        let remedy = file.remedy.iter();
        remedy.for_each(|remedy| text += &format!("  remedy: {}\n", clean(remedy)));
    }
    text
}

fn name(file: &Compared, between: &str) -> String {
    let role = clean(&file.role);
    match file.layers.is_empty() {
        true => role,
        false => format!("{role} ({})", clean(&file.layers.join(between))),
    }
}

fn which(file: &FileId) -> String {
    let version = clean(&file.version);
    let hash: String = clean(&file.sha256).chars().take(HASH).collect();
    match (version.is_empty(), hash.is_empty()) {
        (_, true) => "none".into(),
        (true, _) => hash,
        (false, _) => format!("{version}, {hash}"),
    }
}

fn about(found: &Repetition, args: &VerifyArgs) -> String {
    let Repetition { series, same_series, boots, same_boots, .. } = *found;
    let mut text = format!(
        "{same_series} of {series} series are the same, byte for byte, with their counters; {same_boots} of {} began at the same \
         instruction.\n",
        count(boots, "boot")
    );
    if found.is_exact() {
        return text;
    }
    let all = found.differences.len();
    let _ =
        writeln!(text, "{}:", if all > SHOWN { "The first differences" } else { "Differences" });
    found.differences.iter().take(SHOWN).for_each(|one| text += &line(one));
    if all > SHOWN {
        let _ = writeln!(text, "  and {} more; --json has all", all - SHOWN);
    }
    if args.out.is_none() {
        text += "--out DIR keeps the repetition.\n";
    }
    text
}

fn line(one: &Unequal) -> String {
    let again = if one.role == Role::Floor { " again (A/A)" } else { "" };
    let row = one.benchmark.as_ref().map_or(String::new(), |name| format!(", {}", clean(name)));
    format!(
        "  block {}, {}{again}{row}: {} was {}, is {}\n",
        one.block + 1,
        clean(&one.layer),
        clean(&one.what),
        clean(&one.recorded),
        clean(&one.repeated)
    )
}
