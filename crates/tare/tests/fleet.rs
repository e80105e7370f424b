//! `tare fleet` on a real Slurm: an array, the merge after it, a task that dies, a cancelled job, a node that goes down, a
//! reboot before each block. The layers are scripted, and the nodes are one machine: this tests plumbing.

mod common;
mod slurm;

use slurm::{Cluster, NODES};
use std::fs;
use std::path::Path;

const PLAN: &str = r#"
bench = ["lmbench/null_call"]
blocks = 2
baseline = "native"
[[layer]]
name = "native"
kind = "mock"
step = "1"
[[layer]]
name = "x"
kind = "mock"
value = "200"
step = "1.5"
"#;

fn ok(cluster: &Cluster, fleet: &str, line: &str) -> String {
    let done = cluster.tare(fleet, line);
    assert_eq!(done.code, 0, "tare {line}\n{}\n{}\n{}", done.out, done.err, cluster.logs(fleet));
    done.out + &done.err
}

fn nothing_is_left(cluster: &Cluster, fleet: &str) {
    assert_eq!(cluster.left(fleet), [""; 0].map(Path::new), "on a node\n{}", cluster.logs(fleet));
}

#[track_caller]
fn has(cluster: &Cluster, fleet: &str, text: &str, parts: &[&str]) {
    let text = common::flat(text);
    for part in parts {
        assert!(text.contains(part), "no '{part}' in:\n{text}\n{}", cluster.logs(fleet));
    }
}

#[test]
fn a_fleet_on_slurm() {
    let mut cluster = Cluster::new();
    cluster.bench.write("plan.toml", PLAN);
    cluster.bench.write("long.toml", &PLAN.replace("blocks = 2", "blocks = 100000"));
    // A reboot takes Slurm half a minute, meanwhile the rest goes on.
    ok(&cluster, "boots", "fleet submit plan.toml --nodes n4 --reboot --blocks 2 -o boots");
    three_nodes_give_one_result(&cluster);
    a_task_that_dies_is_submitted_again_and_named(&cluster);
    a_cancelled_array_leaves_nothing(&cluster);
    a_node_that_goes_down_is_named(&mut cluster);
    a_boot_of_the_host_is_a_block(&cluster);
}

fn three_nodes_give_one_result(cluster: &Cluster) {
    let said = ok(cluster, "one", "fleet submit plan.toml --nodes n[1-3] --exclusive -o one");
    has(cluster, "one", &said, &["for n1 n2 n3; then the merge, job", "scancel"]);
    cluster.wait_for_jobs("one");
    let said = ok(cluster, "one", "fleet status one");
    has(
        cluster,
        "one",
        &said,
        &["n2 finished, 2 blocks", "3 of 3 hosts done after 1 of at most 2 attempts", "merged:"],
    );
    let said = ok(cluster, "one", "show one/merged");
    has(cluster, "one", &said, &["3 hosts: what each layer costs against native"]);
    let page = fs::read_to_string(cluster.bench.path("one/merged/report.html")).unwrap();
    for node in &NODES[..3] {
        assert!(page.contains(&format!(">{node}</text>")), "{node} has a line in a forest");
    }
    let said = ok(cluster, "one", "fleet fetch one -o fetched");
    has(
        cluster,
        "one",
        &said,
        &["Copied 3 hosts", "3 of them done", "3 hosts: what each layer costs"],
    );
    assert_eq!(cluster.bench.campaign("fetched/hosts/n3").state, "finished");
    nothing_is_left(cluster, "one");
}

/// On one node tare is a program that fails.
fn a_task_that_dies_is_submitted_again_and_named(cluster: &Cluster) {
    ok(cluster, "dies", "fleet submit plan.toml --nodes n1,n2 --retries 1 --dry-run -o dies");
    let settings = fs::read_to_string(cluster.bench.path("dies/settings")).unwrap();
    let tare = settings.lines().find_map(|line| line.strip_prefix("tare=./")).unwrap();
    let path = cluster.bench.path("dies").join(tare);
    fs::rename(&path, path.with_extension("real")).unwrap();
    let real = path.with_extension("real").display().to_string();
    let script = format!(
        "#!/bin/sh\n[ \"$1\" = run ] && [ \"$SLURMD_NODENAME\" = n2 ] && {{ echo dead >>tries; kill -KILL $$; }}\nexec {real} \"$@\"\n"
    );
    fs::write(&path, script).unwrap();
    common::set_mode(&path, 0o755);
    ok(cluster, "dies", "fleet submit dies");
    cluster.wait_for_jobs("dies");
    let tries = fs::read_to_string(cluster.bench.path("dies/tries")).unwrap();
    assert_eq!(tries.lines().count(), 2, "once, and once more\n{}", cluster.logs("dies"));
    let said = ok(cluster, "dies", "fleet status dies");
    has(
        cluster,
        "dies",
        &said,
        &["1 of 2 hosts done after 2 of at most 2 attempts", "tare ended with status 137 on n2"],
    );
    let said = ok(cluster, "dies", "show dies/merged");
    has(
        cluster,
        "dies",
        &said,
        &["1 host (1 more missing)", "n2 is missing: tare ended with status 137"],
    );
    nothing_is_left(cluster, "dies");
}

fn a_cancelled_array_leaves_nothing(cluster: &Cluster) {
    let said = ok(cluster, "long", "fleet submit long.toml --nodes n[1-3] -o long");
    let jobs = said.split("scancel ").nth(1).expect("how to end it").trim();
    let array = jobs.split(' ').next().unwrap();
    common::wait_until("three campaigns that run", || {
        cluster
            .left("long")
            .iter()
            .filter(|path| path.join("campaign/campaign.db").exists())
            .count()
            == 3
    });
    assert_eq!(cluster.slurm(&format!("scancel {array}")).code, 0);
    cluster.wait_for_jobs("long");
    nothing_is_left(cluster, "long");
    let said = ok(cluster, "long", "fleet status long");
    has(
        cluster,
        "long",
        &said,
        &["n1 interrupted,", "0 of 3 hosts done after 1 of at most 2 attempts"],
    );
}

/// Slurm reboots the node before each task, here by a stand-in.
fn a_boot_of_the_host_is_a_block(cluster: &Cluster) {
    cluster.wait_for_jobs("boots");
    let rebooted = fs::read_to_string(cluster.bench.path("rebooted")).unwrap_or_default();
    assert_eq!(rebooted, "n4\nn4\n", "{}", cluster.logs("boots"));
    let said = ok(cluster, "boots", "fleet status boots");
    let done = "1 of 1 hosts done after 1 of at most 2 attempts";
    has(cluster, "boots", &said, &["n4 finished, 2 blocks", done]);
}

fn a_node_that_goes_down_is_named(cluster: &mut Cluster) {
    let said = ok(cluster, "down", "fleet submit long.toml --nodes n3 -o down");
    has(cluster, "down", &said, &["for n3"]);
    common::wait_until("a campaign that runs", || !cluster.left("down").is_empty());
    cluster.node_dies("n3");
    cluster.wait_for_jobs("down");
    let said = ok(cluster, "down", "fleet status down");
    has(cluster, "down", &said, &["0 of 1 hosts done after 1 of at most 2 attempts"]);
    let why = fs::read_to_string(cluster.bench.path("down/hosts/n3/failure")).unwrap();
    assert!(why.contains("Slurm says NODE_FAIL"), "{why}");
}
