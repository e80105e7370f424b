//! A sweep in words and tables: what every written form shows of it.

mod tables;

pub(crate) use tables::{is_change, tables};

use crate::clean::{clean, fit};
use crate::words;
use tare_board::format::{count, percent, ratio_with_interval};
use tare_board::{Factor, Response, Scoreboard, Sweep};
use tare_proto::{Better, Foreign, Untrusted};
use tare_store::Design;

/// Most columns of a name of a knob, of one of its settings, and of a benchmark.
const KNOB: usize = 36;
const LEVEL: usize = 30;
const BENCHMARK: usize = 48;
/// Most settings that are named as no worse than the best.
const ALIKE: usize = 3;

/// `Sweep of qemu: memory (256M, 1G) × load (1, 4)`.
pub(crate) fn title(sweep: &Sweep) -> String {
    format!("Sweep of {} ({} design)", words::name(&sweep.layer), sweep.design)
}

/// What is to be known when reading it.
pub(crate) fn note(sweep: &Sweep) -> String {
    let mut text = "Effects are ratios, averaged over the settings of all other knobs: an interval that holds 1 shows none. An \
                    interaction is by how much the one knob's effect grows where the other has its own setting."
        .to_owned();
    match sweep.design {
        Design::Full => {}
        Design::Fractional => text.push_str(
            " Only a fraction of all combinations was measured, so effects are right as far as interactions that the model lacks \
             are small.",
        ),
        Design::OneAtATime => text.push_str(
            " One knob at a time was moved from the first setting, so effects hold there, and interactions are unknown.",
        ),
    }
    text
}

/// A benchmark, and its knobs with their settings.
pub(crate) fn heading(response: &Response) -> String {
    let knob = |knob: &Factor| {
        let levels: Vec<String> = knob.levels.iter().map(level).collect();
        format!("{} ({})", name(&knob.name), levels.join(", "))
    };
    let knobs: Vec<String> = response.knobs.iter().map(knob).collect();
    format!("{}: {}", fit(&clean(&response.benchmark), BENCHMARK), knobs.join(" × "))
}

/// What it comes to: the best setting and how well the model fits.
pub(crate) fn sentence(response: &Response) -> String {
    let mut parts = Vec::new();
    if let Some(best) = &response.best {
        let mut text = format!(
            "Best: {}, {}",
            setting(response, &best.levels),
            ratio_with_interval(&best.ratio)
        );
        let first = response.settings.first();
        text += &match first.filter(|first| first.levels != best.levels) {
            Some(first) => format!(" times {}", setting(response, &first.levels)),
            None => ", the first setting itself".into(),
        };
        let better = if response.better == Better::Lower { "lower" } else { "higher" };
        text += &match best.alike.len() {
            0 => format!(" ({better} is better)."),
            _ if best.ratio.low.is_none() => {
                format!(" ({better} is better); with one block nothing is shown to be worse.")
            }
            some => format!(
                " ({better} is better); not shown to be worse: {}.",
                alike(response, &best.alike, some)
            ),
        };
        parts.push(text);
    }
    if let Some(explained) = &response.explained {
        let mut text =
            format!("Main effects explain {} of the differences", percent(100.0 * explained.alone));
        if let Some(pairs) = explained.pairs {
            text += &format!(", with interactions {}", percent(100.0 * pairs));
        }
        parts.push(text + ".");
    }
    if let Some(why) = &response.why {
        parts.push(format!("No effects: {}.", fit(&clean(why), 200)));
    }
    let mut blocks = format!("{} with every setting", count(response.blocks, "block"));
    if response.left_out > 0 {
        blocks += &format!(", {} without one left out", response.left_out);
    }
    parts.push(blocks + ".");
    parts.join(" ")
}

fn alike(response: &Response, all: &[Vec<usize>], some: usize) -> String {
    let named: Vec<String> =
        all.iter().take(ALIKE).map(|levels| setting(response, levels)).collect();
    let rest = some.saturating_sub(ALIKE);
    let more = if rest > 0 { format!("; and {rest} more") } else { String::new() };
    format!("{}{more}", named.join("; "))
}

fn setting(response: &Response, levels: &[usize]) -> String {
    let one =
        |(knob, at): (&Factor, &usize)| format!("{}={}", name(&knob.name), level_at(knob, *at));
    response.knobs.iter().zip(levels).map(one).collect::<Vec<_>>().join(" ")
}

/// A knob's name, harmless and of bearable length; of a word in a setting only the word: `xen_blkfront.max_queues`.
pub(crate) fn name(text: &(impl Foreign + ?Sized)) -> String {
    let word = text.raw().split_once('.').map_or(text.raw(), |(_, word)| word);
    fit(&clean(word), KNOB)
}

fn level(text: &(impl Foreign + ?Sized)) -> String {
    fit(&clean(text), LEVEL)
}

/// One of a knob's settings, by what tells it from the others.
pub(crate) fn level_at(knob: &Factor, at: usize) -> String {
    distinct(&knob.levels).into_iter().nth(at).unwrap_or_else(|| "?".into())
}

/// Whether there is anything to show.
pub(crate) fn any(board: &Scoreboard) -> bool {
    board.sweeps.iter().any(|sweep| !sweep.responses.is_empty())
}

/// Names without what they all begin and end with: `6.1.0-47` of `linux-image-6.1.0-47-amd64`. Arguments stay whole: the dashes
/// that they begin with are their own.
pub(crate) fn distinct(names: &[Untrusted]) -> Vec<String> {
    if names.iter().any(|name| name.raw().starts_with('-')) {
        return names.iter().map(level).collect();
    }
    let parts: Vec<Vec<&str>> = names.iter().map(|name| name.raw().split('-').collect()).collect();
    let least = parts.iter().map(Vec::len).min().unwrap_or(0).saturating_sub(1);
    let common = |at: &dyn Fn(&[&str], usize) -> String| {
        let same = |n: &usize| parts.windows(2).all(|pair| at(&pair[0], *n) == at(&pair[1], *n));
        (0..least).take_while(same).count()
    };
    let begin = common(&|parts, n| parts[n].to_owned());
    let end = common(&|parts, n| parts[parts.len() - 1 - n].to_owned());
    let end = end.min(least - begin.min(least));
    parts.iter().map(|parts| level(&parts[begin..parts.len() - end].join("-"))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_shown_by_what_tells_them_apart() {
        let of =
            |names: &[&str]| distinct(&names.iter().map(|name| (*name).into()).collect::<Vec<_>>());
        let kernels = ["linux-image-6.1.0-47-amd64", "linux-image-6.12.100+deb12-amd64"];
        assert_eq!(of(&kernels), ["6.1.0-47", "6.12.100+deb12"]);
        assert_eq!(of(&["a", "b"]), ["a", "b"]);
        assert_eq!(of(&["same-one", "same-one"]), ["one", "one"]);
        assert_eq!(of(&[]), Vec::<String>::new());
        assert_eq!(of(&["--directfs=false", "-"]), ["--directfs=false", "-"]);
        assert_eq!(of(&["--cpus-a", "--cpus-b"]), ["--cpus-a", "--cpus-b"]);
    }
}
