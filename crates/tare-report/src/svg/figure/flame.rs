//! A flame graph: which code called which, the outermost at the top, each as wide as its share of the time on CPUs. The page's script lets
//! it be zoomed and searched; without it, it is a picture.

use super::WIDTH;
use crate::clean::{clean, fit};
use crate::svg::canvas::{Anchor, Canvas};
use crate::words;
use tare_board::Stack;
use tare_proto::Untrusted;

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

    fn depth(&self) -> usize {
        1 + self.called.iter().map(Frame::depth).max().unwrap_or(0)
    }
}

/// The flame graph of one side, whose name is `name`; empty where the clock found nothing. An operation of it and one of the other side
/// took so many nanoseconds of CPUs (`times`). Of a layer, frames are marked of which the baseline has less than half as much.
pub(crate) fn figure(stacks: &[Stack], side: Side, name: &Untrusted, times: (f64, f64)) -> String {
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
    let height = TOP + FRAME * root.depth() as f64 + 4.0;
    let canvas = Canvas::new("plot flame", (WIDTH, height), &label);
    let mut picture = Picture { canvas, scale: WIDTH / root.own, side, times };
    picture.canvas.text("strong", (4.0, 13.0), Anchor::Start, &label);
    picture.draw(&root, 0.0, TOP);
    picture.canvas.finish()
}

struct Picture {
    canvas: Canvas,
    /// Width of the whole.
    scale: f64,
    side: Side,
    times: (f64, f64),
}

impl Picture {
    fn draw(&mut self, frame: &Frame, x: f64, y: f64) {
        let width = frame.own * self.scale;
        if width < NARROWEST {
            return;
        }
        let added = self.side == Side::Layer && self.is_added(frame);
        let class = if added { "frame added" } else { "frame" };
        let place = format!("{x:.1} {width:.1}");
        self.canvas.group(
            class,
            &[("data-f", &place), ("data-n", &frame.name), ("data-t", &self.tip(frame))],
        );
        self.canvas.rect("", (x, y), (x + width - 0.5, y + FRAME - 1.0), &[]);
        let name = fit(&frame.name, (width / LETTER) as usize);
        if name.chars().count() > 2 {
            self.canvas.text("", (x + 3.0, y + 12.0), Anchor::Start, &name);
        }
        self.canvas.end();
        let mut x = x;
        for called in &frame.called {
            self.draw(called, x, y + FRAME);
            x += called.own * self.scale;
        }
    }

    /// Whether the baseline spends less than half as much on it.
    fn is_added(&self, frame: &Frame) -> bool {
        frame.other * self.times.1 < 0.5 * frame.own * self.times.0
    }

    fn tip(&self, frame: &Frame) -> String {
        let share = |share: f64| format!("{:.1}%", 100.0 * share);
        let time = crate::cells::time(frame.own * self.times.0);
        let other = match self.side {
            Side::Baseline => String::new(),
            Side::Layer => {
                format!("; on the baseline {}", crate::cells::time(frame.other * self.times.1))
            }
        };
        format!("{}\n{} of the time on CPUs, {time}{other}", frame.name, share(frame.own))
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
        let svg = figure(&stacks, Side::Layer, &name, (100.0, 50.0));
        assert!(svg.contains(r#"class="frame" data-f="0.0 420.0" data-n="app""#), "{svg}");
        assert!(
            svg.contains(r#"class="frame added" data-f="0.0 280.0" data-n="&lt;b&gt;""#),
            "{svg}"
        );
        assert!(svg.contains(r#"class="frame added" data-f="420.0 140.0" data-n="lib""#), "{svg}");
        let native = figure(&stacks, Side::Baseline, &name, (50.0, 100.0));
        assert!(native.contains(r#"data-f="0.0 560.0" data-n="app""#), "{native}");
        assert!(!native.contains("added") && !native.contains("lib"), "{native}");
        assert_eq!(figure(&[], Side::Layer, &name, (1.0, 1.0)), "");
    }
}
