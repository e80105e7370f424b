//! Names of functions as compilers of C++ and Rust write them, in a form to be read.

use std::borrow::Cow;

/// How Rust writes what no name may hold.
const ESCAPED: [(&str, &str); 3] = [("$u7b$$u7b$", ""), ("$u7d$$u7d$", ""), ("..", "::")];

/// `_ZN3foo3barEv` is `foo::bar`: the last two parts of the name. Any other name stays.
pub(crate) fn plain(name: &str) -> Cow<'_, str> {
    let parts = name.strip_prefix("_Z").map(parts).unwrap_or_default();
    let shown = &parts[parts.len().saturating_sub(2)..];
    if shown.is_empty() {
        return name.into();
    }
    let unescaped =
        ESCAPED.iter().fold(shown.join("::"), |name, (from, to)| name.replace(from, to));
    unescaped.into()
}

/// The parts of a name, each after its length. Rust's last one is a number alone.
fn parts(mangled: &str) -> Vec<&str> {
    let mut parts = Vec::new();
    let mut rest = mangled.trim_start_matches(['N', 'K', 'V', 'r', 'L']);
    rest = rest.strip_prefix("St").unwrap_or(rest);
    while let Some((part, behind)) = first(rest) {
        parts.push(part);
        rest = behind;
        if !mangled.starts_with('N') {
            break; // what follows are the types of its arguments
        }
    }
    let is_hash = |part: &&str| part.len() == 17 && part.starts_with('h');
    parts.pop_if(|part| is_hash(&&**part));
    parts
}

fn first(text: &str) -> Option<(&str, &str)> {
    let digits = text.find(|c: char| !c.is_ascii_digit())?;
    let length: usize = text[..digits].parse().ok()?;
    let part = text[digits..].get(..length).filter(|part| !part.is_empty())?;
    Some((part, &text[digits + length..]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_compilers_are_read_and_others_stay() {
        for (name, said) in [
            ("_ZN4core3ptr13drop_in_place17h0123456789abcdefE", "ptr::drop_in_place"),
            ("_ZNK3foo3barEv", "foo::bar"),
            ("_ZNSt6vectorIiSaIiEE9push_backEOi", "vector"),
            ("_Z3fooi", "foo"),
            ("_ZL4mainv", "main"),
            ("_ZN1a28_$u7b$$u7b$closure$u7d$$u7d$17h0123456789abcdefE", "a::_closure"),
            ("_Z", "_Z"),
            ("_ZN999999999999999999999999x", "_ZN999999999999999999999999x"),
            ("_ZN9abc", "_ZN9abc"),
            ("_ZN2é", "é"),
            ("_ZN1é", "_ZN1é"),
            ("main", "main"),
            ("", ""),
        ] {
            assert_eq!(plain(name), said);
        }
    }
}
