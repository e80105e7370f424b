//! Which layers follow from flags and from the file.

use super::*;
use crate::cli::{Cli, Command, RunArgs};
use clap::Parser;
use tare_proto::BenchInfo;

fn args(line: &str) -> RunArgs {
    match Cli::parse_from(line.split_whitespace()).command {
        Command::Run(args) => *args,
        _ => panic!("{line} runs nothing"),
    }
}

fn names(line: &str) -> Vec<String> {
    let (made, _) = Resolved::new(&args(line), &Config::default()).unwrap().layers(&[]).unwrap();
    made.into_iter().map(|asked| asked.name).collect()
}

#[test]
fn a_layer_gets_what_a_benchmark_says_that_it_needs() {
    let set = |needs: &str, layer: &str| {
        let bench = BenchInfo { needs: needs.into(), ..BenchInfo::default() };
        let args = args(&format!("tare run --layer {layer}"));
        let (made, _) = Resolved::new(&args, &Config::default()).unwrap().layers(&[bench]).unwrap();
        made[0].settings.to_string()
    };
    assert!(set("disk", "runc").contains("disk=128M"), "{}", set("disk", "runc"));
    assert!(set("net", "runc").contains("net=veth") && set("net", "uml").contains("net=tap"));
    // What is asked from the host is on a network that the benchmarks of the network have as well.
    let both = set("net root served", "native");
    assert!(both.contains("net=veth") && set("net", "native").contains("net=host"), "{both}");
    assert!(!set("", "runc").contains("disk=") && !set("", "runc").contains("net="));
    assert!(set("root", "kvm").contains("vmm=qemu") && set("disk", "kvm").contains("vmm=tare"));
    assert!(set("root", "kvm,vmm=tare").contains("vmm=tare"), "a monitor that is named stays");
    let none = set("disk", "mock");
    assert!(!none.contains("disk="), "a kind without such a setting: {none}");
}

#[test]
fn a_layer_of_the_file_is_found_by_its_name() {
    let text = "[[layer]]\nname = \"mine\"\nkind = \"command\"\nstart = \"box {probe}\"\n";
    let config: Config = toml::from_str(text).unwrap();
    let args = args("tare run --layers native,mine");
    let (made, _) = Resolved::new(&args, &config).unwrap().layers(&[]).unwrap();
    assert_eq!((made[1].name.as_str(), made[1].kind), ("mine", "command"));
    assert!(made[1].settings.to_string().contains("start=box {probe}"));
    assert!(config.named("mine,args=x").unwrap().get("start").is_none(), "as written");
}

#[test]
fn without_names_the_quick_layers_are_weighed_and_the_others_named() {
    assert_eq!(names("tare run"), ["native", "runc", "runsc", "kvm"]);
    let all = names("tare run --layers all");
    assert_eq!(all[..7], ["native", "runc", "crun", "runsc", "uml", "qemu", "kvm"]);
    assert!(all[7..].contains(&"podman".into()) && !all.contains(&"command".into()), "{all:?}");
    assert_eq!(names("tare run --layers native,uml"), ["native", "uml"]);
    let left_out = |line| Resolved::new(&args(line), &Config::default()).unwrap().left_out();
    let said = left_out("tare run").unwrap();
    assert!(
        said.starts_with("Weighing those of native, runc, runsc, kvm that run here."),
        "{said}"
    );
    assert!(said.contains("qemu (emulates every instruction)"), "{said}");
    assert!(said.contains("lxc, chroot (an engine around"), "{said}");
    assert!(said.contains("--layers all"), "{said}");
    assert_eq!(left_out("tare run --layers all"), None);
    assert_eq!(left_out("tare run --layer name=a,kind=uml"), None);
    let simulated = left_out("tare run --machine sim").unwrap();
    assert!(simulated.contains("Left out: i686, i686-pae (another machine"), "{simulated}");
}

/// docs/tare-toml.md names every key that the file may have, and none that it may not.
#[test]
fn the_reference_of_the_file_is_whole() {
    let page = include_str!("../../docs/tare-toml.md");
    // What serde says of a key that does not exist names those that do.
    let keys = |text: &str| -> Vec<String> {
        let said = toml::from_str::<Config>(text).unwrap_err().to_string();
        let (_, known) = said.split_once("expected ").unwrap();
        known.split('`').skip(1).step_by(2).map(str::to_owned).collect()
    };
    let tables = [
        ("", "no-such = 1"),
        ("[[program]]", "[[program]]\nno-such = 1"),
        ("[[sweep]]", "[[sweep]]\nno-such = 1"),
    ];
    for (table, text) in tables {
        let heading = if table.is_empty() {
            "## Keys at the top".to_owned()
        } else {
            format!("## `{table}`")
        };
        let (_, of) = page.split_once(&heading).unwrap_or_else(|| panic!("no {heading}"));
        let of = of.split("\n## ").next().unwrap();
        let rows: Vec<&str> =
            of.lines().filter_map(|line| line.strip_prefix("| `")?.split('`').next()).collect();
        let known: Vec<String> = keys(text)
            .into_iter()
            .filter(|key| !["program", "sweep", "layer"].contains(&key.as_str()))
            .collect();
        let missing: Vec<_> = known.iter().filter(|key| !rows.contains(&key.as_str())).collect();
        let extra: Vec<_> =
            rows.iter().filter(|row| !known.iter().any(|key| key == *row)).collect();
        assert!(
            missing.is_empty() && extra.is_empty(),
            "{heading}: missing {missing:?}, unknown {extra:?}"
        );
    }
}
