//! A plugin for QEMU's translator that counts what a guest executes, by place: the probe, other user
//! code, the guest's kernel, that of Xen's first domain, a hypervisor; the crossings between them; and, on request, the misses of
//! modelled caches and TLBs. It counts between the marks that the probe sets (its `mark.rs`),
//! and writes one JSON line a region.
//!
//! It is built against version 1 of the public plugin API, which QEMU 4.2 to 8.2 accept; QEMU 9 asks
//! for version 2, whose inline operations have other names. It never writes to the guest.

mod api;
mod args;
mod asleep;
mod block;
mod callbacks;
mod calls;
mod cell;
mod counts;
mod decode;
mod domains;
mod guest;
mod hypercall;
mod lru;
mod mark;
mod model;
mod modules;
mod place;
mod profile;
mod region;
mod report;
mod shape;
mod state;
mod translate;

use args::Config;
use place::Map;
use std::ffi::{c_char, c_int};

/// The version of the API that QEMU checks before it loads the plugin.
#[unsafe(no_mangle)]
#[allow(non_upper_case_globals)]
pub static qemu_plugin_version: c_int = 1;

/// What QEMU calls once, before the guest runs. Returns 0, or 1 with the reason on standard error.
///
/// # Safety
/// QEMU passes `argc` NUL-terminated strings in `argv`, and `info`, which outlive the call.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn qemu_plugin_install(
    id: api::Id,
    info: *const api::Info,
    argc: c_int,
    argv: *const *const c_char,
) -> c_int {
    // SAFETY: as QEMU promises.
    let args = unsafe { api::strings(argc, argv) };
    // SAFETY: as QEMU promises.
    let info = unsafe { info.as_ref() };
    match install(&args, info) {
        Ok(config) => {
            state::begin(config);
            asleep::begin(id);
            0
        }
        Err(why) => {
            eprintln!("tare-plugin: {why}");
            1
        }
    }
}

fn install(args: &[String], info: Option<&api::Info>) -> Result<Config, String> {
    let info = info.ok_or("QEMU says nothing of itself")?;
    let config = Config::parse(args, Map::of(&info.target()))?;
    info.check()?;
    std::fs::write(&config.out, "").map_err(|e| format!("cannot write {}: {e}", config.out))?;
    Ok(config)
}
