//! Main effects and two-way interactions of several factors: a linear model of what was measured at each setting of them.

use crate::check;
use crate::error::StatError;
use crate::series::summary::mean_of;

/// A column that is shorter than this share of what it was before the columns before it were taken from it adds nothing to them.
const DEPENDENT: f64 = 1e-9;

/// The model of a design, ready to be fitted to values.
///
/// `y = mean + Σ factor's level + Σ pair's levels`: effects are coded as deviations that sum to zero over a factor's levels, so
/// every one of them is an average over the levels of all other factors, each counted once. With all settings measured these are
/// the plain averages. Terms of three factors and more are left to the residual.
#[derive(Debug, Clone)]
pub struct Factorial {
    levels: Vec<usize>,
    terms: Vec<Term>,
    /// The pseudo-inverse of the design: coefficients from values, one row a column of the design.
    inverse: Vec<Vec<f64>>,
    design: Vec<Vec<f64>>,
}

/// A factor or a pair of factors, and where its columns begin.
#[derive(Debug, Clone)]
struct Term {
    factors: Vec<usize>,
    first: usize,
}

/// A [`Factorial`] fitted to the values of its settings.
#[derive(Debug, Clone)]
pub struct Fit<'a> {
    model: &'a Factorial,
    coefficients: Vec<f64>,
    /// The part of the variance between settings that the model explains, 0 to 1; `None` when they do not vary.
    pub explained: Option<f64>,
}

impl Factorial {
    /// The model for `points`: each names a level (from 0) of every factor, of which there are `levels`. With `pairs`, every
    /// pair of factors has an interaction.
    ///
    /// # Errors
    /// [`StatError::NotEstimable`] when these points cannot tell the model's terms apart; no points, points of other lengths,
    /// levels that do not exist.
    pub fn new(
        levels: &[usize],
        points: &[Vec<usize>],
        pairs: bool,
    ) -> Result<Factorial, StatError> {
        check::at_least(points.len(), 1)?;
        for point in points {
            check::same_length(point.len(), levels.len())?;
            if point.iter().zip(levels).any(|(level, of)| level >= of) {
                return Err(StatError::BadSetting { name: "a point's level" });
            }
        }
        let terms = terms(levels, pairs);
        let design: Vec<Vec<f64>> = points.iter().map(|point| row(levels, &terms, point)).collect();
        let inverse = inverse(&design).ok_or(StatError::NotEstimable)?;
        Ok(Factorial { levels: levels.to_vec(), terms, inverse, design })
    }

    /// Fits the model to `values`, one a point, by least squares.
    ///
    /// # Errors
    /// Values that are not finite, or another number of them than points.
    pub fn fit(&self, values: &[f64]) -> Result<Fit<'_>, StatError> {
        check::same_length(values.len(), self.design.len())?;
        check::finite(values)?;
        let coefficients: Vec<f64> = self.inverse.iter().map(|row| dot(row, values)).collect();
        let centre = mean_of(values);
        let squares = |from: &dyn Fn(usize) -> f64| -> f64 {
            values.iter().enumerate().map(|(at, value)| (value - from(at)).powi(2)).sum()
        };
        let total = squares(&|_| centre);
        let left = squares(&|at| dot(&self.design[at], &coefficients));
        let explained = (total > 0.0).then(|| (1.0 - left / total).clamp(0.0, 1.0));
        Ok(Fit { model: self, coefficients, explained })
    }

    /// How much more a linear `figure` of the fit varies than one setting: the sum of the squares of the weights that it gives
    /// the settings.
    pub fn weight(&self, figure: impl Fn(&Fit) -> f64) -> f64 {
        let columns = self.inverse.len();
        let of_coefficient = |column: usize| {
            let coefficients = (0..columns).map(|at| f64::from(u8::from(at == column))).collect();
            figure(&Fit { model: self, coefficients, explained: None })
        };
        let parts: Vec<f64> = (0..columns).map(of_coefficient).collect();
        let of_setting = |at: usize| -> f64 {
            parts.iter().zip(&self.inverse).map(|(part, row)| part * row[at]).sum()
        };
        (0..self.design.len()).map(|at| of_setting(at).powi(2)).sum()
    }
}

