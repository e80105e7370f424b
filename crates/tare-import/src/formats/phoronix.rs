//! Phoronix Test Suite's composite.xml: every run of every test.

use crate::lines::number;
use crate::{Fault, Format, Quantity, Sink};
use roxmltree::{Document, Node};
use tare_proto::Better;

pub const FORMAT: Format = Format {
    name: "phoronix",
    about: "Phoronix Test Suite's composite.xml: every run; of several systems, the one called as the layer",
    sniff: |head| head.contains("<PhoronixTestSuite"),
    parse,
};

fn parse(text: &str, sink: &mut Sink) -> Result<(), Fault> {
    shallow(text)?;
    let document = Document::parse(text).map_err(|e| {
        let at = e.pos();
        Fault::at(at.row as usize, at.col as usize, e.to_string())
    })?;
    for result in document.descendants().filter(|node| node.has_tag_name("Result")) {
        one(result, sink)?;
    }
    Ok(())
}

/// Elements within elements that are read; the tool nests five. The reader of XML takes stack for each.
const DEEPEST: usize = 100;

/// Refuses what is nested deeper than any composite.xml. What is no XML ends the look: the reader says where.
fn shallow(text: &str) -> Result<(), Fault> {
    let mut depth = 0_usize;
    let mut rest = text;
    while let Some(at) = rest.find('<') {
        rest = &rest[at + 1..];
        let whole = [("!--", "-->"), ("![CDATA[", "]]>"), ("?", "?>")];
        if let Some((_, end)) = whole.iter().find(|(begin, _)| rest.starts_with(begin)) {
            let Some(end) = rest.find(end) else { return Ok(()) };
            rest = &rest[end..];
            continue;
        }
        let Some(end) = end_of_tag(rest) else { return Ok(()) };
        match (rest.starts_with('/'), rest[..end].ends_with('/')) {
            (true, _) => depth = depth.saturating_sub(1),
            (_, true) => {}
            _ => depth += 1,
        }
        if depth > DEEPEST {
            let line = text[..text.len() - rest.len()].matches('\n').count() + 1;
            let why = format!("elements are nested deeper than {DEEPEST}: no composite.xml");
            return Err(Fault::at(line, 1, why));
        }
        rest = &rest[end..];
    }
    Ok(())
}

/// Where the tag that `text` begins with ends: at a `>` that is in no attribute's value.
fn end_of_tag(text: &str) -> Option<usize> {
    let mut quote = None;
    let ends = |c: char| match (quote, c) {
        (Some(open), _) if c == open => {
            quote = None;
            false
        }
        (Some(_), _) => false,
        (None, '"' | '\'') => {
            quote = Some(c);
            false
        }
        (None, _) => c == '>',
    };
    text.find(ends)
}

fn one(result: Node, sink: &mut Sink) -> Result<(), Fault> {
    let title = [child(result, "Title"), child(result, "Description")].join(" ");
    let title =
        if title.trim().is_empty() { child(result, "Identifier").to_owned() } else { title };
    let quantity = quantity(child(result, "Scale"), child(result, "Proportion"));
    let Some(data) = result.children().find(|node| node.has_tag_name("Data")) else {
        return Ok(());
    };
    let entries: Vec<Node> = data.children().filter(|node| node.has_tag_name("Entry")).collect();
    let named = entries.iter().find(|entry| child(**entry, "Identifier") == sink.layer);
    let entry = match (named, &entries[..]) {
        (Some(entry), _) | (None, [entry]) => entry,
        (None, []) => return Ok(()),
        (None, several) => {
            let names: Vec<&str> =
                several.iter().map(|entry| child(*entry, "Identifier")).collect();
            let why = format!("several systems: call the layer one of {}", names.join(", "));
            let place = result.document().text_pos_at(result.range().start);
            return Err(Fault::at(place.row as usize, place.col as usize, why));
        }
    };
    let raw = child(*entry, "RawString").split(':').filter(|run| !run.is_empty());
    let runs: Option<Vec<f64>> = raw.map(number).collect();
    let runs = runs.filter(|runs| !runs.is_empty());
    let runs = runs.or_else(|| Some(vec![number(child(*entry, "Value"))?]));
    match runs {
        None => sink.note(format!("{} has no value", crate::lines::short(&title))),
        Some(runs) => runs.into_iter().for_each(|run| sink.add("phoronix", &title, quantity, run)),
    }
    Ok(())
}

/// The text of a node's child, empty when there is none.
fn child<'a>(node: Node<'a, '_>, name: &str) -> &'a str {
    node.children()
        .find(|child| child.has_tag_name(name))
        .and_then(|child| child.text())
        .unwrap_or("")
        .trim()
}

fn quantity(scale: &str, proportion: &str) -> Quantity {
    let known = match scale.to_lowercase().as_str() {
        "seconds" | "s" => Quantity::SECONDS,
        "ms" | "milliseconds" => Quantity::MILLIS,
        "us" | "microseconds" => Quantity::MICROS,
        "ns" | "nanoseconds" => Quantity::NANOS,
        "mb/s" => Quantity::MB_S,
        "mib/s" => Quantity::MIB_S,
        "gb/s" => Quantity::GB_S,
        scale if scale.ends_with("per second") || scale.ends_with("/s") => Quantity::PER_SECOND,
        scale if scale.ends_with("per minute") => Quantity::PER_MINUTE,
        _ => Quantity::INDEX,
    };
    match proportion {
        "LIB" => known.with(Better::Lower),
        "HIB" => known.with(Better::Higher),
        _ => known,
    }
}
