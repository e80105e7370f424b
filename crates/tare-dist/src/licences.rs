//! The licences of everything in a release, each text once.

use crate::parts::{Origin, Part};
use anyhow::{Context, Result, bail};
use spdx::{Expression, LicenseId, ParseMode};
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

/// Licences that may be in a release: all of them allow it to be passed on under tare's own licence.
const ALLOWED: &[&str] = &[
    "0BSD",
    "Apache-2.0",
    "BSD-2-Clause",
    "BSD-3-Clause",
    "BSL-1.0",
    "CC0-1.0",
    "ISC",
    "MIT",
    "MIT-0",
    "MPL-2.0",
    "Unicode-3.0",
    "Unlicense",
    "Zlib",
];

/// How files with the text of a licence are called, in upper case.
const FILES: &[&str] = &["LICENSE", "LICENCE", "COPYING", "COPYRIGHT", "NOTICE", "UNLICENSE"];

/// The licences as one text: who is under which, then each text with those that it is of.
///
/// # Errors
/// A crate that names no licence, or only such as are not in the list above.
pub fn text(parts: &[Part]) -> Result<String> {
    let mut list = String::from(
        "The parts of this release that others have written, and their licences.\n\
         Where a part may be used under one of several licences, all of their texts are below.\n\n",
    );
    let mut texts: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for part in parts.iter().filter(|part| part.origin != Origin::Own) {
        let name = format!("{} {}", part.name, part.version);
        list += &format!("{name}: {}\n", part.licence);
        if let Origin::ToolChain(how) = part.origin {
            list += &format!("    {how}\n");
        }
        for text in texts_of(part).with_context(|| format!("the licence of {name}"))? {
            texts.entry(text).or_default().push(name.clone());
        }
    }
    for (text, names) in texts {
        let rule = "-".repeat(80);
        list += &format!("\n{rule}\n{}:\n\n{text}\n", names.join(", "));
    }
    Ok(list)
}

/// The texts that apply to a part: its own files, or else the licences that it names.
fn texts_of(part: &Part) -> Result<Vec<String>> {
    let expression = Expression::parse_mode(&part.licence, ParseMode::LAX)
        .map_err(|error| anyhow::anyhow!("'{}': {}", part.licence, error.reason))?;
    let own = match &part.origin {
        Origin::Crate(folder) => {
            let allowed = |id: LicenseId| ALLOWED.contains(&id.name);
            if !expression.evaluate(|one| one.license.id().is_some_and(allowed)) {
                bail!(
                    "'{}' is not in the list of licences that a release may contain",
                    part.licence
                );
            }
            files(folder)?
        }
        Origin::Own | Origin::ToolChain(_) => Vec::new(),
    };
    if !own.is_empty() {
        return Ok(own);
    }
    let ids = expression.requirements().filter_map(|one| one.req.license.id());
    let mut texts: Vec<String> = ids.map(|id| tidy(id.text())).collect();
    texts.dedup();
    Ok(texts)
}

/// The texts that lie beside a crate's manifest.
fn files(folder: &Path) -> Result<Vec<String>> {
    let mut paths = Vec::new();
    for entry in fs::read_dir(folder).with_context(|| folder.display().to_string())? {
        let path = entry?.path();
        let name = path.file_name().unwrap_or_default().to_string_lossy().to_uppercase();
        if path.is_file() && FILES.iter().any(|begin| name.starts_with(begin)) {
            paths.push(path);
        }
    }
    paths.sort();
    let read = |path| Ok(tidy(&String::from_utf8_lossy(&fs::read(path)?)));
    paths.into_iter().map(read).collect()
}

/// Without the differences that mean nothing, so that equal texts are one.
fn tidy(text: &str) -> String {
    let lines: Vec<&str> = text.lines().map(str::trim_end).collect();
    lines.join("\n").trim_matches('\n').to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn part(licence: &str) -> Part {
        Part {
            name: "thing".into(),
            version: "1.0.0".into(),
            licence: licence.into(),
            origin: Origin::Crate(env!("CARGO_MANIFEST_DIR").into()),
            checksum: None,
            needs: Vec::new(),
        }
    }

    #[test]
    fn a_crate_without_a_text_gets_those_that_it_names() {
        let text = text(&[part("MIT/Apache-2.0")]).unwrap();
        assert!(text.contains("thing 1.0.0: MIT/Apache-2.0\n"));
        assert!(
            text.contains("Permission is hereby granted")
                && text.contains("Version 2.0, January 2004")
        );
    }

    #[test]
    fn what_may_not_be_passed_on_is_refused_by_name() {
        for licence in ["GPL-3.0-only", "MIT AND GPL-3.0-only", "", "secret"] {
            let error = text(&[part(licence)]).expect_err(licence);
            assert!(format!("{error:#}").contains("thing 1.0.0"), "{error:#}");
        }
        assert!(text(&[part("MIT OR GPL-3.0-only")]).is_ok());
    }
}
