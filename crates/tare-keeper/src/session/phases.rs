//! Where the time of a start went, as far as timestamps tell.

use std::time::Duration;
use tare_proto::Hello;

/// Why a layer has no kernel of its own to wait for.
const OF_THE_HOST: &str = "it starts on the host's kernel";

/// Why nobody knows.
const NOT_SAID: &str = "the probe does not say when its first instructions ran";
const OTHER_CLOCK: &str =
    "the clock in the layer is neither the host's nor one that began with the layer";

/// The parts of a start, in nanoseconds, or why one is not known. Together they are the whole.
#[derive(Debug, Clone, PartialEq)]
pub struct Phases {
    /// From asking for the layer until its first process starts: tare's keeper, folders, bundle or initramfs, devices.
    pub host: f64,
    /// The runtime or monitor, until the probe's first instructions on the host's kernel, or until a kernel of the layer's own
    /// has started its clock; there it is what is left, the greeting's way to the host included.
    pub runtime: Result<f64, &'static str>,
    /// The layer's own kernel, from the start of its clock to the probe's first instructions.
    pub kernel: Result<f64, &'static str>,
    /// The probe, from its first instructions to its greeting.
    pub probe: Result<f64, &'static str>,
}

/// Readings of clocks in nanoseconds: the first three of the host's monotonic clock, the last two of the layer's.
pub(crate) struct Moments {
    pub asked: u64,
    pub started: u64,
    pub greeted: u64,
    /// The probe's first instructions.
    pub main: u64,
    pub said: u64,
}

impl Moments {
    /// Of a layer that was `asked` for, whose first process `started`, and whose probe said `hello` after `start`.
    pub fn of(asked: u64, started: u64, start: Duration, hello: &Hello) -> Moments {
        let greeted = started + start.as_nanos() as u64;
        Moments { asked, started, greeted, main: hello.main_ns, said: hello.clock_ns }
    }
}

impl Phases {
    /// Of a layer whose clock is the host's if its readings lie within the start, and its own if they are not longer than the
    /// start: a clock that began with the layer. What a layer says is never believed beyond that.
    pub(crate) fn of(at: &Moments) -> Phases {
        let host = at.started.saturating_sub(at.asked) as f64;
        let start = at.greeted.saturating_sub(at.started);
        let within = (at.started..=at.greeted).contains(&at.main);
        let own = (1..=start).contains(&at.main) && (at.main..=start).contains(&at.said);
        match (at.main, within, own) {
            (0, ..) => Phases::unknown(host, NOT_SAID),
            (_, true, false) => {
                let runtime = at.main - at.started;
                Phases {
                    host,
                    runtime: Ok(runtime as f64),
                    kernel: Err(OF_THE_HOST),
                    probe: Ok((start - runtime) as f64),
                }
            }
            (_, false, true) => Phases {
                host,
                runtime: Ok((start - at.said) as f64),
                kernel: Ok(at.main as f64),
                probe: Ok((at.said - at.main) as f64),
            },
            _ => Phases::unknown(host, OTHER_CLOCK),
        }
    }

    fn unknown(host: f64, why: &'static str) -> Phases {
        Phases { host, runtime: Err(why), kernel: Err(why), probe: Err(why) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const HOST: Moments =
        Moments { asked: 1000, started: 1300, greeted: 2000, main: 1800, said: 1950 };

    #[test]
    fn on_the_hosts_clock_the_first_instruction_parts_runtime_and_probe() {
        let phases = Phases::of(&HOST);
        assert_eq!((phases.host, phases.runtime, phases.probe), (300.0, Ok(500.0), Ok(200.0)));
        assert_eq!(phases.kernel, Err(OF_THE_HOST));
    }

    #[test]
    fn a_clock_that_began_with_the_layer_shows_its_kernel() {
        let phases = Phases::of(&Moments { main: 400, said: 450, ..HOST });
        assert_eq!((phases.host, phases.runtime), (300.0, Ok(250.0)));
        assert_eq!((phases.kernel, phases.probe), (Ok(400.0), Ok(50.0)));
    }

    #[test]
    fn what_cannot_be_told_is_not() {
        for (main, said) in [(5000, 5100), (701, 710), (400, 300), (400, 701), (u64::MAX, 0)] {
            let phases = Phases::of(&Moments { main, said, ..HOST });
            assert_eq!(phases, Phases::unknown(300.0, OTHER_CLOCK), "{main} {said}");
        }
        assert_eq!(Phases::of(&Moments { main: 0, ..HOST }), Phases::unknown(300.0, NOT_SAID));
        // Just after the host has started its own clock, nobody can say whose it is.
        let young = Moments { asked: 100, started: 300, greeted: 1000, main: 500, said: 600 };
        assert_eq!(Phases::of(&young), Phases::unknown(200.0, OTHER_CLOCK));
    }
}
