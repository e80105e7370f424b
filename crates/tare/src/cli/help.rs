//! How the help is laid out: few flags in `-h`, groups of all in `--help`, examples in both. What a flag means stands at the flag.

use super::Cli;
use clap::{Command, CommandFactory};
use std::fmt::Write;

/// The verbs of `tare --help`, by how often they are needed.
const GROUPS: &[(&str, &[&str])] = &[
    (
        "Everyday",
        &["doctor", "run", "show", "open", "explain", "compare", "resume", "list", "init"],
    ),
    (
        "More",
        &[
            "predict", "report", "verify", "export", "serve", "import", "merge", "fleet", "cache",
            "generate",
        ],
    ),
    ("Laboratory", &["lab bisect", "lab disk", "lab papers"]),
];

/// The flags that `-h` shows, of verbs that have many more.
const EVERYDAY: &[(&str, &[&str])] = &[
    (
        "run",
        &[
            "layers", "layer", "suite", "bench", "load", "baseline", "budget", "blocks", "out",
            "short", "fail_if", "explain", "require", "root", "metric", "command",
        ],
    ),
    ("predict", &["from", "program", "pid", "trace", "took", "json", "root", "command"]),
];

/// The groups of `tare run --help`; a command's own flags are one already.
const HEADINGS: &[(&str, &[&str])] = &[
    (
        "What is measured",
        &["layers", "layer", "machine", "suite", "bench", "load", "baseline", "config", "require"],
    ),
    (
        "How long, and how exactly",
        &[
            "budget",
            "blocks",
            "series",
            "order",
            "pin",
            "seed",
            "margin",
            "width",
            "most_waited",
            "boot_limit",
            "robust",
        ],
    ),
    ("Result", &["out", "short", "long", "format", "estimator", "fail_if", "fail_undecided"]),
    ("Causes", &["explain", "count", "model"]),
    (
        "Sweeps, neighbours, devices",
        &[
            "sweep",
            "design",
            "yes",
            "beside",
            "neighbour",
            "state",
            "scratch",
            "destroy_disk_contents",
        ],
    ),
];

/// What people type, for each verb: the command, and what it is for.
pub const EXAMPLES: &[(&str, &[(&str, &str)])] = &[
    (
        "run",
        &[
            ("tare run", "the usual layers that run here, in five minutes"),
            ("tare run --layers native,runc,runsc --budget 2m", "these three, in two minutes"),
            ("tare run --layers native,runc -- ./bench --n 1000", "your own command on them"),
            ("tare run --layers native,runsc --explain", "with the causes; as root"),
            ("tare run --layers native,runc --fail-if 'slower > 3%'", "a gate for CI: exit 3"),
        ],
    ),
    (
        "doctor",
        &[
            ("tare doctor", "every layer of this host, and what disturbs measurements"),
            ("tare doctor runsc kvm", "two of them; exit 4 if one cannot run"),
            ("tare doctor --again kvm", "try one again that failed before"),
        ],
    ),
    (
        "show",
        &[
            ("tare show", "the newest campaign of this folder"),
            ("tare show DIR --short", "only the sentences and the table"),
            ("tare show DIR --format json", "for programs"),
        ],
    ),
    ("open", &[("tare open", "the newest campaign of this folder"), ("tare open DIR", "this one")]),
    (
        "compare",
        &[
            ("tare compare BEFORE AFTER", "what has changed, beyond chance"),
            ("tare compare BEFORE AFTER --fail-if 'slower > 3%'", "a gate for CI: exit 3"),
            ("tare compare BEFORE AFTER --by value", "values, for two kernels of one host"),
        ],
    ),
    (
        "resume",
        &[
            ("tare resume", "the newest campaign of this folder"),
            ("tare resume DIR --budget 20m", "until 20 minutes in all are measured"),
        ],
    ),
    (
        "list",
        &[
            ("tare list", "everything"),
            ("tare list runsc", "entries with this word"),
            ("tare list fork --json", "for programs"),
        ],
    ),
    (
        "init",
        &[
            ("tare init", "tare.toml for this host"),
            ("tare init native runc kvm", "with these layers"),
        ],
    ),
    (
        "predict",
        &[
            (
                "tare run --suite operations --layers native,runc,runsc -o prices",
                "once: what operations cost",
            ),
            ("tare predict --from prices -- ./bench", "a command, from one native run"),
            ("tare predict --from prices --pid 1234", "a process that runs already"),
        ],
    ),
    (
        "explain",
        &[
            ("tare explain DIR", "every ratio of a campaign that was run with --explain"),
            ("tare explain DIR lmbench/fork_exit", "one benchmark"),
            (
                "tare explain DIR kernel/getppid --layer runsc --try platform=ptrace",
                "does the row move as explained?",
            ),
            ("tare explain DIR --table metrics", "a column for each layer"),
        ],
    ),
    (
        "report",
        &[
            ("tare report DIR", "the page, DIR/report.html"),
            ("tare report MONDAY TUESDAY", "the history of each benchmark"),
            ("tare report DIR --format svg --out overview.svg", "the picture alone"),
        ],
    ),
    (
        "export",
        &[
            ("tare export DIR --out samples.csv", "every sample"),
            ("tare export DIR --format json", "an object a line"),
        ],
    ),
    ("serve", &[("tare serve .", "the campaigns in this folder, at http://127.0.0.1:7878")]),
    (
        "import",
        &[
            ("tare import --formats", "which tools' outputs can be read"),
            ("tare import --auto --layer a a.log --layer b b.log", "two layers' outputs"),
        ],
    ),
    (
        "verify",
        &[
            ("tare verify DIR", "a campaign of --machine sim, once more; exit 1 if a byte differs"),
            ("tare verify DIR --set kernel=linux-image-6.1.0-56-amd64", "with the record's kernel"),
        ],
    ),
    ("merge", &[("tare merge hosts/a hosts/b --out all", "two hosts' campaigns of one plan")]),
    (
        "fleet",
        &[
            ("tare fleet submit tare.toml --nodes 'n[1-3]' --out fleet", "measure on three nodes"),
            ("tare fleet status fleet", "how far they are"),
            ("tare fleet fetch fleet --out result", "copy and merge what they measured"),
        ],
    ),
    (
        "cache",
        &[
            ("tare cache list", "the roots of programs, with their sizes"),
            ("tare cache clear", "remove them"),
        ],
    ),
    (
        "generate",
        &[
            ("tare generate bash --out ~/.local/share/bash-completion/completions", "completions"),
            ("tare generate man --out man1", "a page for each command"),
        ],
    ),
    (
        "lab",
        &[
            (
                "tare lab bisect --good A --bad B --bench lmbench/fork_exit --over 'linux-image-6.*-amd64'",
                "which kernel made it slower",
            ),
            ("tare lab disk suite", "a paravirtual disk's ring, segments and locks"),
            ("tare lab papers show 000", "a published scoreboard, recomputed"),
        ],
    ),
];

