//! QEMU at either end: its back end under this driver, its machine above this back end.

mod common;

use common::{Served, program};
use std::io::Write;
use std::process::{Command, Stdio};

#[test]
fn qemus_own_back_end_is_driven_by_the_same_driver() {
    let end = program()
        .args(["drive", "--qemu", "--milliseconds=30", "--block=4096", "--json"])
        .output()
        .unwrap();
    assert!(end.status.success(), "{}", String::from_utf8_lossy(&end.stderr));
    let found: serde_json::Value = serde_json::from_slice(&end.stdout).unwrap();
    assert!(found["requests"].as_u64() > Some(0));
}

#[test]
fn a_machine_of_qemu_takes_the_device() {
    let served = Served::start(1, &["--segments=126"]);
    let mut qemu = Command::new("qemu-system-x86_64")
        .args(["-machine", "q35,accel=tcg", "-m", "64M", "-nodefaults", "-display", "none", "-S"])
        .args(["-object", "memory-backend-memfd,id=m,size=64M,share=on", "-numa", "node,memdev=m"])
        .arg("-chardev")
        .arg(format!("socket,id=c,path={}", served.name(0).display()))
        .args(["-device", "vhost-user-blk-pci,chardev=c", "-monitor", "stdio"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    qemu.stdin.take().unwrap().write_all(b"info qtree\nquit\n").unwrap();
    let end = qemu.wait_with_output().unwrap();
    let says =
        String::from_utf8_lossy(&end.stdout).into_owned() + &String::from_utf8_lossy(&end.stderr);
    assert!(end.status.success() && says.contains("dev: vhost-user-blk-pci"), "{says}");
}
