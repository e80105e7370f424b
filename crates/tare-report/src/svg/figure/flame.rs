//! A flame graph: which code called which, the outermost at the top, each as wide as its share of the time on CPUs or of the instructions. The page's script lets
//! it be zoomed and searched; without it, it is a picture.

use crate::clean::{clean, fit};
use crate::svg::canvas::{Anchor, Canvas};
use crate::words;
use tare_board::{KERNEL, Stack};
use tare_proto::Untrusted;

/// Wider than other figures, which stand beside each other.
const WIDTH: f64 = 1000.0;
const FRAME: f64 = 17.0;
const TOP: f64 = 22.0;

/// Width of a letter of a frame's name, whose end is cut where the frame is narrower.
const LETTER: f64 = 6.0;

/// A frame that takes less of the picture than this is not drawn.
const NARROWEST: f64 = 1.0;

/// Whose threads a picture is of.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Side {
    Baseline,
    Layer,
}

/// What the width of a frame is a share of.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Of {
    /// Nanoseconds of CPUs.
    Time,
    Instructions,
}

/// What called, and what it called.
#[derive(Default)]
struct Frame {
    name: String,
    /// Its share of this side's time on CPUs, and of the other side's.
    own: f64,
    other: f64,
    called: Vec<Frame>,
}

impl Frame {
    /// The frame that it calls by this name.
    fn calls(&mut self, name: String) -> &mut Frame {
        let at = self.called.iter().position(|one| one.name == name).unwrap_or_else(|| {
            self.called.push(Frame { name, ..Frame::default() });
            self.called.len() - 1
        });
        &mut self.called[at]
    }

    /// Of what is drawn where a share takes so much of the width (`scale`).
    fn depth(&self, scale: f64) -> usize {
        if self.own * scale < NARROWEST {
            return 0;
        }
        1 + self.called.iter().map(|one| one.depth(scale)).max().unwrap_or(0)
    }

    /// Whether it is a function of the host's kernel, and its name without that and without the file that `caller` is in, too.
    fn label(&self, caller: &str) -> (bool, &str) {
        if let Some(function) = self.name.strip_prefix(KERNEL) {
            return (true, function);
        }
        let file =
            self.name.split_once(": ").filter(|(file, _)| caller.split(": ").next() == Some(file));
        (false, file.map_or(&self.name, |(_, function)| function))
    }
}

/// The flame graph of one side, whose name is `name`; empty where nothing was found. An operation of it and one of the other side took so much
/// (`totals`). Of a layer, frames are marked of which the baseline has less than half as much.
pub(crate) fn figure(
    stacks: &[Stack],
    side: Side,
    name: &Untrusted,
    (of, totals): (Of, (f64, f64)),
) -> String {
    let mut root = Frame { name: words::name(name), ..Frame::default() };
    for stack in stacks {
        let (own, other) = match side {
            Side::Baseline => (stack.baseline, stack.layer),
            Side::Layer => (stack.layer, stack.baseline),
        };
        let add = |frame: &mut Frame| {
            frame.own += own;
            frame.other += other;
        };
        add(&mut root);
        let mut frame = root.calls(stack.whose.to_owned());
        add(frame);
        for called in &stack.frames {
            frame = frame.calls(clean(called));
            add(frame);
        }
    }
    if root.own <= 0.0 {
        return String::new();
    }
    let label = format!("Flame graph of {}", root.name);
    let scale = WIDTH / root.own;
    let height = TOP + FRAME * root.depth(scale) as f64 + 4.0;
    let canvas = Canvas::new("plot flame", (WIDTH, height), &label);
    let mut picture = Picture { canvas, scale, side, of, totals };
    picture.canvas.text("strong", (4.0, 13.0), Anchor::Start, &label);
    picture.draw(&root, "", (0.0, TOP));
    picture.canvas.finish()
}

struct Picture {
    canvas: Canvas,
    /// Width of the whole.
    scale: f64,
    side: Side,
    of: Of,
    totals: (f64, f64),
}

impl Picture {
    fn draw(&mut self, frame: &Frame, caller: &str, (x, y): (f64, f64)) {
        let width = frame.own * self.scale;
        if width < NARROWEST {
            return;
        }
        let added = self.side == Side::Layer && self.is_added(frame);
        let (in_kernel, label) = frame.label(caller);
        let class =
            ["frame", if added { " added" } else { "" }, if in_kernel { " kernel" } else { "" }];
        let place = format!("{x:.1} {width:.1}");
        let tip = self.tip(frame);
        let told = [("data-f", &*place), ("data-n", &*frame.name), ("data-t", &*tip)];
        self.canvas.group(&class.concat(), &told);
        self.canvas.rect("", (x, y), (x + width - 0.5, y + FRAME - 1.0), &[("data-l", label)]);
        let fits = fit(label, (width / LETTER) as usize);
        if fits.chars().count() > 2 {
            self.canvas.text("", (x + 3.0, y + 12.0), Anchor::Start, &fits);
        }
        self.canvas.end();
        let mut x = x;
        for called in &frame.called {
            self.draw(called, &frame.name, (x, y + FRAME));
            x += called.own * self.scale;
        }
    }

    /// Whether the baseline spends less than half as much on it.
    fn is_added(&self, frame: &Frame) -> bool {
        frame.other * self.totals.1 < 0.5 * frame.own * self.totals.0
    }

    fn tip(&self, frame: &Frame) -> String {
        let share = |share: f64| format!("{:.1}%", 100.0 * share);
        let (whole, amount): (_, fn(f64) -> String) = match self.of {
            Of::Time => ("the time on CPUs", crate::cells::time),
            Of::Instructions => ("the instructions", crate::explain::count),
        };
        let own = amount(frame.own * self.totals.0);
        let other = match self.side {
            Side::Baseline => String::new(),
            Side::Layer => format!("; on the baseline {}", amount(frame.other * self.totals.1)),
        };
        format!("{}\n{} of {whole}, {own}{other}", frame.name, share(frame.own))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stack(frames: &[&str], baseline: f64, layer: f64) -> Stack {
        let frames = frames.iter().map(|name| Untrusted::from((*name).to_owned())).collect();
        Stack { whose: "the program", frames, baseline, layer }
    }

    #[test]
    fn frames_are_as_wide_as_their_share_and_what_the_baseline_lacks_is_marked() {
        let stacks = [
            stack(&["app"], 1.0, 0.25),
            stack(&["app", "<b>"], 0.0, 0.5),
            stack(&["lib"], 0.0, 0.25),
        ];
        let name = Untrusted::from("x".to_owned());
        let svg = figure(&stacks, Side::Layer, &name, (Of::Time, (100.0, 50.0)));
        assert!(svg.contains(r#"class="frame" data-f="0.0 750.0" data-n="app""#), "{svg}");
        assert!(
            svg.contains(r#"class="frame added" data-f="0.0 500.0" data-n="&lt;b&gt;""#),
            "{svg}"
        );
        assert!(svg.contains(r#"class="frame added" data-f="750.0 250.0" data-n="lib""#), "{svg}");
        let native = figure(&stacks, Side::Baseline, &name, (Of::Time, (50.0, 100.0)));
        assert!(native.contains(r#"data-f="0.0 1000.0" data-n="app""#), "{native}");
        assert!(!native.contains("added") && !native.contains("lib"), "{native}");
        assert_eq!(figure(&[], Side::Layer, &name, (Of::Time, (1.0, 1.0))), "");
    }
}
