//! Where the time went: user, system and idle shares of the CPUs by layer, stacked.

use super::WIDTH;
use crate::svg::canvas::{Anchor, Canvas};
use crate::svg::scale::Scale;
use crate::svg::{axis, marks};
use tare_board::Usage;

const EDGES: (f64, f64) = (138.0, WIDTH - 90.0);
const LINE: f64 = 24.0;

/// The figure: one bar for each (series number, layer's name, usage).
pub(crate) fn figure(bars: &[(usize, &str, &Usage)]) -> String {
    let x = Scale::linear(0.0, 1.0, EDGES);
    let bottom = 24.0 + LINE * bars.len() as f64;
    let label = "CPU time by layer: user, system, idle";
    let mut canvas = Canvas::new("plot", (WIDTH, bottom + 34.0), label);
    canvas.text("strong", (12.0, 12.0), Anchor::Start, "Where the time went");
    axis::below(&mut canvas, &x, (22.0, bottom), 5, |v, _| format!("{:.0}%", 100.0 * v));
    for (at, (series, name, usage)) in bars.iter().enumerate() {
        let top = 26.0 + LINE * at as f64;
        canvas.group(&marks::class(*series), &[]);
        marks::dot(&mut canvas, *series, (12.0, top + 9.0));
        canvas.end();
        let name = crate::clean::fit(&crate::words::name(name), 14);
        canvas.text("tick", (20.0, top + 12.5), Anchor::Start, &name);
        let mut done = 0.0;
        for (class, share) in [("s1", usage.user), ("s2", usage.system), ("s0", usage.idle)] {
            canvas.group(class, &[]);
            canvas.rect("bar", (x.at(done), top), (x.at(done + share), top + LINE - 6.0), &[]);
            canvas.end();
            done += share;
        }
        let text = format!("{:.0}% busy", 100.0 * (usage.user + usage.system));
        canvas.text("tick", (EDGES.1 + 8.0, top + 12.5), Anchor::Start, &text);
    }
    canvas.text(
        "note",
        (EDGES.0, bottom + 28.0),
        Anchor::Start,
        "user, system, idle from the left",
    );
    canvas.finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bars_stack_to_the_whole() {
        let usage = Usage { layer: 0, user: 0.25, system: 0.5, idle: 0.25 };
        let svg = figure(&[(1, "runc", &usage)]);
        let whole = EDGES.1 - EDGES.0;
        let width = |share: f64| format!("width=\"{}\"", crate::svg::canvas::num(share * whole));
        assert_eq!(svg.matches(&width(0.25)).count(), 2, "{svg}");
        assert_eq!(svg.matches(&width(0.5)).count(), 1, "{svg}");
        assert!(svg.contains("75% busy"));
    }
}
