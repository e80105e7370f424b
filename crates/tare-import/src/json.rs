//! JSON documents in a file, one after another, with whatever text tools print before the first.

use crate::{Fault, Sink};
use serde_json::{Deserializer, Value};

/// Every document in `text`; lines before the first `{` or `[` count as unknown.
pub(crate) fn documents(text: &str, sink: &mut Sink) -> Result<Vec<Value>, Fault> {
    let mut skipped = 0;
    let mut rest = text;
    while !rest.trim_start().is_empty() && !rest.trim_start().starts_with(['{', '[']) {
        rest = rest.split_once('\n').map_or("", |(_, after)| after);
        skipped += 1;
    }
    sink.unknown += skipped;
    if rest.trim().is_empty() {
        return Err(Fault::at(1, 1, "no JSON in the rest of the file"));
    }
    Deserializer::from_str(rest)
        .into_iter::<Value>()
        .map(|document| document.map_err(|e| Fault::at(skipped + e.line(), e.column(), why(&e))))
        .collect()
}

/// The message without its place, which the fault says.
fn why(error: &serde_json::Error) -> String {
    let text = error.to_string();
    text.split(" at line ").next().unwrap_or(&text).to_owned()
}

/// The number at a path of keys.
pub(crate) fn at(value: &Value, path: &[&str]) -> Option<f64> {
    path.iter().try_fold(value, |value, key| value.get(key))?.as_f64()
}

/// The text under a key, empty when there is none.
pub(crate) fn text<'a>(value: &'a Value, key: &str) -> &'a str {
    value.get(key).and_then(Value::as_str).unwrap_or("")
}

/// The list under a key, empty when there is none.
pub(crate) fn list<'a>(value: &'a Value, key: &str) -> &'a [Value] {
    value.get(key).and_then(Value::as_array).map_or(&[], Vec::as_slice)
}