impl Fit<'_> {
    /// The mean where the factors named in `at` have the levels beside them, over all levels of the others.
    pub fn mean(&self, at: &[(usize, usize)]) -> f64 {
        let level = |factor: usize| at.iter().find(|(f, _)| *f == factor).map(|(_, level)| *level);
        let value = |term: &Term| -> f64 {
            let named: Option<Vec<usize>> = term.factors.iter().map(|f| level(*f)).collect();
            let Some(named) = named else { return 0.0 }; // it sums to zero over the levels of what is not named
            let codes = codes(&self.model.levels, &term.factors, &named);
            dot(&codes, &self.coefficients[term.first..term.first + codes.len()])
        };
        self.coefficients[0] + self.model.terms.iter().map(value).sum::<f64>()
    }

    /// How far `factor` at `level` lies from its first level.
    pub fn effect(&self, factor: usize, level: usize) -> f64 {
        self.mean(&[(factor, level)]) - self.mean(&[(factor, 0)])
    }

    /// By how much the effect of the first factor's level changes when the second factor goes from its first level to its own.
    pub fn interaction(&self, (f, a): (usize, usize), (g, b): (usize, usize)) -> f64 {
        let of = |a, b| self.mean(&[(f, a), (g, b)]);
        of(a, b) - of(a, 0) - of(0, b) + of(0, 0)
    }
}

fn terms(levels: &[usize], pairs: bool) -> Vec<Term> {
    let alone = (0..levels.len()).map(|factor| vec![factor]);
    let pairs = (0..levels.len())
        .flat_map(|f| (f + 1..levels.len()).map(move |g| vec![f, g]))
        .filter(|_| pairs);
    let mut first = 1;
    let placed = alone.chain(pairs).map(|factors| {
        let term = Term { factors, first };
        first += term.factors.iter().map(|f| levels[*f] - 1).product::<usize>();
        term
    });
    placed.collect()
}

/// A setting's row of the design.
fn row(levels: &[usize], terms: &[Term], point: &[usize]) -> Vec<f64> {
    let mut row = vec![1.0];
    for term in terms {
        let named: Vec<usize> = term.factors.iter().map(|f| point[*f]).collect();
        row.extend(codes(levels, &term.factors, &named));
    }
    row
}

/// The columns of one term: products of its factors' codes, which are 1 at a level's own column, and -1 everywhere at the last.
fn codes(levels: &[usize], factors: &[usize], named: &[usize]) -> Vec<f64> {
    let mut products = vec![1.0];
    for (factor, &level) in factors.iter().zip(named) {
        let last = levels[*factor] - 1;
        let own = |column: usize| if level == last { -1.0 } else { f64::from(level == column) };
        products = products.iter().flat_map(|p| (0..last).map(move |c| p * own(c))).collect();
    }
    products
}

/// The pseudo-inverse of a matrix of full column rank, by orthogonal columns (Gram and Schmidt, twice each); `None` for another.
fn inverse(rows: &[Vec<f64>]) -> Option<Vec<Vec<f64>>> {
    let width = rows[0].len();
    if rows.len() < width {
        return None;
    }
    let mut unit: Vec<Vec<f64>> = Vec::new();
    let mut upper = vec![vec![0.0; width]; width];
    for column in 0..width {
        let mut rest: Vec<f64> = rows.iter().map(|row| row[column]).collect();
        let before = dot(&rest, &rest).sqrt();
        for _ in 0..2 {
            for (at, known) in unit.iter().enumerate() {
                let part = dot(known, &rest);
                upper[at][column] += part;
                rest.iter_mut().zip(known).for_each(|(value, unit)| *value -= part * unit);
            }
        }
        let length = dot(&rest, &rest).sqrt();
        if length <= DEPENDENT * before || length == 0.0 {
            return None;
        }
        upper[column][column] = length;
        unit.push(rest.into_iter().map(|value| value / length).collect());
    }
    // Backwards through the triangle, for all values at once.
    let mut solved = unit;
    for at in (0..width).rev() {
        let (own, below) = solved.split_at_mut(at + 1);
        for (later, row) in below.iter().enumerate() {
            let part = upper[at][at + 1 + later];
            own[at].iter_mut().zip(row).for_each(|(value, known)| *value -= part * known);
        }
        own[at].iter_mut().for_each(|value| *value /= upper[at][at]);
    }
    Some(solved)
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}
