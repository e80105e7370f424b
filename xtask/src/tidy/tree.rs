//! A crate's modules, and which of them a file leads to: by its paths, also those in attributes and macros, and by the methods that
//! it calls of a type whose methods stand in several files.

use proc_macro2::{TokenStream, TokenTree};
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

#[derive(Default)]
pub struct Tree {
    files: BTreeMap<Module, Names>,
}

#[derive(Default)]
struct Names {
    paths: Paths,
    /// Names that it passes on: `pub use child::Name`.
    passed_on: BTreeMap<String, Vec<String>>,
    /// Names that it imports, with where they come from.
    imports: BTreeMap<String, Vec<String>>,
    /// The types of which it has inherent methods, with these.
    defines: BTreeSet<Method>,
    /// The methods that it calls of a type that is known.
    calls: BTreeSet<Method>,
}

/// A type's path from the crate's root on, and the name of a method.
type Method = (Vec<String>, String);

impl Tree {
    pub fn add(&mut self, module: Module, file: &syn::File) {
        let mut reader = Reader { module: module.clone(), ..Reader::default() };
        file.items.iter().for_each(|item| reader.import(item));
        reader.visit_file(file);
        self.files.insert(module, reader.names);
    }

    /// Every module and the modules that its file refers to.
    pub fn arrows(&self) -> impl Iterator<Item = (&Module, Module)> {
        let mut homes: BTreeMap<Method, &Module> = BTreeMap::new();
        for (module, names) in &self.files {
            homes.extend(names.defines.iter().map(|method| (self.at_home(method), module)));
        }
        self.files.iter().flat_map(move |(module, names)| {
            let called = names.calls.iter().filter_map(|call| homes.get(&self.at_home(call)));
            let called: Vec<Module> = called.map(|home| (*home).clone()).collect();
            let named = names.paths.iter().map(|path| self.owner(path, 0));
            let all: BTreeSet<Module> = named.chain(called).collect();
            all.into_iter().map(move |to| (module, to))
        })
    }

