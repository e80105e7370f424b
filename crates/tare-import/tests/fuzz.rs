//! Real outputs, mutated: every importer on every one of them, without a panic, and with no more figures than bytes.

mod common;

use common::outputs;
use proptest::prelude::*;
use proptest::test_runner::{Config, RngSeed};
use tare_import::{FORMATS, parse, recognise};

/// What happens to a text: where, and what.
#[derive(Debug, Clone)]
enum Change {
    Cut,
    Truncate,
    Insert(String),
    Repeat,
    Replace(char),
}

fn change() -> impl Strategy<Value = (prop::sample::Index, Change)> {
    let token = prop_oneof![
        Just("-1".to_owned()),
        Just("1e999".to_owned()),
        Just("NaN".to_owned()),
        Just("\u{fffd}é☃".to_owned()),
        Just("(".to_owned()),
        Just(" (== ".to_owned()),
        Just("\n".to_owned()),
        Just("\"".to_owned()),
        Just(": ".to_owned()),
        Just("[[[{{{".to_owned()),
        Just("running ".to_owned()),
        "\\PC{0,12}",
    ];
    let what = prop_oneof![
        Just(Change::Cut),
        Just(Change::Truncate),
        token.prop_map(Change::Insert),
        Just(Change::Repeat),
        any::<char>().prop_map(Change::Replace),
    ];
    (any::<prop::sample::Index>(), what)
}

fn apply(text: &mut String, at: prop::sample::Index, what: Change) {
    if text.is_empty() {
        return;
    }
    let mut at = at.index(text.len());
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    let line = text[at..].find('\n').map_or(text.len(), |end| at + end);
    match what {
        Change::Cut => text.replace_range(at..line, ""),
        Change::Truncate => text.truncate(at),
        Change::Insert(token) => text.insert_str(at, &token),
        Change::Repeat => {
            let part = text[at..line].to_owned();
            text.insert_str(at, &part);
        }
        Change::Replace(c) => {
            text.remove(at);
            text.insert(at, c);
        }
    }
}

proptest! {
    #![proptest_config(Config {
        cases: 10_000, failure_persistence: None, rng_seed: RngSeed::Fixed(5), ..Config::default()
    })]

    #[test]
    fn mutated_outputs_never_panic(
        which in any::<prop::sample::Index>(),
        other in any::<prop::sample::Index>(),
        changes in prop::collection::vec(change(), 1..6),
    ) {
        let all = OUTPUTS.get_or_init(outputs);
        let mut text = which.get(all).1.clone();
        for (at, what) in changes {
            apply(&mut text, at, what);
        }
        // The format that it looks like, and any other: people name the wrong one.
        for format in [recognise(&text), Some(*other.get(FORMATS))].into_iter().flatten() {
            match parse(format, &text, "stem", "layer") {
                Ok(parsed) => {
                    prop_assert!(parsed.figures.len() <= text.len());
                    prop_assert!(parsed.figures.iter().all(|f| f.value.is_finite() && f.value >= 0.0));
                }
                Err(fault) => prop_assert!(fault.line <= text.lines().count() + 1 && fault.column >= 1),
            }
        }
    }
}

static OUTPUTS: std::sync::OnceLock<Vec<(String, String)>> = std::sync::OnceLock::new();
