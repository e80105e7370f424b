//! Where the time of a warm start goes: its phases by layer, stacked.

use super::WIDTH;
use crate::svg::canvas::{Anchor, Canvas};
use crate::svg::scale::Scale;
use crate::svg::{axis, marks};
use tare_board::Sandbox;
use tare_board::format::tick;
use tare_proto::Unit;

const EDGES: (f64, f64) = (138.0, WIDTH - 90.0);
const LINE: f64 = 24.0;

/// The figure: one bar for each (series number, layer) of which phases are known. Nothing where there is none.
pub(crate) fn figure(layers: &[(usize, &Sandbox)]) -> String {
    let known = |found: &Sandbox| found.phases.iter().any(|phase| phase.ns.is_some());
    let bars: Vec<&(usize, &Sandbox)> = layers.iter().filter(|(_, found)| known(found)).collect();
    let whole = |found: &Sandbox| found.phases.iter().filter_map(|phase| phase.ns).sum::<f64>();
    let longest = bars.iter().map(|(_, found)| whole(found)).fold(0.0, f64::max);
    if bars.is_empty() {
        return String::new();
    }
    let x = Scale::linear(0.0, longest, EDGES);
    let bottom = 24.0 + LINE * bars.len() as f64;
    let label = "Phases of a warm start by layer: host, runtime, kernel, probe";
    let mut canvas = Canvas::new("plot", (WIDTH, bottom + 34.0), label);
    canvas.text("strong", (12.0, 12.0), Anchor::Start, "Where a warm start goes");
    axis::below(&mut canvas, &x, (22.0, bottom), 5, |v, step| tick(Unit::Nanoseconds, v, step));
    for (at, (series, found)) in bars.iter().enumerate() {
        let top = 26.0 + LINE * at as f64;
        canvas.group(&marks::class(*series), &[]);
        marks::dot(&mut canvas, *series, (12.0, top + 9.0));
        canvas.end();
        let name = crate::clean::fit(&crate::words::name(&found.layer), 14);
        canvas.text("tick", (20.0, top + 12.5), Anchor::Start, &name);
        let mut done = 0.0;
        for (class, phase) in ["s0", "s1", "s2", "s3"].iter().zip(&found.phases) {
            let Some(ns) = phase.ns else { continue };
            canvas.group(class, &[]);
            canvas.rect("bar", (x.at(done), top), (x.at(done + ns), top + LINE - 6.0), &[]);
            canvas.end();
            done += ns;
        }
        let text = crate::cells::time(done);
        canvas.text("tick", (EDGES.1 + 8.0, top + 12.5), Anchor::Start, &text);
    }
    let text = "host, runtime, kernel, probe from the left; means";
    canvas.text("note", (EDGES.0, bottom + 28.0), Anchor::Start, text);
    canvas.finish()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::svg::canvas::num;
    use tare_board::Phase;

    #[test]
    fn phases_stack_to_the_whole_and_one_that_is_not_known_is_left_out() {
        let phase = |name, ns| Phase { name, ns, why: None };
        let found = Sandbox {
            layer: "runc".into(),
            start: None,
            ratio: None,
            cold: None,
            phases: vec![
                phase("host", Some(1e6)),
                phase("runtime", Some(2e6)),
                phase("kernel", None),
                phase("probe", Some(1e6)),
            ],
            one_more: None,
            fits: None,
            alive: Vec::new(),
            idle_cpu: None,
            idle_wakeups: None,
            beside: Vec::new(),
            restored: None,
        };
        let svg = figure(&[(1, &found)]);
        let width = |share: f64| format!("width=\"{}\"", num(share * (EDGES.1 - EDGES.0)));
        assert_eq!(svg.matches(&width(0.25)).count(), 2, "{svg}");
        assert_eq!(svg.matches(&width(0.5)).count(), 1, "{svg}");
        assert!(svg.contains("4.00 ms"));
        assert_eq!(figure(&[]), "");
    }
}
