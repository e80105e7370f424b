//! The result: a line of JSON that describes what follows, then a line per region.

use crate::args::Config;
use crate::calls::{Called, Node, Tree};
use crate::counts;
use crate::modules::Module;
use crate::region::{Region, Regions};
use std::collections::BTreeMap;
use std::fmt::Write;
use std::fs;

/// Writes everything that was counted so far: whole, or not at all. A file that cannot be written is
/// missed by whoever asked for it.
pub fn write(
    config: &Config,
    regions: &Regions,
    tree: &Tree,
    modules: &[Module],
    dom0: Option<u64>,
    misplaced: bool,
) {
    let mut text = format!(
        "{{\"tare_plugin\":1,\"regions\":{},\"model\":{},\"dom0\":{},\"misplaced\":{},\"modules\":[{}],\"called\":[{}]}}\n",
        regions.0.len(),
        if config.model { format!("\"{}\"", config.shape.describe()) } else { "null".into() },
        dom0.map_or("null".into(), |dom0| format!("\"{dom0:x}\"")),
        misplaced,
        modules.iter().map(module).collect::<Vec<_>>().join(","),
        tree.nodes.iter().map(called).collect::<Vec<_>>().join(","),
    );
    for ((id, term), region) in &regions.0 {
        text.push_str(&line(*id, *term, region));
    }
    let fresh = format!("{}.new", config.out);
    let _ = fs::write(&fresh, text).and_then(|()| fs::rename(&fresh, &config.out));
}

fn line(id: u32, term: u32, region: &Region) -> String {
    let Region { per, negative, ops, batches, counts, addresses } = region;
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
    text.push('}');
    by_address(&mut text, "executed", &addresses.executed, Node::to_string);
    by_address(&mut text, "entered", &addresses.entered, |place| place.name().into());
    text.push_str("}\n");
    text
}

/// A module: whether it is outside of the layer, its name as a number and where its code begins, both in hexadecimal.
fn module(module: &Module) -> String {
    format!("[{},\"{:x}\",\"{:x}\"]", module.outside, module.name, module.at)
}

/// A node of the tree: its parent's number, its place, and where it begins, in hexadecimal.
fn called(node: &Called) -> String {
    format!("[{},\"{}\",\"{:x}\"]", node.parent, node.place.name(), node.start)
}

/// Adds counts by a name and an address, in hexadecimal.
fn by_address<K: Ord>(
    text: &mut String,
    key: &str,
    counts: &BTreeMap<(K, u64), u64>,
    name: impl Fn(&K) -> String,
) {
    let _ = write!(text, ",\"{key}\":{{");
    let mut last = None;
    for ((of, start), count) in counts {
        if last == Some(of) {
            text.push(',');
        } else {
            let close = if last.is_some() { "}," } else { "" };
            let _ = write!(text, "{close}\"{}\":{{", name(of));
        }
        let _ = write!(text, "\"{start:x}\":{count}");
        last = Some(of);
    }
    text.push_str(if last.is_some() { "}}" } else { "}" });
}

#[cfg(test)]
mod tests {
    use super::*;

    use crate::counts::{COUNT, Event, index};
    use crate::place::Place;
    use crate::profile::Addresses;

    #[test]
    fn a_region_is_a_line_of_json_of_what_is_not_zero() {
        let mut counts = Box::new([0; COUNT]);
        counts[index(Place::Probe, Event::Instructions)] = 60;
        counts[index(Place::Kernel, Event::Syscalls)] = 10;
        let executed = [((0, 0x5000_1000), 60), ((6, 1 << 63), 2), ((6, u64::MAX), 1)];
        let addresses = Addresses { executed: BTreeMap::from(executed), entered: BTreeMap::new() };
        let region =
            Region { per: f64::NAN, negative: false, ops: 10, batches: 1, counts, addresses };
        assert_eq!(
            line(3, 1, &region),
            "{\"id\":3,\"term\":1,\"negative\":false,\"per\":0.0,\"ops\":10,\"batches\":1,\
             \"counts\":{\"probe/instructions\":60,\"kernel/syscalls\":10},\
             \"executed\":{\"0\":{\"50001000\":60},\
             \"6\":{\"8000000000000000\":2,\"ffffffffffffffff\":1}},\"entered\":{}}\n"
        );
    }
}
