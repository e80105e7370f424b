//! Completions of values in bash, which clap's script leaves to file names: names of layers, suites and benchmarks, and folders
//! that hold campaigns.

use crate::catalog::Catalog;
use anyhow::Result;
use std::fmt::Write;
use tare_layers::{KINDS, Unnamed, other_names};
use tare_report::FORMS;

/// What completes: a flag's value, one of a list behind commas; a folder with a campaign; everything else is clap's affair.
const SCRIPT: &str = r#"
_tare_values() {
    local cur="${COMP_WORDS[COMP_CWORD]}" prev="${COMP_WORDS[COMP_CWORD-1]}" words="" before="" folder
    case "$prev" in
CASES
    esac
    if [ -n "$words" ]; then
        case "$cur" in *,*) before="${cur%,*}," ;; esac
        COMPREPLY=($(compgen -P "$before" -W "$words" -- "${cur##*,}"))
        return 0
    fi
    case "${COMP_WORDS[1]}" in
        show|open|resume|explain|export|report|compare)
            if [[ "$cur" != -* && "$prev" != -* ]]; then
                COMPREPLY=()
                for folder in "$cur"*/; do
                    [ -e "${folder}campaign.db" ] && COMPREPLY+=("${folder%/}")
                done
                [ "${#COMPREPLY[@]}" -gt 0 ] && return 0
                COMPREPLY=($(compgen -d -- "$cur"))
                return 0
            fi
            ;;
    esac
    _tare "$@"
}
complete -F _tare_values -o bashdefault -o default tare
"#;

/// What is added to clap's script.
pub fn values(catalog: &Catalog) -> Result<String> {
    let kinds = KINDS.iter().filter(|kind| kind.unnamed != Unnamed::Ignored);
    let layers = kinds.flat_map(|kind| [kind.name].into_iter().chain(other_names(kind.name)));
    let mut layers: Vec<&str> = layers.chain(["all"]).collect();
    layers.sort_unstable();
    layers.dedup();
    let suites = catalog.suites.iter().map(|suite| suite.name.as_str()).collect();
    let benches = catalog.benches.iter().map(|bench| bench.name.as_str()).collect();
    let forms = FORMS.iter().map(|form| form.name).collect();
    let mut cases = String::new();
    let table: [(&str, Vec<&str>); 8] = [
        ("--layers|--layer", layers),
        ("--suite", suites),
        ("--bench", benches),
        ("--order", vec!["rounds", "series", "boots"]),
        ("--machine", vec!["real", "sim"]),
        ("--design", vec!["full", "fractional", "one-at-a-time"]),
        ("--pin", vec!["auto", "none"]),
        ("--format", forms),
    ];
    for (flags, words) in table {
        writeln!(cases, "        {flags}) words=\"{}\" ;;", words.join(" "))?;
    }
    Ok(SCRIPT.replace("CASES", cases.trim_end()))
}
