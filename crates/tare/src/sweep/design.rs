//! Which combinations of levels a design measures.

use tare_store::Design;

/// How many combinations `design` has of knobs with so many `levels`; `None` when nobody could count them.
pub fn size(design: Design, levels: &[usize]) -> Option<u64> {
    let all = levels.iter().try_fold(1_u64, |all, n| all.checked_mul(*n as u64));
    match design {
        Design::Full => all,
        Design::OneAtATime => Some(1 + levels.iter().map(|n| *n as u64 - 1).sum::<u64>()),
        Design::Fractional => Some(residues(levels)[0]),
    }
}

/// Every combination of `design`, in order: the first levels change last. The first is that of all first levels.
pub fn points(design: Design, levels: &[usize]) -> Vec<Vec<usize>> {
    let mut all = vec![Vec::new()];
    for &n in levels {
        all = all
            .iter()
            .flat_map(|point| (0..n).map(move |level| [point.as_slice(), &[level]].concat()))
            .collect();
    }
    let part = part(levels);
    all.retain(|point: &Vec<usize>| match design {
        Design::Full => true,
        Design::Fractional => point.iter().sum::<usize>().is_multiple_of(part),
        Design::OneAtATime => point.iter().filter(|level| **level > 0).count() <= 1,
    });
    all
}

/// A fractional design is one part in so many.
fn part(levels: &[usize]) -> usize {
    levels.iter().copied().min().unwrap_or(1).max(1)
}

/// How many combinations have a sum of levels with each remainder.
fn residues(levels: &[usize]) -> Vec<u64> {
    let part = part(levels);
    let mut counts = vec![0_u64; part];
    counts[0] = 1;
    for &n in levels {
        let mut next = vec![0_u64; part];
        for (rest, count) in counts.iter().enumerate() {
            for level in 0..n {
                let place = &mut next[(rest + level) % part];
                *place = place.saturating_add(*count);
            }
        }
        counts = next;
    }
    counts
}

#[cfg(test)]
mod tests {
    use super::*;
    use tare_stats::Factorial;

    #[test]
    fn every_design_is_as_large_as_it_says_and_begins_with_the_first_settings() {
        for levels in [vec![], vec![4], vec![2, 3], vec![2, 2, 2], vec![3, 3, 4], vec![2, 3, 4, 2]]
        {
            for design in Design::ALL {
                let points = points(design, &levels);
                assert_eq!(Some(points.len() as u64), size(design, &levels), "{design} {levels:?}");
                assert_eq!(points[0], vec![0; levels.len()]);
            }
        }
        assert_eq!(size(Design::Full, &[64; 12]), None);
        assert_eq!(size(Design::OneAtATime, &[64; 12]), Some(757));
    }

    #[test]
    fn a_fraction_of_three_knobs_tells_main_effects_apart_and_of_five_interactions() {
        let estimable = |levels: &[usize], pairs| {
            Factorial::new(levels, &points(Design::Fractional, levels), pairs).is_ok()
        };
        assert!(estimable(&[2, 2, 2], false) && !estimable(&[2, 2, 2], true));
        assert!(estimable(&[3, 3, 4], false) && estimable(&[2, 3, 4], false));
        assert!(estimable(&[2; 5], true));
        assert!(!estimable(&[2, 2], false), "two knobs have no fraction");
        assert_eq!(points(Design::Fractional, &[2, 2, 2]).len(), 4);
    }
}
