//! The wire survives noise, cuts, flips and floods: a line is a whole message or it is said why not.

use proptest::prelude::*;
use tare_proto::*;

fn series(samples: Vec<f64>) -> FromProbe {
    FromProbe::Series(Series {
        id: 7,
        samples,
        ops: 1000,
        warmup: 3,
        loop_ns: 0.3,
        subtracted: 0.0,
        turns: Vec::new(),
        elapsed_ns: 123,
        short_batch: false,
        counters: vec![tare_proto::Counter::new("cpu_user", 0.25)],
        note: "no perf events".into(),
        outputs: Vec::new(),
    })
}

fn read_all(bytes: &[u8]) -> Vec<Incoming> {
    let mut reader = LineReader::new(bytes);
    std::iter::from_fn(|| reader.next_line().expect("reading from memory")).collect()
}

#[test]
fn a_message_survives_console_noise_before_it_and_carriage_returns() {
    let line = format!("[    0.1] random: crng {}", encode(&FromProbe::Bye)).replace('\n', "\r\n");
    assert_eq!(read_all(line.as_bytes()), [Incoming::Message(FromProbe::Bye)]);
}

#[test]
fn a_message_may_hold_the_prefix_and_come_after_noise_that_does() {
    let message = FromProbe::Panic { message: "tare1 hello, tare1 00000000 {}".into() };
    let line = encode(&message);
    assert_eq!(read_all(line.as_bytes()), [Incoming::Message(message.clone())]);
    let noise = format!("tare1 hello tare1 01234567 x {line}");
    assert_eq!(read_all(noise.as_bytes()), [Incoming::Message(message)]);
    let inside = FromProbe::Panic { message: encode(&FromProbe::Bye) };
    assert_eq!(decode(&encode(&inside)), Ok(inside));
    let many = "tare1 00000000 x".repeat(MAX_LINE / 16);
    assert!(matches!(read_all(many.as_bytes())[..], [Incoming::Damaged(LineError::Checksum, _)]));
}

#[test]
fn an_unknown_message_is_damage_not_noise() {
    let line = encode(&serde_json::json!({"type": "surprise"}));
    assert!(matches!(read_all(line.as_bytes())[..], [Incoming::Damaged(LineError::Unknown(_), _)]));
}

#[test]
fn an_endless_line_is_cut_and_the_next_message_still_arrives() {
    let mut bytes = vec![b'x'; 3 * MAX_LINE];
    bytes.push(b'\n');
    bytes.extend(encode(&FromProbe::Bye).bytes());
    let lines = read_all(&bytes);
    assert!(matches!(&lines[0], Incoming::Noise(text) if text.len() == MAX_LINE));
    assert_eq!(lines[1], Incoming::Message(FromProbe::Bye));
}

#[test]
fn more_samples_or_longer_texts_than_agreed_are_refused() {
    let many = encode(&series(vec![1.0; MAX_SAMPLES + 1]));
    let long = encode(&FromProbe::Panic { message: "x".repeat(100_000) });
    for line in [many, long] {
        assert!(matches!(read_all(line.as_bytes())[..], [Incoming::Damaged(..)]));
    }
}

#[test]
fn a_full_series_fits_a_line() {
    let line = encode(&series(vec![1.234_567_890_123_456_7e-300; MAX_SAMPLES]));
    assert!(line.len() <= MAX_LINE, "{} bytes", line.len());
}

proptest! {
    #[test]
    fn samples_arrive_to_the_last_bit(samples in proptest::collection::vec(-1e300f64..1e300, 0..50)) {
        let message = series(samples);
        prop_assert_eq!(read_all(encode(&message).as_bytes()), vec![Incoming::Message(message)]);
    }

    #[test]
    fn a_flipped_bit_never_passes_as_a_message(at in 0usize..200, bit in 0u8..8) {
        let mut bytes = encode(&series(vec![1.5; 8])).into_bytes();
        let at = at % (bytes.len() - 1);
        bytes[at] ^= 1 << bit;
        let passed = read_all(&bytes).into_iter().any(|line| matches!(line, Incoming::Message(_)));
        prop_assert!(!passed);
    }

    #[test]
    fn a_cut_line_never_passes(keep in 0usize..200) {
        let line = encode(&series(vec![1.5; 8]));
        let keep = keep % (line.len() - 1);
        let passed = read_all(&line.as_bytes()[..keep]).into_iter().any(|l| matches!(l, Incoming::Message(_)));
        prop_assert!(!passed);
    }

    #[test]
    fn any_bytes_are_read_to_their_end(bytes in proptest::collection::vec(any::<u8>(), 0..4000)) {
        read_all(&bytes);
    }
}
