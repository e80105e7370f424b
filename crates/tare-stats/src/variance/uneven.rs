//! The standard error of a mean over rows that not every block has, and its degrees of freedom.
//!
//! A block's boots are shared by its rows, so the variance of the rows' mean comes from the blocks: each adds the square of
//! its weighted residuals. Where a few blocks have most rows, it rests on those few, however many blocks there are in
//! all. Its degrees of freedom are therefore Satterthwaite's (*Biometrics Bulletin* 2, 1946) in the form that Bell and
//! McCaffrey (*Survey Methodology* 28, 2002) gave them for clusters: twice the square of the variance's expectation over its
//! variance, `tr(G)²/tr(G²)`, where `G` is the covariance of the blocks' weighted residuals. `G` comes from a working model: a
//! variance for each row, and one covariance that all rows of a block share, both estimated by moments. The same model
//! corrects the variance's expectation.
//!
//! Where every block has every row, this is the t interval over the blocks' means with `n - 1` degrees of freedom; where no
//! two rows have a block in common, it is Welch's.

/// The standard error of the mean of the rows' means, and its degrees of freedom.
pub(crate) struct Spread {
    pub(crate) error: f64,
    pub(crate) df: f64,
}

/// The spread of the mean of `rows`' means. Every row has two finite cells or more, and every block is in a row.
pub(crate) fn spread(rows: &[&[Option<f64>]]) -> Spread {
    let design = Design::new(rows);
    let blocks = design.residuals.first().map_or(0, Vec::len);
    let sums: Vec<f64> = (0..blocks)
        .map(|b| design.weights.iter().zip(&design.residuals).map(|(w, row)| w * row[b]).sum())
        .collect();
    let variance: f64 = sums.iter().map(|sum| sum * sum).sum();
    let model = design.model();
    let (trace, square) = design.traces(&model);
    let most = (blocks as f64 - 1.0).max(1.0);
    let moments = variance > 0.0 && trace > 0.0 && square > 0.0;
    if !moments {
        return Spread { error: variance.sqrt(), df: most };
    }
    let corrected = variance * design.variance_of_mean(&model) / trace;
    Spread { error: corrected.sqrt(), df: (trace * trace / square).clamp(1.0, most) }
}

/// Which row has which block, and what its cells leave beside the row's mean.
struct Design {
    /// By row and block: 1 where the row was measured in the block, else 0.
    has: Vec<Vec<f64>>,
    cells: Vec<f64>,
    /// By row and block: the cell less the row's mean, 0 where there is none.
    residuals: Vec<Vec<f64>>,
    /// What a row's residual counts in a block's sum: their squares sum to the row's variance over its cells.
    weights: Vec<f64>,
}

/// The working model: what makes two cells of a block vary.
struct Model {
    own: Vec<f64>,
    /// The covariance of any two rows in a block.
    shared: f64,
}

impl Design {
    fn new(rows: &[&[Option<f64>]]) -> Design {
        let has: Vec<Vec<f64>> = rows
            .iter()
            .map(|row| row.iter().map(|cell| f64::from(u8::from(cell.is_some()))).collect())
            .collect();
        let cells: Vec<f64> = has.iter().map(|row| row.iter().sum()).collect();
        let residuals = rows
            .iter()
            .zip(&cells)
            .map(|(row, n)| {
                let mean = row.iter().flatten().map(|v| v / n).sum::<f64>();
                row.iter().map(|cell| cell.map_or(0.0, |v| v - mean)).collect()
            })
            .collect();
        let all = rows.len() as f64;
        let weights = cells.iter().map(|n| 1.0 / (all * (n * (n - 1.0)).sqrt())).collect();
        Design { has, cells, residuals, weights }
    }

    /// The model by moments: the mean product of two rows' residuals in a block, and what each row varies beside that.
    fn model(&self) -> Model {
        let rows = self.cells.len();
        let mut products = 0.0;
        let mut expected = 0.0;
        for r in 0..rows {
            for s in 0..r {
                let both = dot(&self.has[r], &self.has[s]);
                let n = self.cells[r];
                let m = self.cells[s];
                products += dot(&self.residuals[r], &self.residuals[s]);
                expected += both * (1.0 - 1.0 / n - 1.0 / m + both / (n * m));
            }
        }
        let variances: Vec<f64> = self
            .residuals
            .iter()
            .zip(&self.cells)
            .map(|(row, n)| dot(row, row) / (n - 1.0))
            .collect();
        let mean = variances.iter().sum::<f64>() / rows as f64;
        let shared = if expected > 0.0 { (products / expected).clamp(0.0, mean) } else { 0.0 };
        Model { own: variances.iter().map(|v| (v - shared).max(0.0)).collect(), shared }
    }

    /// What the model expects the variance of the rows' mean to be.
    fn variance_of_mean(&self, model: &Model) -> f64 {
        let rows = self.cells.len() as f64;
        let own: f64 = model.own.iter().zip(&self.cells).map(|(v, n)| v / (rows * rows * n)).sum();
        let share: Vec<f64> = self.cells.iter().map(|n| 1.0 / (rows * n)).collect();
        let together: f64 = self.by_block(&share).iter().map(|sum| sum * sum).sum();
        own + model.shared * together
    }

    /// `tr(G)` and `tr(G²)` of the covariance `G` of the blocks' weighted residuals under the model.
    fn traces(&self, model: &Model) -> (f64, f64) {
        let rows = self.cells.len();
        let squares: Vec<f64> =
            model.own.iter().zip(&self.weights).map(|(v, w)| v * w * w).collect();
        let own = self.by_block(&squares);
        let sum = self.by_block(&self.weights);
        // What a row's mean takes from its residuals, as a product of two vectors over the blocks.
        let root = |r: usize| (self.weights[r] / self.cells[r]).sqrt();
        let loading: Vec<Vec<f64>> =
            (0..sum.len()).map(|b| (0..rows).map(|r| self.has[r][b] * root(r)).collect()).collect();
        let twice = doubled(&loading, rows);
        let mut trace = 0.0;
        let mut square = 0.0;
        for b in 0..sum.len() {
            for c in 0..=b {
                let mut covariance = 0.0;
                for r in 0..rows {
                    let taken = model.own[r] * self.weights[r] + model.shared * (sum[b] + sum[c]);
                    let back = model.shared * twice[b][r];
                    covariance += loading[c][r] * (back - taken * loading[b][r]);
                }
                if b == c {
                    covariance += own[b] + model.shared * sum[b] * sum[b];
                    trace += covariance;
                    square += covariance * covariance;
                } else {
                    square += 2.0 * covariance * covariance;
                }
            }
        }
        (trace, square)
    }

    /// The sum of a figure over the rows that each block is in.
    fn by_block(&self, figures: &[f64]) -> Vec<f64> {
        let blocks = self.has.first().map_or(0, Vec::len);
        let sum =
            |b: usize| self.has.iter().zip(figures).map(|(row, figure)| row[b] * figure).sum();
        (0..blocks).map(sum).collect()
    }
}

/// `U·UᵀU`, for `U` by block and row.
fn doubled(loading: &[Vec<f64>], rows: usize) -> Vec<Vec<f64>> {
    let product = |r: usize, s: usize| loading.iter().map(|u| u[r] * u[s]).sum::<f64>();
    let inner: Vec<Vec<f64>> =
        (0..rows).map(|r| (0..rows).map(|s| product(r, s)).collect()).collect();
    loading.iter().map(|u| inner.iter().map(|column| dot(u, column)).collect()).collect()
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}
