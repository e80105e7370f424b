//! Text that a campaign, a guest or a file brought.

use serde::{Deserialize, Serialize};
use std::borrow::Borrow;
use std::fmt;

/// Text of a foreign origin, as it came. It neither prints nor becomes a `str` by itself, so that whoever writes it out has to make
/// it harmless first, and the compiler finds where that was forgotten.
#[derive(Clone, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Untrusted(String);

impl Untrusted {
    /// The text as it came, for look-ups, matching and storing, never for output.
    pub fn raw(&self) -> &str {
        &self.0
    }

    /// The text as it came, owned; as [`Untrusted::raw`].
    pub fn into_raw(self) -> String {
        self.0
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

/// As a string literal, like `str`: escapes what a terminal obeys.
impl fmt::Debug for Untrusted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl<T: Into<String>> From<T> for Untrusted {
    fn from(text: T) -> Untrusted {
        Untrusted(text.into())
    }
}

/// Maps by such texts are looked up by plain ones.
impl Borrow<str> for Untrusted {
    fn borrow(&self) -> &str {
        &self.0
    }
}

impl PartialEq<str> for Untrusted {
    fn eq(&self, other: &str) -> bool {
        self.0 == other
    }
}

impl PartialEq<&str> for Untrusted {
    fn eq(&self, other: &&str) -> bool {
        self.0 == *other
    }
}

impl PartialEq<String> for Untrusted {
    fn eq(&self, other: &String) -> bool {
        self.0 == *other
    }
}

impl PartialEq<Untrusted> for str {
    fn eq(&self, other: &Untrusted) -> bool {
        other.0 == self
    }
}

impl PartialEq<Untrusted> for &str {
    fn eq(&self, other: &Untrusted) -> bool {
        other.0 == *self
    }
}

impl PartialEq<Untrusted> for String {
    fn eq(&self, other: &Untrusted) -> bool {
        other.0 == *self
    }
}

/// What those who make text harmless take: text of any origin.
pub trait Foreign {
    /// The text as it came.
    fn raw(&self) -> &str;
}

impl Foreign for Untrusted {
    fn raw(&self) -> &str {
        &self.0
    }
}

impl Foreign for str {
    fn raw(&self) -> &str {
        self
    }
}

impl Foreign for String {
    fn raw(&self) -> &str {
        self
    }
}

impl<T: Foreign + ?Sized> Foreign for &T {
    fn raw(&self) -> &str {
        (**self).raw()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_found_by_plain_text_and_stored_as_text() {
        let text = Untrusted::from("a\u{1b}b");
        assert_eq!(std::collections::BTreeSet::from([text.clone()]).get("a\u{1b}b"), Some(&text));
        assert_eq!(serde_json::to_string(&text).ok().as_deref(), Some(r#""a\u001bb""#));
        assert_eq!(format!("{text:?}"), r#""a\u{1b}b""#);
    }
}
