//! An SVG under construction: elements with classes, numbers in few digits, every text escaped.

use crate::clean::clean;
use std::fmt::Write;

/// An `svg` element being written. Coordinates are those of its view box.
pub(crate) struct Canvas {
    out: String,
    open: Vec<&'static str>,
    pub(crate) size: (f64, f64),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Anchor {
    Start,
    Middle,
    End,
}

impl Canvas {
    /// An image that a screen reader calls `label`; hidden from it when the label is empty.
    pub(crate) fn new(class: &str, size: (f64, f64), label: &str) -> Canvas {
        let width = num(size.0);
        let height = num(size.1);
        let role = match label {
            "" => "aria-hidden=\"true\"".to_owned(),
            label => format!("role=\"img\" aria-label=\"{}\"", escape(&clean(label))),
        };
        let out = format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"{class}\" width=\"{width}\" height=\"{height}\" viewBox=\"0 0 {width} {height}\" {role}"
        );
        Canvas { out, open: Vec::new(), size }
    }

    /// An attribute of the `svg` element itself, for the page's script. Before any other call.
    pub(crate) fn data(mut self, name: &str, value: &str) -> Canvas {
        let _ = write!(self.out, " data-{name}=\"{}\"", escape(value));
        self
    }

    /// A style sheet of ours, for a file of its own.
    pub(crate) fn style(&mut self, css: &str) {
        self.begin("style", "", &[]);
        let _ = write!(self.out, ">{}</style>", escape(css));
    }

    /// Opens a part in which nothing is drawn left of `from` or right of `to`.
    pub(crate) fn clip(&mut self, (from, to): (f64, f64)) {
        let [x, width, height] = [from, to - from, self.size.1].map(num);
        let view = format!("{x} 0 {width} {height}");
        self.begin(
            "svg",
            "",
            &[("x", &x), ("width", &width), ("height", &height), ("viewBox", &view)],
        );
        self.out.push('>');
        self.open.push("svg");
    }

    pub(crate) fn group(&mut self, class: &str, attributes: &[(&str, &str)]) {
        self.begin("g", class, attributes);
        self.out.push('>');
        self.open.push("g");
    }

    /// Closes the last group.
    pub(crate) fn end(&mut self) {
        if let Some(name) = self.open.pop() {
            let _ = write!(self.out, "</{name}>");
        }
    }

    pub(crate) fn line(&mut self, class: &str, from: (f64, f64), to: (f64, f64)) {
        let [x1, y1, x2, y2] = [from.0, from.1, to.0, to.1].map(num);
        self.begin("line", class, &[("x1", &x1), ("y1", &y1), ("x2", &x2), ("y2", &y2)]);
        self.out.push_str("/>");
    }

    /// A rectangle by two corners, drawn in whichever order they come.
    pub(crate) fn rect(
        &mut self,
        class: &str,
        a: (f64, f64),
        b: (f64, f64),
        more: &[(&str, &str)],
    ) {
        let [x, y, w, h] =
            [a.0.min(b.0), a.1.min(b.1), (a.0 - b.0).abs(), (a.1 - b.1).abs()].map(num);
        self.begin("rect", class, &[("x", &x), ("y", &y), ("width", &w), ("height", &h)]);
        self.attributes(more);
        self.out.push_str("/>");
    }

    pub(crate) fn path(&mut self, class: &str, d: &str, more: &[(&str, &str)]) {
        self.begin("path", class, &[("d", d)]);
        self.attributes(more);
        self.out.push_str("/>");
    }

    pub(crate) fn text(&mut self, class: &str, at: (f64, f64), anchor: Anchor, text: &str) {
        let x = num(at.0);
        let y = num(at.1);
        self.begin("text", class, &[("x", &x), ("y", &y)]);
        match anchor {
            Anchor::Start => {}
            Anchor::Middle => self.attributes(&[("text-anchor", "middle")]),
            Anchor::End => self.attributes(&[("text-anchor", "end")]),
        }
        let _ = write!(self.out, ">{}</text>", escape(&clean(text)));
    }

    pub(crate) fn finish(mut self) -> String {
        self.close_tag();
        while !self.open.is_empty() {
            self.end();
        }
        self.out.push_str("</svg>");
        self.out
    }

    /// Another SVG's text inside, at a place.
    pub(crate) fn nest(&mut self, at: (f64, f64), svg: &str) {
        self.group("", &[("transform", &format!("translate({} {})", num(at.0), num(at.1)))]);
        self.out.push_str(svg);
        self.end();
    }

    fn begin(&mut self, name: &str, class: &str, attributes: &[(&str, &str)]) {
        self.close_tag();
        let _ = write!(self.out, "<{name}");
        if !class.is_empty() {
            let _ = write!(self.out, " class=\"{class}\"");
        }
        self.attributes(attributes);
    }

    fn attributes(&mut self, attributes: &[(&str, &str)]) {
        for (name, value) in attributes {
            let _ = write!(self.out, " {name}=\"{}\"", escape(value));
        }
    }

    /// Ends the `svg` element's own tag when it is still open.
    fn close_tag(&mut self) {
        if !self.out.ends_with('>') {
            self.out.push('>');
        }
    }
}

/// A coordinate with one decimal at most.
pub(crate) fn num(value: f64) -> String {
    let rounded = (value * 10.0).round() / 10.0;
    if rounded == 0.0 || !rounded.is_finite() { "0".into() } else { format!("{rounded}") }
}

/// Text that is nothing but text in XML and HTML.
pub(crate) fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            _ => out.push(c),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_closed_and_escaped() {
        let mut canvas = Canvas::new("p", (10.0, 5.0), "a <b>").data("x", "1\"2");
        canvas.group("s1", &[]);
        canvas.line("rule", (0.0, 1.04), (2.0, f64::NAN));
        canvas.text("", (1.0, 1.0), Anchor::End, "<script>\u{202e}");
        let text = canvas.finish();
        assert_eq!(
            text,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"p\" width=\"10\" height=\"5\" viewBox=\"0 0 10 5\" \
             role=\"img\" aria-label=\"a &lt;b&gt;\" data-x=\"1&quot;2\"><g class=\"s1\">\
             <line class=\"rule\" x1=\"0\" y1=\"1\" x2=\"2\" y2=\"0\"/>\
             <text x=\"1\" y=\"1\" text-anchor=\"end\">&lt;script&gt;\\u{202e}</text></g></svg>"
        );
    }
}
