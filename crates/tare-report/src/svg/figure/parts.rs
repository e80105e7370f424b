//! Where the time of an operation goes on a layer, beside native: whose threads, in which state, stacked.

use super::WIDTH;
use crate::svg::canvas::{Anchor, Canvas};
use crate::svg::scale::Scale;
use crate::svg::{axis, marks};
use crate::words;
use tare_board::format::tick;
use tare_board::{Explanation, Outside, Stretch};
use tare_proto::{Unit, Untrusted};

const EDGES: (f64, f64) = (138.0, WIDTH - 90.0);
const LINE: f64 = 24.0;

/// Height of a line of the key.
const KEY: f64 = 16.0;

/// Colours that tell stretches apart.
const COLOURS: usize = 7;

/// One side of a stretch, in nanoseconds.
type Of = fn(&Stretch) -> f64;

/// The figure of what was seen: a bar for the baseline, and one for the layer.
pub(crate) fn figure(explained: &Explanation, seen: &Outside) -> String {
    let sum = |of: Of| seen.times.iter().map(of).sum::<f64>();
    let sides: [(&Untrusted, Of); 2] =
        [(&explained.baseline, |one| one.baseline), (&explained.layer, |one| one.layer)];
    let longest = sides.iter().map(|(_, of)| sum(*of)).fold(0.0, f64::max);
    if longest <= 0.0 {
        return String::new();
    }
    let x = Scale::linear(0.0, longest, EDGES);
    let bottom = 24.0 + LINE * sides.len() as f64;
    let height = bottom + 30.0 + KEY * seen.times.len() as f64;
    let label =
        "Parts of an operation's time by whose threads had it, on the baseline and on the layer";
    let mut canvas = Canvas::new("plot", (WIDTH, height), label);
    canvas.text("strong", (12.0, 12.0), Anchor::Start, "Where the time of an operation goes");
    axis::below(&mut canvas, &x, (22.0, bottom), 5, |v, step| tick(Unit::Nanoseconds, v, step));
    for (line, (name, of)) in sides.iter().enumerate() {
        let top = 26.0 + LINE * line as f64;
        let name = crate::clean::fit(&words::name(name), 14);
        canvas.text("tick", (20.0, top + 12.5), Anchor::Start, &name);
        let mut done = 0.0;
        for (at, stretch) in seen.times.iter().enumerate() {
            let ns = of(stretch);
            canvas.group(&marks::class(at % COLOURS), &[]);
            canvas.rect("bar", (x.at(done), top), (x.at(done + ns), top + LINE - 6.0), &[]);
            canvas.end();
            done += ns;
        }
        let text = crate::cells::time(done);
        canvas.text("tick", (EDGES.1 + 8.0, top + 12.5), Anchor::Start, &text);
    }
    for (at, stretch) in seen.times.iter().enumerate() {
        let y = bottom + 32.0 + KEY * at as f64;
        canvas.group(&marks::class(at % COLOURS), &[]);
        marks::dot(&mut canvas, at % COLOURS, (EDGES.0 + 4.0, y));
        canvas.end();
        let text = format!("{}: {}", stretch.whose, stretch.state);
        canvas.text("note", (EDGES.0 + 14.0, y + 3.5), Anchor::Start, &text);
    }
    canvas.finish()
}
