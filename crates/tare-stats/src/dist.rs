//! Tails and quantiles of Student's t, F and the normal distribution, accurate far into the tail, where corrected
//! verdicts live; and the two derivatives of ln Γ that moderated variances need.

use statrs::function::beta::beta_reg;
use statrs::function::erf::{erfc, erfc_inv};
use statrs::function::gamma::{gamma_ur, ln_gamma};
use std::f64::consts::{PI, SQRT_2};

/// Below this many degrees of freedom nothing is known: no finite t would be significant.
const LEAST_DF: f64 = 1e-3;

/// Above this many degrees of freedom t and normal agree to better than 1e-8 of the tail.
const NORMAL_FROM: f64 = 1e9;

/// Two-sided tail `P(|T| >= |t|)` of Student's t with `df` degrees of freedom (infinity gives the normal).
///
/// Computed as the regularized incomplete beta function `I_x(df/2, 1/2)` at `x = df/(df+t²)` (Abramowitz and
/// Stegun 26.7.1), so small tails keep their relative accuracy. NaN, or next to no `df`, gives 1: no evidence.
pub fn t_two_sided(t: f64, df: f64) -> f64 {
    if t.is_nan() || df.is_nan() || df < LEAST_DF {
        return 1.0;
    }
    if df >= NORMAL_FROM {
        return erfc(t.abs() / SQRT_2).clamp(0.0, 1.0);
    }
    let x = df / (df + t * t);
    if x <= 0.0 {
        return 0.0;
    }
    let tail = if x <= 0.5 {
        beta_reg(df / 2.0, 0.5, x)
    } else {
        1.0 - beta_reg(0.5, df / 2.0, t * t / (df + t * t))
    };
    tail.clamp(0.0, 1.0)
}

/// Upper tail `P(T >= t)` of Student's t with `df` degrees of freedom.
pub fn t_upper(t: f64, df: f64) -> f64 {
    let half = t_two_sided(t, df) / 2.0;
    if t.is_nan() {
        1.0
    } else if t >= 0.0 {
        half
    } else {
        1.0 - half
    }
}

/// The `t > 0` whose two-sided tail is `tail`: 0.05 and 4 degrees of freedom give 2.776.
///
/// A `tail` of 1 or more gives 0, of 0 or less (or NaN) infinity. Newton's method on `ln tail` against `ln t`,
/// which is concave, kept inside a bracket.
pub fn t_critical(tail: f64, df: f64) -> f64 {
    if tail >= 1.0 {
        return 0.0;
    }
    if tail.is_nan() || tail <= 0.0 || df.is_nan() || df < LEAST_DF {
        return f64::INFINITY;
    }
    let normal = SQRT_2 * erfc_inv(tail);
    if df >= NORMAL_FROM {
        return normal;
    }
    let goal = tail.ln();
    let mut low = -80.0_f64;
    let mut high = 700.0_f64;
    let mut u = normal.max(1e-12).ln();
    for _ in 0..200 {
        let p = t_two_sided(u.exp(), df);
        let gap = p.ln() - goal;
        if gap > 0.0 {
            low = u
        } else {
            high = u
        }
        let slope = -2.0 * (u + ln_t_density(u.exp(), df) - p.ln()).exp();
        let newton = u - gap / slope;
        let next = if newton > low && newton < high { newton } else { f64::midpoint(low, high) };
        let step = (next - u).abs();
        u = next;
        if step < 1e-15 * u.abs().max(1.0) {
            break;
        }
    }
    u.exp()
}

/// The factor of the standard error in a two-sided interval: `t_critical(1 - confidence, df)`.
pub fn t_factor(confidence: f64, df: f64) -> f64 {
    t_critical(1.0 - confidence, df)
}

