//! A user's mistake is answered with what would be right, before anything is measured.

mod common;

use common::Bench;

/// What cannot be meant, and what the message must hold: refused with 2, before anything is booted or written.
const WRONG: &[(&str, &[&str])] = &[
    ("wiegh", &["wiegh"]),
    ("disk drive --ring 16 --direct-descriptors", &["34 descriptors", "--ring 64"]),
    ("disk suite --device tape", &["'tape'", "null, file:PATH or model"]),
    ("run --layers natve", &["no layer 'natve'", "native"]),
    ("run --layers native,native", &["two layers are called 'native'"]),
    ("run --layers native,", &["lacks a key or a value"]),
    ("run --layers xen-pv", &["--machine sim has it"]),
    ("run --machine simm", &["simm"]),
    ("run --layer name=qemu,memroy=1G", &["memroy", "memory"]),
    ("run --layer name=qemu,memory=lots", &["memory=lots", "512M"]),
    ("run --layer name=qemu,vcpus=0", &["vcpus=0"]),
    ("run --layer name=uml,disk=4K", &["disk"]),
    ("run --layer name=runc,net=wifi", &["net"]),
    ("run --layer name=x,kind=command", &["layer x", "has no words", "{probe}"]),
    (
        "run --layer name=x,kind=command,start=true",
        &["does not bring the probe", "{probe}", "push="],
    ),
    ("run --layer name=x,kind=command,start={prob}", &["{prob}", "did you mean probe"]),
    ("run --layer name=x,kind=command,start={probe},stpo=y", &["'stpo'", "did you mean stop"]),
    ("run --layer name=x,kind=command,start={probe},push={id}", &["{id}", "{campaign}"]),
    ("run --layer name=x,kind=command,start={probe}\"", &["not closed"]),
    ("run --layer name=x,kind=command,start={probe},sh=yes", &["sh=yes", "true"]),
    (
        "run --layer name=x,kind=command,start={probe},pids=y,cgroup=z",
        &["pids=", "cgroup=", "one of"],
    ),
    ("run --layer name=x,kind=command,start={probe},cgroup={idd}", &["cgroup=", "did you mean id"]),
    ("run --layer name=bwrap,arsg=x", &["'arsg'", "args"]),
    ("run --layer name=mock,fault=trap", &["fault=trap"]),
    ("run --layer name=mock,value=x", &["value=x"]),
    ("run --layer name=mock,value=nan", &["value=nan"]),
    ("run --layer name=../../etc,kind=mock", &["not a valid name"]),
    ("run --layer value=3", &["names no layer"]),
    ("run --layers mock --suite vmy", &["no suite 'vmy'", "vmi"]),
    ("run --layers mock --bench lmbench/nul_call", &["lmbench/nul_call", "lmbench/null_call"]),
    ("run --layers mock --bench [", &["--bench ["]),
    ("run --layers mock --load 0", &["'0' is not a load"]),
    ("run --layers mock --load [=2", &["[=2"]),
    ("run --layers mock --load host/start=2", &["no matching benchmark of this campaign"]),
    ("run --layers mock --baseline nativ", &["no layer 'nativ'"]),
    ("run --layers mock --pin 4095", &["CPU 4095"]),
    ("run --layers mock --pin x", &["--pin", "'x' is not a CPU"]),
    ("run --layers mock --pin 0,,1", &["--pin"]),
    ("run --layers mock --seed -1", &["-1"]),
    ("run --layers mock --seed 18446744073709551616", &["--seed"]),
    ("run --blocks 0", &["0"]),
    ("run --blocks 4294967296", &["4294967296"]),
    ("run --budget soon", &["soon"]),
    ("run --budget 0s", &["--budget", "from 1ms"]),
    ("run --budget 1m --blocks 3", &["--blocks"]),
    ("run --series 0s", &["--series", "from 1ms"]),
    ("run --series 9us", &["--series"]),
    ("run --boot-limit 0s", &["--boot-limit"]),
    ("run --boot-limit 9999999years", &["--boot-limit"]),
    ("run --margin nan", &["--margin", "above 0"]),
    ("run --margin inf", &["--margin", "above 0"]),
    ("run --margin 1e400", &["--margin", "above 0"]),
    ("run --margin 0", &["--margin", "above 0"]),
    ("run --width nan", &["--width", "above 0"]),
    ("run --machine sim --budget 1m", &["--blocks"]),
    ("run --machine sim --bench lmbench/null_call --load auto", &["--load 1,2,4"]),
    ("run --machine sim --bench host/start", &["none of these"]),
    ("run --estimator best", &["best"]),
    ("run --fail-if sideways", &["sideways"]),
    ("resume nowhere --budget 0s", &["--budget"]),
    ("resume nowhere --blocks 0", &["0"]),
    ("doctor nativ", &["native"]),
    ("doctor name=native,colour=red", &["colour"]),
    ("doctor --boot-limit 0s", &["--boot-limit"]),
    ("show c --format html", &["html"]),
    ("report c --bench lmbench/null_call", &["--format svg"]),
    ("report c --format svg --bench lmbench/nul_call", &["lmbench/null_call"]),
    ("report c c --format csv", &["only as HTML"]),
    ("compare c", &["AFTER"]),
    ("compare c c --format csv", &["cannot be printed as csv"]),
    ("compare c c --margin inf", &["--margin"]),
    ("explain c lmbench/nul_call", &["lmbench/null_call"]),
    ("explain c --layer nativ", &["no layer 'nativ'"]),
    ("explain --from paper:999", &["no paper '999'"]),
    ("explain --from paper:000", &["paper 000 has no table"]),
    ("explain --from c", &["--throughput"]),
    ("explain --from c --throughput x", &["no benchmark 'x'"]),
    ("papers show 999", &["no paper '999'", "000"]),
    ("papers compare 999 c", &["no paper '999'"]),
    ("import", &["which format?"]),
    ("import lmbensh --layer a log", &["no format 'lmbensh'"]),
    ("import lmbench log", &["--layer NAME"]),
    ("import lmbench --layer a", &["no file for layer 'a'"]),
    ("import lmbench log --layer a log --layer b log", &["which layer does it belong to?"]),
    ("import --auto --layer a time.txt --baseline b", &["no layer 'b'"]),
    ("import --auto --layer a time.txt --margin nan", &["--margin"]),
    ("serve . --listen nowhere", &["nowhere"]),
    ("run --layers mock --config /dev/zero", &["/dev/zero is not a text file"]),
    ("run --layers mock --blocks 1 --", &["nothing stands behind '--'"]),
    ("predict --from c --", &["nothing stands behind '--'"]),
    ("predict --from c --took 1s -- true", &["--trace"]),
    ("predict --from c --user 1s --program xz", &["--trace"]),
    ("predict --from c --for 1s -- true", &["--pid"]),
    ("merge a=c a=c -o d", &["two hosts are called 'a'", "a-b=DIR"]),
    ("merge a=c -o c", &["c is a campaign's directory", "--out"]),
    ("run --layers mock --bench host/start --sweep load=1,2", &["--sweep load", "has loads"]),
];

