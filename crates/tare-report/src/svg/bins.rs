//! Samples reduced to what can be drawn: histogram bins, a thinned distribution function, buckets over time. The campaign
//! keeps all samples.

use super::scale::{Kind, Scale};

/// Where quantile `p` of sorted, non-empty values lies (nearest rank).
pub(crate) fn at_quantile(sorted: &[f64], p: f64) -> f64 {
    sorted[((sorted.len() - 1) as f64 * p).round() as usize]
}

/// The share of `sorted` in each of `count` equally wide steps of the scale, and how many lie outside.
pub(crate) fn histogram(sorted: &[f64], scale: &Scale, count: usize) -> (Vec<f64>, usize) {
    let mut bins = vec![0.0; count];
    let mut outside = 0;
    for value in sorted {
        if !scale.holds(*value) {
            outside += 1;
            continue;
        }
        let share = match scale.kind {
            Kind::Linear => (value - scale.low) / (scale.high - scale.low),
            Kind::Log => (value / scale.low).ln() / (scale.high / scale.low).ln(),
        };
        bins[((share * count as f64) as usize).min(count - 1)] += 1.0;
    }
    bins.iter_mut().for_each(|bin| *bin /= sorted.len().max(1) as f64);
    (bins, outside)
}

/// The distribution function of `sorted` at `count` places of equal rank: (value, share at or below it).
pub(crate) fn ecdf(sorted: &[f64], count: usize) -> Vec<(f64, f64)> {
    let n = sorted.len();
    let ranks: Vec<usize> = match n {
        0 => Vec::new(),
        n if n <= count => (0..n).collect(),
        n => (0..count).map(|at| at * (n - 1) / (count - 1)).collect(),
    };
    ranks.into_iter().map(|rank| (sorted[rank], (rank + 1) as f64 / n as f64)).collect()
}

#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Bucket {
    pub(crate) low: f64,
    pub(crate) middle: f64,
    pub(crate) high: f64,
}

/// A boot's samples in the order taken, in at most `most` stretches of equal length.
pub(crate) fn buckets(samples: &[f64], most: usize) -> Vec<Bucket> {
    let length = samples.len().div_ceil(most.max(1)).max(1);
    let bucket = |part: &[f64]| {
        let mut sorted = part.to_vec();
        sorted.sort_unstable_by(f64::total_cmp);
        let low = sorted[0];
        let high = sorted[sorted.len() - 1];
        Bucket { low, middle: at_quantile(&sorted, 0.5), high }
    };
    samples.chunks(length).map(bucket).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_sample_is_counted_once() {
        let scale = Scale::log(1.0, 1000.0, (0.0, 1.0));
        let (bins, outside) = histogram(&[1.0, 2.0, 20.0, 1000.0, 2000.0], &scale, 3);
        assert_eq!((bins, outside), (vec![0.4, 0.2, 0.2], 1));
        assert_eq!(ecdf(&[1.0, 3.0], 9), [(1.0, 0.5), (3.0, 1.0)]);
        let many: Vec<f64> = (0..1000).map(f64::from).collect();
        let thin = ecdf(&many, 5);
        assert_eq!((thin.len(), thin[4]), (5, (999.0, 1.0)));
        let stretches = buckets(&[3.0, 1.0, 2.0, 9.0], 2);
        assert_eq!(stretches[0], Bucket { low: 1.0, middle: 3.0, high: 3.0 });
    }
}
