//! Shows a running campaign: one live line on a terminal; elsewhere a plain line for each boot, and for a row that begins after a silent
//! minute. All on standard error, so that the scoreboard can be piped.

use crate::output;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::cell::Cell;
use std::io::{IsTerminal, stderr};
use std::time::{Duration, Instant};
use tare_board::format::{count, short_ratio};
use tare_layers::Unavailable;
use tare_run::{Event, Expected, Observer, SoFar};
use tare_store::Role;

/// Steps of the bar.
const STEPS: u64 = 1000;

/// A trial that takes longer than this is spoken of.
const LONG: Duration = Duration::from_secs(2);

/// How long elsewhere than on a terminal nothing is said before a row is.
const SILENT: Duration = Duration::from_secs(60);

/// How long between two lines of what layers cost, unless another layer has figures.
const BETWEEN_FIGURES: Duration = Duration::from_secs(60);

pub struct Progress {
    bar: Option<ProgressBar>,
    block: String,
    boot: String,
    left: Option<Duration>,
    begun: Instant,
    /// The layer that was last said to be tried, and for how many minutes.
    tried: Option<(String, u64)>,
    /// When the last line was written.
    said: Cell<Instant>,
    /// Of how many layers figures were last told, and when.
    told: Option<(usize, Instant)>,
}

impl Progress {
    /// Draws on a terminal, prints lines elsewhere.
    pub fn new() -> Progress {
        let bar = stderr().is_terminal().then(|| {
            let style = ProgressStyle::with_template("{bar:20} {msg}");
            let style =
                style.unwrap_or_else(|_| ProgressStyle::default_bar()).progress_chars("##-");
            ProgressBar::with_draw_target(Some(STEPS), ProgressDrawTarget::stderr_with_hz(5))
                .with_style(style)
        });
        Progress {
            bar,
            block: String::new(),
            boot: String::new(),
            left: None,
            begun: Instant::now(),
            tried: None,
            said: Cell::new(Instant::now()),
            told: None,
        }
    }

    pub fn finish(&self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }

    fn line(&self, text: &str) {
        self.said.set(Instant::now());
        match &self.bar {
            Some(bar) => bar.println(output::in_lines(&output::said(text))),
            None => output::note(text),
        }
    }

    /// A trial that goes on: elsewhere than on a terminal a line when it takes long, and then one a minute.
    fn trying(&mut self, layer: &str, since: Duration, within: Duration) {
        let text = format!("trying {layer}: {} of at most {}", clock(since), clock(within));
        self.live(&text);
        let said = (layer.to_owned(), since.as_secs() / 60);
        if self.bar.is_none() && since >= LONG && self.tried.as_ref() != Some(&said) {
            self.line(&text);
            self.tried = Some(said);
        }
    }

    /// What layers cost by now: when another one has figures, and otherwise once in a while.
    fn so_far(&mut self, layers: &[SoFar]) {
        let is_due = |(known, when): (usize, Instant)| {
            known < layers.len() || when.elapsed() >= BETWEEN_FIGURES
        };
        if self.told.is_none_or(is_due) {
            self.told = Some((layers.len(), Instant::now()));
            self.line(&what_is_told(layers));
        }
    }

    /// Does what prints elsewhere than here, with the live line out of the way.
    pub fn aside<T>(&self, print: impl FnOnce() -> T) -> T {
        match &self.bar {
            Some(bar) => bar.suspend(print),
            None => print(),
        }
    }

    /// The live line; elsewhere a line when none was written for a while.
    fn live(&self, what: &str) {
        let left = self.left.map(|left| format!(", {} left", clock(left))).unwrap_or_default();
        let text = format!("{} {} {what}{left}", self.block, self.boot);
        match &self.bar {
            Some(bar) => bar.set_message(output::said(&text)),
            None if self.said.get().elapsed() >= SILENT => {
                self.line(&format!("  {:>6} {text}", clock(self.begun.elapsed())));
            }
            None => {}
        }
    }
}