/// What makes sense and does not work, and what the message must hold: failed, with 1.
const FAILED: &[(&str, &[&str])] = &[
    ("run --layers mock --config nowhere.toml", &["nowhere.toml"]),
    ("disk drive --socket nowhere", &["connecting to nowhere"]),
    ("run --layers mock --out /proc/nowhere", &["/proc/nowhere"]),
    ("run --layers mock --out c", &["already holds a campaign"]),
    ("show nowhere", &["nowhere", "no campaign"]),
    ("report nowhere", &["nowhere"]),
    ("export nowhere", &["nowhere"]),
    ("compare nowhere c", &["nowhere"]),
    ("resume nowhere", &["nowhere"]),
    ("serve nowhere", &["nowhere"]),
    ("explain nowhere", &["nowhere"]),
    ("explain --from nowhere", &["nowhere"]),
    ("explain --from /dev/zero", &["/dev/zero is not a text file"]),
    ("explain --from time.txt", &["holds no metrics"]),
    ("papers compare 000 nowhere", &["nowhere"]),
    ("import --auto --layer a nowhere", &["nowhere"]),
    ("import lmbench --layer a time.txt", &["time.txt"]),
    ("keep", &["started by tare itself"]),
];

/// A folder with a small campaign `c`, and a file that `import` reads.
fn bench() -> Bench {
    let bench = Bench::new();
    bench.write("time.txt", "real 1.00\nuser 0.50\nsys 0.25\n");
    bench.ok("run --layers mock --bench lmbench/null_call --blocks 1 --out c");
    bench
}

