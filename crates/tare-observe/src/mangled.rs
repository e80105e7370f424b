//! Names of functions as compilers of C++ and Rust write them, in a form to be read.

use cpp_demangle::{DemangleOptions, Symbol};
use std::borrow::Cow;

/// How many parts of a name are shown.
const SHOWN: usize = 2;

/// `_ZN3foo3barEv` is `foo::bar`: the last two parts of the name, without what is generic in it. Any other name stays.
pub(crate) fn plain(name: &str) -> Cow<'_, str> {
    if let Ok(found) = rustc_demangle::try_demangle(name) {
        return last_parts(&format!("{found:#}")).into();
    }
    let options = DemangleOptions::new().no_params().no_return_type();
    let of_cpp = name.starts_with("_Z").then(|| Symbol::new(name).ok()).flatten();
    let plain = of_cpp.and_then(|symbol| symbol.demangle_with_options(&options).ok());
    plain.map_or(name.into(), |plain| last_parts(&plain).into())
}

/// The last parts of a path, without what stands in angle brackets.
fn last_parts(path: &str) -> String {
    let mut depth = 0_usize;
    let mut flat = String::new();
    for c in path.chars() {
        match c {
            '<' => depth += 1,
            '>' => depth = depth.saturating_sub(1),
            _ if depth == 0 => flat.push(c),
            _ => {}
        }
    }
    let parts = flat.split("::").map(|part| part.trim_matches(['{', '}', ' ']));
    let parts: Vec<&str> = parts.filter(|part| !part.is_empty()).collect();
    parts[parts.len().saturating_sub(SHOWN)..].join("::")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_compilers_are_read_and_others_stay() {
        for (name, said) in [
            ("_ZN4core3ptr13drop_in_place17h0123456789abcdefE", "ptr::drop_in_place"),
            ("_ZNK3foo3barEv", "foo::bar"),
            ("_ZNSt6vectorIiSaIiEE9push_backEOi", "vector::push_back"),
            ("_Z3fooi", "foo"),
            ("_ZL4mainv", "main"),
            ("_ZN1a28_$u7b$$u7b$closure$u7d$$u7d$17h0123456789abcdefE", "a::closure"),
            ("_RNvNtCs1234_7mycrate3foo3bar", "foo::bar"),
            ("_Z", "_Z"),
            ("_ZN999999999999999999999999x", "_ZN999999999999999999999999x"),
            ("_ZN9abc", "_ZN9abc"),
            ("_ZN1é", "_ZN1é"),
            ("main", "main"),
            ("", ""),
        ] {
            assert_eq!(plain(name), said);
        }
    }
}
