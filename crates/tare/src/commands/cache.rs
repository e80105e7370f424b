//! `tare cache`: the roots of programs that are kept, and their removal.

use crate::cli::{CacheArgs, CacheVerb};
use crate::{host, output};
use anyhow::{Context, Result};
use std::fmt::Write;
use std::process::ExitCode;
use tare_layers::KeptRoot;
use tare_report::json_text;

pub fn cache(args: &CacheArgs) -> Result<ExitCode> {
    let cache = host::host()?.cache;
    let named = || format!("tare's cache {}", cache.display());
    match args.verb {
        CacheVerb::List { json } => {
            let all = tare_layers::list(&cache).with_context(named)?;
            let text = if json { json_text(&serde_json::json!(all)) } else { for_people(&all) };
            output::print(&text)?;
        }
        CacheVerb::Clear => {
            let removed = tare_layers::clear(&cache).with_context(named)?;
            let kept = tare_layers::list(&cache).with_context(named)?.len();
            let freed = megabytes(removed.iter().map(|root| root.bytes).sum());
            let used = if kept > 0 { format!("; {kept} in use are kept") } else { String::new() };
            output::print(&format!("{} roots removed, {freed} freed{used}.\n", removed.len()))?;
        }
    }
    Ok(ExitCode::SUCCESS)
}

fn for_people(all: &[KeptRoot]) -> String {
    if all.is_empty() {
        return "No roots of programs are kept.\n".into();
    }
    let mut text = String::from("    size  last used  root\n");
    for KeptRoot { recipe, bytes, used, .. } in all {
        let days = used.elapsed().unwrap_or_default().as_secs() / 86_400;
        let ago = if days == 0 { "today".to_owned() } else { format!("{days} d ago") };
        let _ = writeln!(
            text,
            "{:>8}  {ago:>9}  {}",
            megabytes(*bytes),
            tare_proto::harmless(recipe, 200)
        );
    }
    text
}

fn megabytes(bytes: u64) -> String {
    format!("{} MB", bytes.div_ceil(1_000_000))
}