#[test]
fn mistakes_are_named_and_the_remedy_is_said() {
    let bench = bench();
    let wrong = WRONG.iter().map(|(line, words)| (2, line, words));
    let failed = FAILED.iter().map(|(line, words)| (1, line, words));
    let before = bench.names();
    for (code, line, words) in wrong.chain(failed) {
        let done = bench.tare(line);
        assert_eq!(done.code, code, "tare {line}\n{}\n{}", done.out, done.err);
        for word in *words {
            assert!(done.err.contains(word), "tare {line}: no '{word}' in\n{}", done.err);
        }
        assert!(done.out.is_empty(), "tare {line} printed a result:\n{}", done.out);
        assert_eq!(bench.names(), before, "tare {line} left something");
    }
}

#[test]
fn a_bad_configuration_file_is_named_with_its_line() {
    let bench = Bench::new();
    for (text, word) in [
        ("budget = '1m'\nlayers = 3\n", "layers"),
        ("margin = nan\n", "margin"),
        ("width = inf\n", "width"),
        ("margin = 0\n", "margin"),
        ("budget = '0s'\n", "budget"),
        ("series = '0s'\n", "series"),
        ("blocks = 0\n", "blocks"),
        ("seed = -1\n", "seed"),
        ("load = ['0']\n", "'0' is not a load"),
        ("[[layer]]\nname = 'mock'\nvalue = [1]\n", "value"),
        ("[[layer]]\nname = 'mock'\nvalue = nan\n", "value"),
        ("= 3\n", "tare.toml"),
        ("seed = 1\0\n", "not a text file"),
    ] {
        bench.write("tare.toml", text);
        let done = bench.tare("run");
        assert_eq!(done.code, 2, "{text}\n{}", done.err);
        assert!(done.err.contains("tare.toml") && done.err.contains(word), "{text}{}", done.err);
        assert_eq!(bench.names(), ["tare.toml"], "{text}");
    }
}

#[test]
fn a_start_that_fails_leaves_no_folder() {
    let bench = Bench::new();
    for (line, code) in [
        ("run --layer name=mock,command=false --out a/b", 4),
        ("run --layer name=native,kind=qemu,kernel=/nowhere --out a", 4),
        ("import --auto --layer x nowhere --out a", 1),
    ] {
        let done = bench.tare(line);
        assert_eq!(done.code, code, "tare {line}\n{}", done.err);
        assert!(bench.names().is_empty(), "tare {line}: {:?}", bench.names());
    }
}

#[test]
fn a_configuration_file_says_what_flags_say() {
    let bench = Bench::new();
    bench.write(
        "tare.toml",
        "bench = ['lmbench/null_call']\nblocks = 2\nseed = 9\nbaseline = 'a'\nmargin = 3\nwidth = 0.5\n\
         [[layer]]\nname = 'a'\nkind = 'mock'\n[[layer]]\nname = 'b'\nkind = 'mock'\nvalue = 300\n",
    );
    bench.ok("run --out c");
    let campaign = bench.campaign("c");
    assert_eq!((campaign.plan.seed, campaign.plan.blocks), (9, Some(2)));
    assert_eq!((campaign.plan.margin, campaign.plan.width), (0.03, 0.005));
    assert_eq!(campaign.layers.iter().map(|l| &l.name).collect::<Vec<_>>(), ["a", "b"]);
    bench.ok("run --blocks 1 --seed 3 --out d");
    assert_eq!(bench.campaign("d").plan.seed, 3, "flags win");
}

#[test]
fn the_command_is_both_ends_of_a_disk() {
    let done = Bench::new().ok("disk drive --milliseconds 20 --json");
    let found = done.json();
    assert!(found["requests"].as_u64() > Some(0), "{}", done.out);
}

#[test]
fn help_and_lists_name_every_row() {
    let bench = Bench::new();
    let list = bench.ok("list").out;
    let json = bench.json("list --json");
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
