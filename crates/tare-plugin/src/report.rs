//! The result: a line of JSON that says what follows, then one a region.

use crate::counts;
use crate::region::{Region, State};
use crate::{CONFIG, STATE, api};
use std::ffi::c_void;
use std::fmt::Write;
use std::fs;

/// What QEMU calls when it ends.
pub extern "C" fn at_exit(_id: api::Id, _data: *mut c_void) {
    STATE.with(|state| {
        if let Some(state) = state {
            write(state);
        }
    });
}

/// Writes everything that was counted so far: whole, or not at all. A file that cannot be written is
/// missed by whoever asked for it.
pub fn write(state: &State) {
    let Some(config) = CONFIG.get() else { return };
    let mut text = format!(
        "{{\"tare_plugin\":1,\"regions\":{},\"model\":{},\"misplaced\":{}}}\n",
        state.regions.len(),
        if config.model { format!("\"{}\"", config.shape.describe()) } else { "null".into() },
        state.misplaced,
    );
    for ((id, term), region) in &state.regions {
        text.push_str(&line(*id, *term, region));
    }
    let fresh = format!("{}.new", config.out);
    let _ = fs::write(&fresh, text).and_then(|()| fs::rename(&fresh, &config.out));
}

fn line(id: u32, term: u32, region: &Region) -> String {
    let Region { per, negative, ops, batches, counts } = region;
    let per = if per.is_finite() { *per } else { 0.0 };
    let mut text = format!(
        "{{\"id\":{id},\"term\":{term},\"negative\":{negative},\"per\":{per:?},\"ops\":{ops},\
         \"batches\":{batches},\"counts\":{{"
    );
    let counted = counts.iter().enumerate().filter(|(_, count)| **count > 0);
    for (nth, (at, count)) in counted.enumerate() {
        let comma = if nth > 0 { "," } else { "" };
        let _ = write!(text, "{comma}\"{}\":{count}", counts::name(at));
    }
    text.push_str("}}\n");
    text
}