    /// A method with its type's path where that is defined.
    fn at_home(&self, (path, method): &Method) -> Method {
        let name = path.last().cloned();
        (self.owner(path, 0).into_iter().chain(name).collect(), method.clone())
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

#[derive(Default)]
struct Reader {
    module: Module,
    names: Names,
    /// The type whose methods are being read.
    own: Option<Vec<String>>,
    /// The arguments of the function that is being read whose type is a path.
    arguments: BTreeMap<String, Vec<String>>,
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
        self.names.paths.extend(self.absolute(names));
    }

    fn imported(&mut self, tree: &syn::UseTree, before: &mut Vec<String>, public: bool) {
        let leaf =
            |reader: &mut Reader, name: &syn::Ident, called: &syn::Ident, before: &[String]| {
                let mut path = before.to_vec();
                if name != "self" {
                    path.push(name.to_string());
                }
                reader.note(&path);
                // A child's name needs no `self::` before it.
                let child: Vec<String> = reader.module.iter().chain(&path).cloned().collect();
                let origin = reader.absolute(&path).unwrap_or(child);
                if public {
                    reader.names.passed_on.insert(called.to_string(), origin.clone());
                }
                reader.names.imports.insert(called.to_string(), origin);
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

    fn import(&mut self, item: &syn::Item) {
        if let syn::Item::Use(item) = item {
            let public = !matches!(item.vis, syn::Visibility::Inherited);
            self.imported(&item.tree, &mut Vec::new(), public);
        }
    }

    /// The path of what `ty` is, or refers to, where that is a type of this crate as far as can be seen.
    fn of_type(&self, ty: &syn::Type) -> Option<Vec<String>> {
        match ty {
            syn::Type::Reference(to) => self.of_type(&to.elem),
            syn::Type::Path(path) => {
                let names: Vec<String> = segments(&path.path);
                match names.as_slice() {
                    [own] if own == "Self" => self.own.clone(),
                    [one] => {
                        Some(
                            self.names.imports.get(one).cloned().unwrap_or_else(|| {
                                self.module.iter().chain([one]).cloned().collect()
                            }),
                        )
                    }
                    several => self.absolute(several),
                }
            }
            _ => None,
        }
    }

    /// Notes the paths among tokens that are not Rust's own: of an attribute, of a macro.
    fn tokens(&mut self, tokens: TokenStream) {
        let mut path: Vec<String> = Vec::new();
        let mut colons = 0;
        for token in tokens {
            match token {
                TokenTree::Punct(mark) if mark.as_char() == ':' => colons += 1,
                TokenTree::Ident(name) => {
                    if colons != 2 {
                        self.end(&mut path);
                    }
                    path.push(name.to_string());
                    colons = 0;
                }
                other => {
                    self.end(&mut path);
                    colons = 0;
                    if let TokenTree::Group(group) = other {
                        self.tokens(group.stream());
                    }
                }
            }
        }
        self.end(&mut path);
    }

    fn end(&mut self, path: &mut Vec<String>) {
        if path.len() > 1 {
            self.note(path);
        }
        path.clear();
    }

    /// Reads a function, whose arguments are known while it is.
    fn within(&mut self, signature: &syn::Signature, read: impl FnOnce(&mut Reader)) {
        let named = signature.inputs.iter().filter_map(|input| match input {
            syn::FnArg::Typed(typed) => match &*typed.pat {
                syn::Pat::Ident(name) => Some((name.ident.to_string(), self.of_type(&typed.ty)?)),
                _ => None,
            },
            syn::FnArg::Receiver(_) => Some(("self".into(), self.own.clone()?)),
        });
        let named = named.collect();
        let outer = std::mem::replace(&mut self.arguments, named);
        read(self);
        self.arguments = outer;
    }
}

fn segments(path: &syn::Path) -> Vec<String> {
    path.segments.iter().map(|one| one.ident.to_string()).collect()
}

impl<'ast> Visit<'ast> for Reader {
    fn visit_item_use(&mut self, _: &'ast syn::ItemUse) {}

    fn visit_path(&mut self, path: &'ast syn::Path) {
        let names = segments(path);
        if names.len() > 1 {
            self.note(&names);
        }
        if let ([own, method], Some(of)) = (names.as_slice(), &self.own)
            && own == "Self"
        {
            self.names.calls.insert((of.clone(), method.clone()));
        }
        visit::visit_path(self, path);
    }

    fn visit_item_impl(&mut self, block: &'ast syn::ItemImpl) {
        let outer = self.own.take();
        self.own = self.of_type(&block.self_ty);
        if let (None, Some(own)) = (&block.trait_, self.own.clone()) {
            for item in &block.items {
                if let syn::ImplItem::Fn(method) = item {
                    self.names.defines.insert((own.clone(), method.sig.ident.to_string()));
                }
            }
        }
        visit::visit_item_impl(self, block);
        self.own = outer;
    }

    fn visit_impl_item_fn(&mut self, function: &'ast syn::ImplItemFn) {
        self.within(&function.sig, |reader| visit::visit_impl_item_fn(reader, function));
    }

    fn visit_item_fn(&mut self, function: &'ast syn::ItemFn) {
        self.within(&function.sig, |reader| visit::visit_item_fn(reader, function));
    }

    fn visit_expr_method_call(&mut self, call: &'ast syn::ExprMethodCall) {
        if let syn::Expr::Path(receiver) = &*call.receiver
            && let [name] = segments(&receiver.path).as_slice()
            && let Some(of) = self.arguments.get(name)
        {
            self.names.calls.insert((of.clone(), call.method.to_string()));
        }
        visit::visit_expr_method_call(self, call);
    }

    fn visit_meta_list(&mut self, list: &'ast syn::MetaList) {
        self.tokens(list.tokens.clone());
    }

    fn visit_macro(&mut self, called: &'ast syn::Macro) {
        self.tokens(called.tokens.clone());
        visit::visit_macro(self, called);
    }

    /// Modules inside a file are tests, which may look at everything.
    fn visit_item_mod(&mut self, _: &'ast syn::ItemMod) {}
}
