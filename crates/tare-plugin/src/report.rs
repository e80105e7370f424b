//! The result: a line of JSON that describes what follows, then a line per region.

use crate::args::Config;
use crate::counts;
use crate::region::{Region, Regions};
use std::fmt::Write;
use std::fs;

/// Writes everything that was counted so far: whole, or not at all. A file that cannot be written is
/// missed by whoever asked for it.
pub fn write(config: &Config, regions: &Regions, misplaced: bool) {
    let mut text = format!(
        "{{\"tare_plugin\":1,\"regions\":{},\"model\":{},\"misplaced\":{}}}\n",
        regions.0.len(),
        if config.model { format!("\"{}\"", config.shape.describe()) } else { "null".into() },
        misplaced,
    );
    for ((id, term), region) in &regions.0 {
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

#[cfg(test)]
mod tests {
    use super::*;

    use crate::counts::{COUNT, Event, index};
    use crate::place::Place;

    #[test]
    fn a_region_is_a_line_of_json_of_what_is_not_zero() {
        let mut counts = Box::new([0; COUNT]);
        counts[index(Place::Probe, Event::Instructions)] = 60;
        counts[index(Place::Kernel, Event::Syscalls)] = 10;
        let region = Region { per: f64::NAN, negative: false, ops: 10, batches: 1, counts };
        assert_eq!(
            line(3, 1, &region),
            "{\"id\":3,\"term\":1,\"negative\":false,\"per\":0.0,\"ops\":10,\"batches\":1,\
             \"counts\":{\"probe/instructions\":60,\"kernel/syscalls\":10}}\n"
        );
    }
}
