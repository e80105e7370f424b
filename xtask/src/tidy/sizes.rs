//! How long files and functions may be. The limits leave room: nobody should write a tuple or split an `impl` to meet them.

use super::Source;
use syn::spanned::Spanned;
use syn::visit::{self, Visit};

/// Most lines of a file.
const FILE: usize = 400;

/// Most lines of a function, its attributes and comments not counted.
const FUNCTION: usize = 80;

pub fn wrong(sources: &[Source]) -> Vec<String> {
    let mut wrong = Vec::new();
    for source in sources {
        let name = source.path.display();
        let lines = source.text.lines().count();
        if lines > FILE {
            wrong.push(format!("{name}: {lines} lines, {FILE} at most"));
        }
        let mut long = Long::default();
        long.visit_file(&source.file);
        for (line, function, lines) in long.found {
            wrong.push(format!("{name}:{line}: {function} has {lines} lines, {FUNCTION} at most"));
        }
    }
    wrong
}

/// Functions that are too long: first line, name, lines.
#[derive(Default)]
struct Long {
    found: Vec<(usize, String, usize)>,
}

impl Long {
    fn measure(&mut self, signature: &syn::Signature, block: &syn::Block) {
        let first = signature.span().start().line;
        let last = block.span().end().line;
        let lines = last - first + 1;
        if lines > FUNCTION {
            self.found.push((first, signature.ident.to_string(), lines));
        }
    }
}

impl<'ast> Visit<'ast> for Long {
    fn visit_item_fn(&mut self, function: &'ast syn::ItemFn) {
        self.measure(&function.sig, &function.block);
        visit::visit_item_fn(self, function);
    }

    fn visit_impl_item_fn(&mut self, function: &'ast syn::ImplItemFn) {
        self.measure(&function.sig, &function.block);
        visit::visit_impl_item_fn(self, function);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tidy::written;

    #[test]
    fn what_is_too_long_is_named() {
        let body = "    let _ = 1;\n".repeat(FUNCTION - 1);
        let long = format!("//! A.\nstruct A;\nimpl A {{\nfn long() {{\n{body}}}\n}}\n");
        let found = wrong(&written(&[("a.rs", &long), ("b.rs", &"\n".repeat(FILE + 1))]));
        assert_eq!(found.len(), 2, "{found:?}");
        assert!(found[0].contains("a.rs:4: long has 81 lines"), "{found:?}");
        assert!(found[1].contains("b.rs: 401 lines"), "{found:?}");
    }
}
