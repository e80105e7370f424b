//! A user's mistake is answered with what would be right, before anything is measured.

mod common;

use common::Bench;

/// Each line, its exit code, and what the message must hold.
const MISTAKES: &[(&str, i32, &[&str])] = &[
    ("run --layers natve", 1, &["no layer 'natve'", "native"]),
    ("run --layer name=qemu,memroy=1G", 1, &["memroy", "memory"]),
    ("run --layer name=qemu,memory=lots", 1, &["memory=lots", "512M"]),
    ("run --layers native,native", 1, &["two layers are called 'native'"]),
    ("run --layer name=../../etc,kind=mock", 1, &["cannot name a layer"]),
    ("run --layers mock --suite vmy", 1, &["no suite 'vmy'", "vmi"]),
    ("run --layers mock --bench lmbench/nul_call", 1, &["lmbench/nul_call", "lmbench/null_call"]),
    ("run --layers mock --bench [", 1, &["--bench ["]),
    ("run --layers mock --baseline nativ", 1, &["no layer 'nativ'"]),
    ("run --layers mock --pin 4095", 1, &["CPU 4095"]),
    ("run --layers mock --pin x", 1, &["--pin x"]),
    ("run --layers mock --config nowhere.toml", 1, &["nowhere.toml"]),
    ("run --layers mock --out /proc/nowhere", 1, &["/proc/nowhere"]),
    ("run --blocks 0", 2, &["0"]),
    ("run --budget soon", 2, &["soon"]),
    ("run --budget 1m --blocks 3", 2, &["--blocks"]),
    ("run --estimator best", 2, &["best"]),
    ("show nowhere", 1, &["nowhere", "no campaign"]),
    ("resume nowhere", 1, &["nowhere"]),
    ("doctor nativ", 1, &["native"]),
    ("wiegh", 2, &["wiegh"]),
    ("keep", 1, &["started by tare itself"]),
];

#[test]
fn mistakes_are_named_and_the_remedy_is_said() {
    let bench = Bench::new();
    for (line, code, words) in MISTAKES {
        let done = bench.tare(line);
        assert_eq!(done.code, *code, "tare {line}\n{}\n{}", done.out, done.err);
        for word in *words {
            assert!(done.err.contains(word), "tare {line}: no '{word}' in\n{}", done.err);
        }
        assert!(done.out.is_empty(), "tare {line} printed a result:\n{}", done.out);
    }
}

#[test]
fn a_bad_configuration_file_is_named_with_its_line() {
    let bench = Bench::new();
    bench.write("tare.toml", "budget = '1m'\nlayers = 3\n");
    let done = bench.tare("run");
    assert_eq!(done.code, 1);
    assert!(done.err.contains("tare.toml") && done.err.contains("layers"), "{}", done.err);
}

#[test]
fn a_configuration_file_says_what_flags_say() {
    let bench = Bench::new();
    bench.write(
        "tare.toml",
        "bench = ['lmbench/null_call']\nblocks = 2\nseed = 9\nbaseline = 'a'\n\
         [[layer]]\nname = 'a'\nkind = 'mock'\n[[layer]]\nname = 'b'\nkind = 'mock'\nvalue = 300\n",
    );
    bench.ok("run --out c");
    let campaign = bench.campaign("c");
    assert_eq!((campaign.plan.seed, campaign.plan.blocks), (9, Some(2)));
    assert_eq!(campaign.layers.iter().map(|l| &l.name).collect::<Vec<_>>(), ["a", "b"]);
    bench.ok("run --blocks 1 --seed 3 --out d");
    assert_eq!(bench.campaign("d").plan.seed, 3, "flags win");
}

#[test]
fn help_and_lists_name_every_row() {
    let bench = Bench::new();
    let list = bench.ok("list").out;
    let json: serde_json::Value = serde_json::from_str(&bench.ok("list --json").out).unwrap();
    for kind in tare_layers::KINDS {
        assert!(list.contains(kind.name), "{} is not in the list", kind.name);
    }
    let benches = json["benchmarks"].as_array().unwrap();
    assert!(benches.len() > 2);
    for bench in benches {
        let name = bench["name"].as_str().unwrap();
        assert!(list.contains(name), "{name} is not in the list");
        let estimator = bench["estimator"].as_str().unwrap();
        assert!(estimator.parse::<tare_stats::Estimator>().is_ok(), "{name}: {estimator}");
    }
    for verb in ["run", "resume", "show", "doctor", "list"] {
        assert!(bench.ok("--help").out.contains(verb));
        assert!(bench.ok(&format!("{verb} --help")).out.contains("Usage"));
    }
}