impl Observer for Progress {
    fn event(&mut self, event: Event) {
        match event {
            Event::Trying { layer, since, within } => self.trying(layer, since, within),
            Event::Tried { layer, outcome: Err(Unavailable { why, remedy, .. }), .. } => {
                self.line(&format!("{layer} cannot run here: {why}\n  remedy: {remedy}"));
            }
            Event::Tried { layer, outcome: Ok(trial), .. } => {
                let left = trial.left.iter();
                left.for_each(|path| {
                    self.line(&format!("  warning: {layer}: not removed: {path}"))
                });
            }
            Event::Searching { name, layer } => {
                self.live(&format!("finding loads: {name} on {layer}"))
            }
            Event::Rehearsing { name, layer } => {
                self.live(&format!("running {name} once on {layer} before the campaign"))
            }
            Event::Loads(found) => {
                let loads: Vec<String> = found.loads.iter().map(u32::to_string).collect();
                let name = &found.benchmark;
                let loads = loads.join(", ");
                let end = &found.end;
                self.line(&format!("{name}: loads {loads} ({end})"));
            }
            Event::Block { number, of, boots } => {
                self.block = format!("block {number}/{of}");
                if self.bar.is_none() {
                    self.line(&format!("{} ({boots} boots)", self.block));
                }
            }
            Event::Expected(expected) => self.line(&what_is_expected(expected)),
            Event::SoFar(layers) => self.so_far(layers),
            Event::Boot { layer, role, attempt } => {
                let floor = match role {
                    Role::Weigh => "",
                    Role::Floor => " again (A/A)",
                    Role::OneCpu => " on one CPU",
                };
                let retry = if attempt > 1 { ", second try" } else { "" };
                self.boot = format!("{layer}{floor}{retry}");
                self.live("booting");
                if self.bar.is_none() {
                    self.line(&format!("  {:>6} {}", clock(self.begun.elapsed()), self.boot));
                }
            }
            Event::Benchmark { name, number, of } => self.live(&format!("{name} {number}/{of}")),
            Event::Turns { name, number, of, layers } => {
                self.boot = format!("{layers} boots taking turns");
                self.live(&format!("{name} {number}/{of}"));
            }
            Event::Watching { layer, name, number, of } => {
                self.boot = format!("{layer}, watched:");
                self.left = None; // which is of what is measured
                self.live(&format!("{name} {number}/{of}"));
            }
            Event::Visit { layer, step, number, of } => {
                self.boot = format!("{layer}: {step}");
                self.live(&format!("{number}/{of}"));
            }
            Event::BootFailed { layer, why, again } => {
                let next = if again { "; trying again" } else { "" };
                self.line(&format!("  {layer}: {why}{next}"));
            }
            Event::Progress { done, left } => {
                self.left = Some(left);
                if let Some(bar) = &self.bar {
                    bar.set_position((done * STEPS as f64) as u64);
                }
            }
            Event::Warning(text) => self.line(&format!("  warning: {text}")),
        }
    }
}

/// How narrow a layer's intervals will be, and which budget would make them narrow enough.
fn what_is_expected(expected: &Expected) -> String {
    let Expected { layer, half_width, enough, needed } = expected;
    let percent = |part: f64| format!("±{:.1}%", 100.0 * part);
    let half = percent(*half_width);
    let known = format!("  this budget tells {layer}'s ratio to about {half}");
    match needed {
        Some(needed) => {
            let minutes = (needed.as_secs_f64() / 60.0).ceil();
            format!("{known}; --budget {minutes}m would do for {}", percent(*enough))
        }
        None => known,
    }
}

/// What layers cost by the rows that there are: geometric means, which have no intervals yet.
fn what_is_told(layers: &[SoFar]) -> String {
    let one = |one: &SoFar| {
        let rows = count(one.rows, "row");
        format!("{} {} ({rows})", one.layer, short_ratio(one.ratio))
    };
    let all: Vec<String> = layers.iter().map(one).collect();
    format!("  so far, times the baseline, without an interval: {}", all.join(", "))
}

/// `m:ss`.
fn clock(time: Duration) -> String {
    let seconds = time.as_secs();
    format!("{}:{:02}", seconds / 60, seconds % 60)
}