/// The command line with its help laid out.
pub fn command() -> Command {
    let all = Cli::command();
    let verbs: Vec<String> = all.get_subcommands().map(|verb| verb.get_name().to_owned()).collect();
    let all = verbs.into_iter().fold(all, |all, verb| all.mut_subcommand(verb, laid_out));
    let groups = groups(&all);
    all.help_template(format!(
        "{{about-with-newline}}\n{{usage-heading}} {{usage}}\n\n{groups}Options:\n{{options}}{{after-help}}"
    ))
}

fn groups(all: &Command) -> String {
    let mut text = String::new();
    for (group, verbs) in GROUPS {
        let _ = writeln!(text, "{group}:");
        for verb in *verbs {
            let mut words = verb.split(' ');
            let of_all = words.next().and_then(|word| all.find_subcommand(word));
            let found = words.fold(of_all, |of, word| of?.find_subcommand(word));
            let about = found.and_then(Command::get_about).map(ToString::to_string);
            let _ = writeln!(text, "  {verb:10}  {}", about.unwrap_or_default());
        }
        text.push('\n');
    }
    text
}

fn laid_out(verb: Command) -> Command {
    let name = verb.get_name().to_owned();
    let of = |table: &[(&str, &'static [&'static str])]| {
        table.iter().find(|(verb, _)| *verb == name).map(|(_, ids)| *ids)
    };
    let everyday = of(EVERYDAY);
    let examples = EXAMPLES.iter().find(|(verb, _)| *verb == name).map(|(_, all)| examples(all));
    let verb = verb.mut_args(|arg| {
        let id = arg.get_id().to_string();
        let rare = everyday.is_some_and(|ids| !ids.contains(&id.as_str()));
        let heading = HEADINGS.iter().find(|(_, ids)| ids.contains(&id.as_str()));
        let arg = arg.hide_short_help(rare);
        match heading.filter(|_| name == "run") {
            Some((heading, _)) => arg.help_heading(*heading),
            None => arg,
        }
    });
    let Some(examples) = examples else { return verb };
    match everyday {
        Some(_) => verb
            .after_help(format!("{examples}\n'tare {name} --help' has all flags, in groups."))
            .after_long_help(examples),
        None => verb.after_help(examples),
    }
}

fn examples(all: &[(&str, &str)]) -> String {
    let mut text = String::from("Examples:\n");
    for (command, what) in all {
        let _ = writeln!(text, "  {command}\n      {what}");
    }
    text
}
