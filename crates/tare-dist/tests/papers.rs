//! What goes with a release: the bill of materials is valid and whole, and so are the licences.

use cyclonedx_bom::prelude::{Bom, Validate};
use std::path::Path;
use std::process::Command;
use tare_dist::{Contents, Release, pack, program};

/// A release of this repository around a program in `folder` that stands for tare.
fn release(folder: &Path) -> Release {
    let binary = folder.join("tare");
    let script = "#!/bin/sh\n[ \"$2\" != man ] || { mkdir -p \"$4\"; echo .TH > \"$4/tare.1\"; }\n";
    std::fs::write(&binary, script).unwrap();
    program(Command::new("chmod").arg("755").arg(&binary)).unwrap();
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let version = env!("CARGO_PKG_VERSION").into();
    Release { root, binary, version, epoch: 1_700_000_000, is_static: true }
}

fn contents() -> Contents {
    let folder = tempfile::tempdir().unwrap();
    Contents::of(&release(folder.path())).unwrap()
}

#[test]
fn the_same_program_gives_the_same_files() {
    let folder = tempfile::tempdir().unwrap();
    let release = release(folder.path());
    let [one, other] = ["one", "other"].map(|name| {
        let files = pack(&release, &folder.path().join(name)).unwrap();
        let read = |file| std::fs::read(file).unwrap();
        files.into_iter().map(read).collect::<Vec<_>>()
    });
    assert_eq!(one.len(), 3);
    assert!(one == other, "{}", String::from_utf8_lossy(&one[2]));
}

#[test]
fn the_bill_of_materials_is_valid_and_names_every_part() {
    let contents = contents();
    let bill = Bom::parse_from_json(contents.sbom.as_bytes()).expect("CycloneDX");
    assert!(bill.validate().passed(), "{:?}", bill.validate());
    let names: Vec<String> =
        bill.components.unwrap().0.iter().map(|part| part.name.to_string()).collect();
    for name in ["rusqlite", "libsqlite3-sys", "tare-probe", "nix", "glibc", "musl", "rust-std"] {
        assert!(names.iter().any(|known| known == name), "{name} in {names:?}");
    }
    for name in ["insta", "proptest", "serde_derive", "cyclonedx-bom", "syn", "xtask"] {
        assert!(!names.iter().any(|known| known == name), "{name} is in no program");
    }
    let checksums = contents.sbom.matches("SHA-256").count();
    assert!(checksums > 100, "crates have their checksums: {checksums}");
}

#[test]
fn every_part_of_others_has_its_licence() {
    let contents = contents();
    let bill = Bom::parse_from_json(contents.sbom.as_bytes()).unwrap();
    for part in bill.components.unwrap().0 {
        let name = part.name.to_string();
        let version = part.version.unwrap().to_string();
        let listed = contents.licences.contains(&format!("{name} {version}: "));
        assert_eq!(listed, !name.starts_with("tare-"), "{name} {version}");
    }
    assert!(contents.licences.contains("GNU LESSER GENERAL PUBLIC LICENSE"));
}
