//! What a prediction says: the sentence that people decide by, what is refused and why, and what is not known.

use tare_board::{
    Band, Expected, LayerPrediction, Predicted, Prediction, Printed, Profile, Term, Unpriced,
};
use tare_proto::{Better, OPERATIONS, Operation, Unit};
use tare_report::prediction_text;

fn operation(name: &str) -> &'static Operation {
    OPERATIONS.iter().find(|operation| operation.name == name).expect("an operation")
}

fn term(name: &str, baseline_ns: f64, layer_ns: f64, share: f64) -> Term {
    let (name, words) = (name.to_owned(), operation(name).words.to_owned());
    Term { name: name.into(), words, count: Some(2e6), baseline_ns, layer_ns, share }
}

fn expected(ratio: f64, terms: Vec<Term>) -> Predicted {
    Predicted::Ratio(Box::new(Expected {
        ratio,
        low: ratio / 1.08,
        high: ratio * 1.08,
        cpu: None,
        terms,
        unpriced: Vec::new(),
        programs: 9,
        left_out_error: Some(1.07),
    }))
}

fn layer(name: &str, outcome: Predicted) -> LayerPrediction {
    LayerPrediction { layer: name.into(), lacks: Vec::new(), outcome }
}

fn prediction(layers: Vec<LayerPrediction>) -> Prediction {
    let program = Profile {
        name: "program/service".into(),
        unit: Unit::Nanoseconds,
        native_ns: 4e9,
        user_ns: 2e9,
        system_ns: 2e9,
        operations: vec![(operation("epoll"), 2e6), (operation("socket"), 2e6)],
        unknown: 3.0,
        slowdown: Some(2.5),
        looked_at: None,
        lacks: None,
        figures: Vec::new(),
        calls: Vec::new(),
    };
    Prediction { program, baseline: "native".into(), confidence: 0.9, layers }
}

/// The text of a prediction, without its line breaks.
fn said(prediction: &Prediction) -> String {
    prediction_text(prediction, "prices", "--layers native,b")
        .split_whitespace()
        .collect::<Vec<_>>()
        .join(" ")
}

#[test]
fn a_layer_has_a_sentence_with_its_interval_and_what_makes_it() {
    let terms = vec![term("epoll", 1e9, 1.8e9, 0.65), term("socket", 1e9, 1.44e9, 0.35)];
    let both =
        vec![layer("gvisor", expected(1.31, terms)), layer("runc", expected(1.0, Vec::new()))];
    let text = said(&prediction(both));
    let sentence = "gvisor: it would take 1.31 (1.21–1.41, 90%) times as long, mostly for epoll waits and changes and sends \
                    and receives.";
    assert!(text.contains(sentence), "{text}");
    assert!(text.contains("runc: it would take 1.00 (0.93–1.08, 90%) times as long."), "{text}");
    assert!(text.contains("Without the 2.0 M epoll waits and changes it would be 1.11."), "{text}");
    assert!(text.contains("3 of its calls belong to no class"), "{text}");
    assert!(text.contains("of 9 programs measured there, each predicted from the others, half are within a factor of 1.07"));
}

#[test]
fn cpu_time_has_a_sentence_where_it_is_known() {
    let mut both = expected(1.31, Vec::new());
    if let Predicted::Ratio(expected) = &mut both {
        expected.cpu = Some(Band { ratio: 1.62, low: 1.4, high: 1.9 });
    }
    let text = said(&prediction(vec![layer("gvisor", both)]));
    let sentence =
        "times as long. It would use 1.62 (1.40–1.90) times as much CPU time of the host.";
    assert!(text.contains(sentence), "{text}");
}

#[test]
fn figures_that_a_program_prints_follow_its_time() {
    let mut found = prediction(vec![layer("gvisor", expected(1.25, Vec::new()))]);
    let figure = |name: &str, better| Printed { name: name.into(), better };
    found.program.figures =
        vec![figure("program/rate", Better::Higher), figure("program/latency", Better::Lower)];
    let text = said(&found);
    assert!(
        text.contains("gvisor: program/rate would be 0.80 (0.74–0.86) times as large."),
        "{text}"
    );
    assert!(
        text.contains("gvisor: program/latency would be 1.25 (1.16–1.35) times as large."),
        "{text}"
    );
    assert!(text.contains("The figures that it prints are taken to follow its time"), "{text}");
}

#[test]
fn a_layer_without_a_call_of_the_program_will_not_run_it() {
    let mut gvisor = layer("gvisor", expected(1.31, Vec::new()));
    gvisor.lacks = vec!["semop".into(), "io_uring_setup".into()];
    let text = said(&prediction(vec![gvisor]));
    let sentence = "gvisor: it will not run as it does here: gvisor lacks semop, io_uring_setup.";
    assert!(text.contains(sentence), "{text}");
}

#[test]
fn what_is_not_predicted_says_why_and_what_to_measure() {
    let unpriced = Predicted::Unpriced { rows: vec!["operations/epoll".into()] };
    let text =
        said(&prediction(vec![layer("tcg", Predicted::Translated), layer("crun", unpriced)]));
    assert!(text.contains("tcg: not predicted. It translates every instruction"), "{text}");
    assert!(text.contains("crun: not predicted, see below."), "{text}");
    assert!(text.contains("The campaign prices lacks operations/epoll."), "{text}");
    assert!(text.contains("tare run --suite operations --layers native,b"), "{text}");
}

#[test]
fn what_a_layer_has_no_price_for_and_what_a_process_hides_is_said() {
    let mut found = prediction(vec![layer("gvisor", expected(1.2, Vec::new()))]);
    if let Predicted::Ratio(expected) = &mut found.layers[0].outcome {
        let row = "operations/switch".into();
        expected.unpriced =
            vec![Unpriced { row, count: 12_000.0, why: "it waits for ever".into() }];
        expected.left_out_error = None;
    }
    found.program.lacks = Some("page faults");
    let text = said(&found);
    assert!(
        text.contains(
            "gvisor has no operations/switch (it waits for ever), of which it makes 12 k"
        ),
        "{text}"
    );
    assert!(text.contains("Nothing is known of page faults."), "{text}");
    assert!(text.contains("no program with counted operations was measured there"), "{text}");
}
