//! Which crate depends on which: the manifests against ARCHITECTURE.md's table.

use anyhow::{Context, Result};
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

/// By crate, the crates of the workspace that it depends on.
type Arrows = BTreeMap<String, BTreeSet<String>>;

/// Where the table and the manifests below `root` disagree.
pub fn wrong(root: &Path, map: &str) -> Result<Vec<String>> {
    Ok(differences(&drawn(map), &taken(root)?))
}

fn differences(drawn: &Arrows, taken: &Arrows) -> Vec<String> {
    let mut wrong = Vec::new();
    for (name, depends) in taken {
        let Some(allowed) = drawn.get(name) else {
            wrong.push(format!("ARCHITECTURE.md: the table has no row for the crate `{name}`"));
            continue;
        };
        for other in depends.difference(allowed) {
            wrong.push(format!("{name} depends on {other}, which ARCHITECTURE.md's table forbids"));
        }
        for other in allowed.difference(depends) {
            wrong.push(format!("ARCHITECTURE.md: {name} does not depend on {other}"));
        }
    }
    wrong
}

/// The rows of the table that begins with `| crate | depends on |`: both columns name crates in backquotes.
fn drawn(map: &str) -> Arrows {
    let mut lines = map.lines().skip_while(|line| !line.starts_with("| crate | depends on |"));
    lines.next();
    let rows = lines.take_while(|line| line.starts_with('|')).filter_map(|line| {
        let mut cells = line.trim_matches('|').split('|');
        let name = quoted(cells.next()?).next()?.to_owned();
        Some((name, quoted(cells.next()?).map(str::to_owned).collect()))
    });
    rows.collect()
}

fn quoted(cell: &str) -> impl Iterator<Item = &str> {
    cell.split('`').skip(1).step_by(2)
}

/// What the manifests say; what only tests depend on does not count.
fn taken(root: &Path) -> Result<Arrows> {
    let mut arrows = Arrows::new();
    for entry in fs::read_dir(root.join("crates"))? {
        let manifest = entry?.path().join("Cargo.toml");
        let text = fs::read_to_string(&manifest)
            .with_context(|| format!("cannot read {}", manifest.display()))?;
        let table: toml::Table =
            text.parse().with_context(|| format!("{} is invalid", manifest.display()))?;
        let name = table["package"]["name"].as_str().unwrap_or_default().to_owned();
        let ours = depends(&table).into_iter().filter(|name| name.starts_with("tare-"));
        arrows.insert(name, ours.collect());
    }
    Ok(arrows)
}

/// The packages that a manifest depends on to be built, on whatever target and under whatever name.
fn depends(manifest: &toml::Table) -> Vec<String> {
    let table = |of: &toml::Table, key: &str| of.get(key).and_then(toml::Value::as_table).cloned();
    let targets = table(manifest, "target").unwrap_or_default();
    let places = targets.values().filter_map(toml::Value::as_table).chain([manifest]);
    let kinds = ["dependencies", "build-dependencies"];
    let lists = places.flat_map(|place| kinds.map(|kind| table(place, kind).unwrap_or_default()));
    let package = |(name, how): (String, toml::Value)| {
        how.get("package").and_then(toml::Value::as_str).map_or(name, str::to_owned)
    };
    lists.flatten().map(package).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A workspace of two crates, of which the lower one's manifest holds `lines`.
    fn found(lines: &str) -> Vec<String> {
        let place = tempfile::tempdir().unwrap();
        let map =
            "| crate | depends on |\n|---|---|\n| `tare-a` | `tare-b` |\n| `tare-b` | none |\n";
        for (name, depends) in
            [("tare-a", "[dependencies]\ntare-b.workspace = true"), ("tare-b", lines)]
        {
            let folder = place.path().join("crates").join(name);
            fs::create_dir_all(&folder).unwrap();
            let manifest = format!("[package]\nname = '{name}'\n{depends}\n");
            fs::write(folder.join("Cargo.toml"), manifest).unwrap();
        }
        wrong(place.path(), map).unwrap()
    }

    #[test]
    fn an_arrow_that_is_turned_round_in_a_manifest_fails_however_it_is_written() {
        assert!(found("[dependencies]\nserde = '1'").is_empty());
        assert!(found("[dev-dependencies]\ntare-a.workspace = true").is_empty(), "tests may");
        for turned in [
            "[dependencies]\ntare-a.workspace = true",
            "[dependencies.tare-a]\npath = '../tare-a'",
            "[build-dependencies]\ntare-a.workspace = true",
            "[target.'cfg(unix)'.dependencies]\ntare-a.workspace = true",
            "[dependencies]\nupper = { package = 'tare-a', path = '../tare-a' }",
        ] {
            let wrong = found(turned);
            assert_eq!(
                wrong,
                ["tare-b depends on tare-a, which ARCHITECTURE.md's table forbids"],
                "{turned}"
            );
        }
    }

    #[test]
    fn an_arrow_that_is_turned_round_is_found() {
        let map = "\n| crate | depends on | knows nothing of |\n|---|---|---|\n\
                   | `a` | `b`, `c` | files |\n| `b` | nothing | |\n\n| `x` | `y` |\n";
        let drawn = drawn(map);
        assert_eq!(drawn["a"], ["b", "c"].map(str::to_owned).into());
        assert_eq!(drawn.len(), 2);
        let arrows = |rows: &[(&str, &[&str])]| -> Arrows {
            let set = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect();
            rows.iter().map(|(name, depends)| ((*name).to_owned(), set(depends))).collect()
        };
        assert!(differences(&drawn, &arrows(&[("a", &["b", "c"]), ("b", &[])])).is_empty());
        let turned = differences(&drawn, &arrows(&[("a", &["c"]), ("b", &["a"])]));
        assert_eq!(turned.len(), 2, "{turned:?}");
        assert!(turned.iter().any(|text| text.contains("b depends on a")), "{turned:?}");
    }
}
