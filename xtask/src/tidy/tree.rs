//! A crate's modules, and which of them a file's paths lead to.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use syn::visit::{self, Visit};

/// A module: the names from the crate's root down to it.
pub type Module = Vec<String>;

/// What a file at `path` below a crate's `src` is.
pub fn module(path: &Path) -> Module {
    let mut names: Module =
        path.with_extension("").iter().map(|name| name.to_string_lossy().into_owned()).collect();
    if names.last().is_some_and(|last| ["lib", "main", "mod"].contains(&last.as_str())) {
        names.pop();
    }
    names
}

/// Paths from the crate's root on.
type Paths = BTreeSet<Vec<String>>;

/// The modules of one crate.
#[derive(Default)]
pub struct Tree {
    files: BTreeMap<Module, Names>,
}

/// What one file refers to.
struct Names {
    /// Every path into the crate.
    paths: Paths,
    /// Names that it passes on: `pub use child::Name`.
    passed_on: BTreeMap<String, Vec<String>>,
}

impl Tree {
    /// Adds a file.
    pub fn add(&mut self, module: Module, file: &syn::File) {
        let mut reader =
            Reader { module: module.clone(), paths: Paths::new(), passed_on: BTreeMap::new() };
        reader.visit_file(file);
        let Reader { paths, passed_on, .. } = reader;
        self.files.insert(module, Names { paths, passed_on });
    }

    /// Every module and the modules that its file refers to.
    pub fn arrows(&self) -> impl Iterator<Item = (&Module, Module)> {
        self.files.iter().flat_map(move |(module, names)| {
            names.paths.iter().map(move |path| (module, self.owner(path, 0)))
        })
    }

    /// The module that owns what `path` names, names that are passed on followed to their origin.
    fn owner(&self, path: &[String], depth: usize) -> Module {
        let known = (0..=path.len()).rev().find(|&n| self.files.contains_key(&path[..n]));
        let module = &path[..known.unwrap_or(0)];
        let Some(names) = self.files.get(module) else { return module.to_vec() };
        let next = path.get(module.len()).and_then(|name| names.passed_on.get(name));
        match next {
            Some(origin) if depth < 8 && origin.as_slice() != path => self.owner(origin, depth + 1),
            _ => module.to_vec(),
        }
    }
}

/// Reads the paths of one file.
struct Reader {
    module: Module,
    paths: Paths,
    passed_on: BTreeMap<String, Vec<String>>,
}

impl Reader {
    /// `names` from the crate's root on; `None` when they lead out of the crate.
    fn absolute(&self, names: &[String]) -> Option<Vec<String>> {
        let mut at = match names.first()?.as_str() {
            "crate" => Vec::new(),
            "self" | "super" => self.module.clone(),
            _ => return None,
        };
        for name in names {
            match name.as_str() {
                "crate" | "self" => {}
                "super" => drop(at.pop()),
                name => at.push(name.to_owned()),
            }
        }
        Some(at)
    }

    fn note(&mut self, names: &[String]) {
        self.paths.extend(self.absolute(names));
    }

    fn imported(&mut self, tree: &syn::UseTree, before: &mut Vec<String>, public: bool) {
        let leaf =
            |reader: &mut Reader, name: &syn::Ident, called: &syn::Ident, before: &[String]| {
                let mut path = before.to_vec();
                if name != "self" {
                    path.push(name.to_string());
                }
                reader.note(&path);
                if public {
                    // A child's name needs no `self::` before it.
                    let child: Vec<String> = reader.module.iter().chain(&path).cloned().collect();
                    let origin = reader.absolute(&path).unwrap_or(child);
                    reader.passed_on.insert(called.to_string(), origin);
                }
            };
        match tree {
            syn::UseTree::Path(path) => {
                before.push(path.ident.to_string());
                self.imported(&path.tree, before, public);
                before.pop();
            }
            syn::UseTree::Group(group) => {
                group.items.iter().for_each(|one| self.imported(one, before, public));
            }
            syn::UseTree::Name(name) => leaf(self, &name.ident, &name.ident, before),
            syn::UseTree::Rename(name) => leaf(self, &name.ident, &name.rename, before),
            syn::UseTree::Glob(_) => self.note(before),
        }
    }
}

impl<'ast> Visit<'ast> for Reader {
    fn visit_item_use(&mut self, item: &'ast syn::ItemUse) {
        let public = !matches!(item.vis, syn::Visibility::Inherited);
        self.imported(&item.tree, &mut Vec::new(), public);
    }

    fn visit_path(&mut self, path: &'ast syn::Path) {
        let names: Vec<String> = path.segments.iter().map(|one| one.ident.to_string()).collect();
        if names.len() > 1 {
            self.note(&names);
        }
        visit::visit_path(self, path);
    }

    /// Modules inside a file are tests, which may look at everything.
    fn visit_item_mod(&mut self, _: &'ast syn::ItemMod) {}
}
