//! The versions that are looked among. One that does not exist is named before anything is measured.

use crate::cli::BisectArgs;
use crate::host;
use crate::policy::Policy;
use crate::usage::wrong_usage;
use anyhow::{Result, anyhow};
use std::path::Path;
use tare_layers::{is_pattern, kernels, unknown_packages};

/// The setting that names a kernel.
const KERNEL: &str = "kernel";

/// The versions from the good to the bad one, in this order.
pub fn candidates(args: &BisectArgs) -> Result<Vec<String>> {
    let mut all: Vec<String> = Vec::new();
    for text in &args.over {
        match is_pattern(text) {
            true => all.extend(kernels(text).map_err(|no| anyhow!("{}; {}", no.why, no.remedy))?),
            false => all.push(text.trim().to_owned()),
        }
    }
    let place = |wanted: &str| all.iter().position(|version| version == wanted);
    let (Some(good), Some(bad)) = (place(&args.good), place(&args.bad)) else {
        let missing = if place(&args.good).is_none() { &args.good } else { &args.bad };
        wrong_usage!("{missing} is not among the versions of --over: {}", all.join(", "));
    };
    if good == bad {
        wrong_usage!("the good and the bad version are the same: {}", args.good);
    }
    let mut between = all[good.min(bad)..=good.max(bad)].to_vec();
    if good > bad {
        between.reverse();
    }
    exist(args, &between)?;
    Ok(between)
}

/// Refuses versions that are files, or packages of kernels, and are not there.
fn exist(args: &BisectArgs, versions: &[String]) -> Result<()> {
    let is_kernel = args.knob == KERNEL;
    let has_packages = Policy::for_machine(args.machine).kernels_are_packages;
    let is_package = |version: &&String| {
        is_kernel && has_packages && !version.contains('/') && !is_pattern(version)
    };
    let is_path = |version: &&String| {
        !is_package(version)
            && (is_kernel || ["/", "./", "../"].iter().any(|root| version.starts_with(root)))
    };
    for version in versions.iter().filter(is_path) {
        // A setting of words begins with the program.
        let program = version.split_whitespace().next().unwrap_or_default();
        if ![version.as_str(), program].iter().any(|path| Path::new(path).exists()) {
            wrong_usage!("the version {version} does not exist: there is no such file");
        }
    }
    let packages: Vec<&str> = versions.iter().filter(is_package).map(String::as_str).collect();
    let unknown = unknown_packages(&packages, &host::host()?);
    // Where it knows none of them, they may be those of another architecture, whose lists are tare's own.
    if let Some(name) = unknown.first().filter(|_| unknown.len() < packages.len()) {
        wrong_usage!(
            "the version {name} does not exist: apt knows no such package (as root: apt-get update)"
        );
    }
    Ok(())
}