/// Upper tail `P(F >= f)` of the F distribution; `denominator` may be infinite, which gives chi-squared over its degrees of
/// freedom. NaN gives 1: no evidence.
pub fn f_upper(f: f64, numerator: f64, denominator: f64) -> f64 {
    let known = numerator >= LEAST_DF && denominator >= LEAST_DF; // not where one is NaN
    if f.is_nan() || !known || f <= 0.0 {
        return 1.0;
    }
    if f.is_infinite() {
        return 0.0;
    }
    if denominator >= NORMAL_FROM {
        return gamma_ur(numerator / 2.0, numerator * f / 2.0).clamp(0.0, 1.0);
    }
    let share = denominator / (denominator + numerator * f);
    match share {
        0.0 => 0.0,
        1.0 => 1.0,
        share => beta_reg(denominator / 2.0, numerator / 2.0, share).clamp(0.0, 1.0),
    }
}

/// Quantile of the standard normal distribution; `p` outside (0, 1) gives an infinity.
pub fn normal_quantile(p: f64) -> f64 {
    if p < 0.5 {
        -SQRT_2 * erfc_inv(2.0 * p.max(0.0))
    } else {
        SQRT_2 * erfc_inv(2.0 * (1.0 - p).max(0.0))
    }
}

/// Lower tail of the standard normal distribution.
pub fn normal_lower(z: f64) -> f64 {
    if z.is_nan() { 1.0 } else { erfc(-z / SQRT_2) / 2.0 }
}

fn ln_t_density(t: f64, df: f64) -> f64 {
    let ratio = t / df.sqrt();
    let kernel = if ratio > 1e150 { 2.0 * ratio.ln() } else { (ratio * ratio).ln_1p() };
    ln_gamma(f64::midpoint(df, 1.0))
        - ln_gamma(df / 2.0)
        - 0.5 * (df * PI).ln()
        - f64::midpoint(df, 1.0) * kernel
}

/// Trigamma, the second derivative of ln Γ, for `x > 0`: recurrence up to 10, then the asymptotic series
/// (Abramowitz and Stegun 6.4.6 and 6.4.12).
pub fn trigamma(x: f64) -> f64 {
    if x.is_nan() || x <= 0.0 {
        return f64::INFINITY;
    }
    let mut x = x;
    let mut sum = 0.0;
    while x < 10.0 {
        sum += 1.0 / (x * x);
        x += 1.0;
    }
    let y = 1.0 / (x * x);
    let series =
        y * (1.0 / 6.0 - y * (1.0 / 30.0 - y * (1.0 / 42.0 - y * (1.0 / 30.0 - y * (5.0 / 66.0)))));
    sum + 1.0 / x + y / 2.0 + series / x
}

/// The `x > 0` with `trigamma(x) = y`; infinity when `y` is not above 0.
///
/// Newton's method on `1/trigamma`, which is convex and nearly linear (Smyth 2004, appendix).
pub fn trigamma_inverse(y: f64) -> f64 {
    if y.is_nan() || y <= 0.0 {
        return f64::INFINITY;
    }
    if y > 1e7 {
        return 1.0 / y.sqrt();
    }
    if y < 1e-6 {
        return 1.0 / y;
    }
    let mut x = 0.5 + 1.0 / y;
    for _ in 0..60 {
        let value = trigamma(x);
        let step = value * (1.0 - value / y) / tetragamma(x);
        x += step;
        if -step < 1e-12 * x {
            break;
        }
    }
    x
}

/// Tetragamma (negative for `x > 0`), by the same recurrence and series as [`trigamma`].
fn tetragamma(x: f64) -> f64 {
    let mut x = x;
    let mut sum = 0.0;
    while x < 10.0 {
        sum -= 2.0 / (x * x * x);
        x += 1.0;
    }
    let y = 1.0 / (x * x);
    sum - y - y / x - y * y * (0.5 - y * (1.0 / 6.0 - y * (1.0 / 6.0 - y * 0.3)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn next_to_no_degrees_of_freedom_are_no_evidence_and_no_panic() {
        for df in [5e-324, 1e-300, 0.0, -1.0, f64::NAN] {
            assert_eq!((t_two_sided(5.0, df), t_critical(0.05, df)), (1.0, f64::INFINITY), "{df}");
            assert_eq!((f_upper(9.0, df, 4.0), f_upper(9.0, 4.0, df)), (1.0, 1.0), "{df}");
        }
    }
}
