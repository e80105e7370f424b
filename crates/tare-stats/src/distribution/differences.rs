//! Order statistics of all differences between two sorted sets of values, without listing them.

/// The median of all differences `b - a` of two sorted slices.
pub(crate) fn median_difference(a: &[f64], b: &[f64]) -> f64 {
    let pairs = a.len() as u64 * b.len() as u64;
    let low = difference_of_rank(a, b, pairs.div_ceil(2));
    if pairs % 2 == 1 || count_up_to(a, b, low) > pairs / 2 {
        return low;
    }
    f64::midpoint(low, least_above(a, b, low))
}

/// The difference `b - a` of this rank (from 1) among all pairs of two sorted slices, exactly and without a table of
/// pairs: the bracket is halved until few pairs are left in it, then these are listed (Monahan 1984).
pub(crate) fn difference_of_rank(a: &[f64], b: &[f64], rank: u64) -> f64 {
    let few = 2 * (a.len() + b.len()) as u64;
    // Up to `low` there are fewer pairs than `rank`, up to `high` at least as many.
    let mut low = f64::NEG_INFINITY;
    let mut high = b[b.len() - 1] - a[0];
    let mut below = 0;
    let mut up_to = a.len() as u64 * b.len() as u64;
    let mut middle = f64::midpoint(b[0] - a[a.len() - 1], high);
    // Heavy ties can keep the bracket full; then the bits decide.
    for _ in 0..40 {
        if up_to - below <= few || middle <= low || middle >= high || middle.is_nan() {
            break;
        }
        let count = count_up_to(a, b, middle);
        if count >= rank {
            (high, up_to) = (middle, count)
        } else {
            (low, below) = (middle, count)
        }
        middle = f64::midpoint(low.max(b[0] - a[a.len() - 1]), high);
    }
    if up_to - below > few {
        return bisect_bits(a, b, rank, low, high);
    }
    let mut left = differences_within(a, b, low, high);
    let place = (rank - below - 1) as usize;
    *left.select_nth_unstable_by(place, f64::total_cmp).1
}

fn differences_within(a: &[f64], b: &[f64], low: f64, high: f64) -> Vec<f64> {
    let mut first = 0;
    let mut end = 0;
    let mut found = Vec::new();
    for value in b {
        while first < a.len() && value - a[first] > high {
            first += 1;
        }
        while end < a.len() && value - a[end] > low {
            end += 1;
        }
        found.extend(a[first..end].iter().map(|x| value - x));
    }
    found
}

fn bisect_bits(a: &[f64], b: &[f64], rank: u64, low: f64, high: f64) -> f64 {
    let mut low = to_ordered(low);
    let mut high = to_ordered(high);
    while low < high {
        let middle = low + (high - low) / 2;
        if count_up_to(a, b, from_ordered(middle)) >= rank {
            high = middle
        } else {
            low = middle + 1
        }
    }
    from_ordered(low)
}

/// How many pairs have `b - a <= limit`.
fn count_up_to(a: &[f64], b: &[f64], limit: f64) -> u64 {
    let mut first = 0;
    let mut count = 0;
    for value in b {
        while first < a.len() && value - a[first] > limit {
            first += 1;
        }
        count += (a.len() - first) as u64;
    }
    count
}

fn least_above(a: &[f64], b: &[f64], limit: f64) -> f64 {
    let mut first = 0;
    let mut least = f64::INFINITY;
    for value in b {
        while first < a.len() && value - a[first] > limit {
            first += 1;
        }
        if first > 0 {
            least = least.min(value - a[first - 1]);
        }
    }
    least
}

/// Maps floats to integers in the same order.
fn to_ordered(x: f64) -> u64 {
    let bits = (x + 0.0).to_bits();
    if bits >> 63 == 1 { !bits } else { bits | 1 << 63 }
}

fn from_ordered(key: u64) -> f64 {
    f64::from_bits(if key >> 63 == 1 { key & !(1 << 63) } else { !key })
}
