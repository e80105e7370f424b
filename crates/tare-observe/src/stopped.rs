//! The time in which a quota of CPU time had stopped a layer.

use crate::counts::Figures;
use crate::story::ON_CPU;
use tare_proto::outside::{Part, READY, STOPPED_BY_QUOTA, Seen};

/// Tells of a path ([`crate::path()`]) for how long a quota had stopped the layer, which was so many nanoseconds on all its CPUs together.
///
/// A thread that is stopped is ready. Where the kernel does not record how a CPU leaves its idle task, it also seems to run: of a layer on
/// `one_cpu`, what is missing of the time is taken from that.
pub fn stopped(path: &mut Figures, ns: f64, one_cpu: bool) {
    let mut left = ns;
    let states = if one_cpu { &[READY, ON_CPU][..] } else { &[READY] };
    for state in states {
        for part in Part::ALL {
            let Some(time) = path.get_mut(&Seen::Time.counter(part, state)) else { continue };
            let taken = time.clamp(0.0, left);
            *time -= taken;
            left -= taken;
            *path.entry(Seen::Time.counter(part, STOPPED_BY_QUOTA)).or_default() += taken;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_quota_stopped_was_ready_or_seemed_to_run_and_is_told_once() {
        let name = |part, state| Seen::Time.counter(part, state);
        let of = |path: &Figures, state| {
            [Part::Program, Part::Helper]
                .map(|part| path.get(&name(part, state)).copied().unwrap_or(0.0))
        };
        let times = [
            (name(Part::Program, READY), 50.0),
            (name(Part::Program, ON_CPU), 40.0),
            (name(Part::Helper, READY), 20.0),
        ];
        for (ns, one_cpu, expected) in
            [(60.0, true, [50.0, 10.0]), (90.0, true, [70.0, 20.0]), (90.0, false, [50.0, 20.0])]
        {
            let mut path = Figures::from(times.clone());
            stopped(&mut path, ns, one_cpu);
            assert_eq!(of(&path, STOPPED_BY_QUOTA), expected);
            assert_eq!(path.values().sum::<f64>(), 110.0);
        }
    }
}
