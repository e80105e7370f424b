//! Finds circles between sibling modules of a crate: two modules that depend on each other should be one, or share a third.

use super::Source;
use super::tree::{Module, Tree, module};
use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

/// By sibling: the siblings that it needs, and a file of each that needs it.
type Needs = BTreeMap<String, BTreeMap<String, String>>;

/// Every circle, once.
pub fn wrong(sources: &[Source]) -> Vec<String> {
    let mut crates: BTreeMap<PathBuf, Tree> = BTreeMap::new();
    for source in sources {
        let inside = source.path.iter().position(|name| name == "src");
        let Some(inside) = inside else { continue };
        let below: PathBuf = source.path.iter().take(inside).collect();
        let path: PathBuf = source.path.iter().skip(inside + 1).collect();
        crates.entry(below).or_default().add(module(&path), &source.file);
    }
    crates.iter().flat_map(|(name, tree)| circles(&name.display().to_string(), tree)).collect()
}

fn circles(name: &str, tree: &Tree) -> Vec<String> {
    let mut families: BTreeMap<Module, Needs> = BTreeMap::new();
    for (from, to) in tree.arrows() {
        let common = from.iter().zip(&to).take_while(|(a, b)| a == b).count();
        // A parent and its child may need each other.
        let (Some(a), Some(b)) = (from.get(common), to.get(common)) else { continue };
        let needs = families.entry(from[..common].to_vec()).or_default();
        let file = needs.entry(a.clone()).or_default().entry(b.clone()).or_default();
        if file.is_empty() {
            *file = from.join("/");
        }
    }
    let mut wrong = Vec::new();
    for (parent, needs) in &families {
        let place = [name, "src"].into_iter().chain(parent.iter().map(String::as_str));
        let place = place.collect::<Vec<_>>().join("/");
        let mut told = BTreeSet::new();
        for start in needs.keys() {
            let Some(circle) = circle(needs, start) else { continue };
            let members: BTreeSet<String> = circle.iter().cloned().collect();
            if told.insert(members) {
                let by: Vec<&str> = steps(&circle).map(|(a, b)| needs[a][b].as_str()).collect();
                let round = [circle.join(" → "), circle[0].clone()].join(" → ");
                wrong.push(format!("{place}: a circle {round} (in {})", by.join(", ")));
            }
        }
    }
    wrong
}

/// Each member of the circle and the one that it needs.
fn steps(circle: &[String]) -> impl Iterator<Item = (&String, &String)> {
    circle.iter().zip(circle.iter().cycle().skip(1))
}

/// The shortest way from `start` back to itself.
fn circle(needs: &Needs, start: &String) -> Option<Vec<String>> {
    let mut ways = vec![vec![start.clone()]];
    let mut seen = BTreeSet::new();
    let mut next = 0;
    while let Some(way) = ways.get(next).cloned() {
        next += 1;
        let last = way.last()?;
        for other in needs.get(last).into_iter().flat_map(BTreeMap::keys) {
            if other == start {
                return Some(way);
            }
            if seen.insert(other.clone()) {
                ways.push(way.iter().chain([other]).cloned().collect());
            }
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tidy::written;

    #[test]
    fn siblings_that_need_each_other_are_found_also_through_what_their_parent_passes_on() {
        let files = [
            ("crates/x/src/lib.rs", "mod a; mod b; mod c; pub use b::Name;"),
            ("crates/x/src/a.rs", "use crate::Name;"),
            ("crates/x/src/b.rs", "fn f() { super::c::g() } struct Name;"),
            ("crates/x/src/c.rs", "use crate::{a::{One, Two}};"),
        ];
        let found = wrong(&written(&files));
        assert_eq!(found.len(), 1, "{found:?}");
        assert!(found[0].contains("crates/x/src: a circle a → b → c → a"), "{found:?}");
    }

    #[test]
    fn a_parent_and_its_child_and_tests_are_no_circle() {
        let files = [
            ("crates/x/src/lib.rs", "mod a; mod b;"),
            ("crates/x/src/a/mod.rs", "mod inner; use inner::One;"),
            ("crates/x/src/a/inner.rs", "use super::Two; use crate::b::Three;"),
            ("crates/x/src/b.rs", "#[cfg(test)] mod tests { use crate::a::Two; }"),
        ];
        assert_eq!(wrong(&written(&files)), Vec::<String>::new());
    }

    #[test]
    fn a_circle_of_methods_is_found_though_no_import_shows_it() {
        let files = [
            ("crates/x/src/lib.rs", "mod a; mod b; mod c;"),
            ("crates/x/src/a.rs", "pub struct All; impl All { fn one(&self) { self.two() } }"),
            ("crates/x/src/b.rs", "use crate::a::All; impl All { fn two(&self) { three(self) } }"),
            ("crates/x/src/c.rs", "use crate::a::All; fn three(all: &All) { all.two() }"),
        ];
        let found = wrong(&written(&files));
        assert_eq!(found, ["crates/x/src: a circle a → b → a (in a, b)"]);
        let apart = [
            ("crates/x/src/lib.rs", "mod a; mod b;"),
            (
                "crates/x/src/a.rs",
                "pub struct Own; impl Own { fn one(&self) { self.two() } fn two(&self) {} }",
            ),
            ("crates/x/src/b.rs", "use crate::a; struct Own; impl Own { fn two(&self) {} }"),
        ];
        assert_eq!(wrong(&written(&apart)), Vec::<String>::new(), "a namesake's method");
    }

    #[test]
    fn paths_in_attributes_and_macros_lead_somewhere_too() {
        for text in [
            "#[arg(value_parser = crate::a::one)] struct B;",
            "fn f() { write!(o, crate::a::one()) }",
        ] {
            let files = [
                ("crates/x/src/lib.rs", "mod a; mod b;"),
                ("crates/x/src/a.rs", "use crate::b::Two;"),
                ("crates/x/src/b.rs", text),
            ];
            assert_eq!(wrong(&written(&files)).len(), 1, "{text}");
        }
    }
}
