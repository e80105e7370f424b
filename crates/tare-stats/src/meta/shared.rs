//! What the blocks of all hosts say together of how much blocks vary: a host of two blocks hardly knows it of itself, and one that
//! believes by chance that it hardly varies would outweigh all others.

use super::Study;
use crate::check;
use crate::error::StatError;
use crate::variance::moderate::{VariancePrior, moderate};

/// `studies` with moderated variances: each host's variance of one block, `studies[i].variance * blocks[i]` with `df[i]` degrees of
/// freedom (infinity where it is known), is shrunk towards that of all hosts, as far as these are alike. Hosts whose variance is
/// no larger than `still` are believed not to vary only where no other does.
pub fn share_variances(
    studies: &[Study],
    df: &[f64],
    blocks: &[usize],
    still: f64,
) -> Result<Vec<Study>, StatError> {
    check::same_length(studies.len(), df.len())?;
    check::same_length(studies.len(), blocks.len())?;
    let of_block = |at: usize| studies[at].variance * blocks[at].max(1) as f64;
    let own: Vec<(f64, f64)> = (0..studies.len())
        .filter(|&at| studies[at].variance > still && df[at].is_finite() && df[at] > 0.0)
        .map(|at| (of_block(at), df[at]))
        .collect();
    let Some(prior) = prior(&own) else { return Ok(studies.to_vec()) };
    let shared = |(at, study): (usize, &Study)| match df[at].is_finite() {
        true => {
            let variance = moderate(of_block(at), df[at], &prior).0 / blocks[at].max(1) as f64;
            Study { variance, ..*study }
        }
        false => *study,
    };
    Ok(studies.iter().enumerate().map(shared).collect())
}

/// What the variances have in common; of two, which cannot tell how alike hosts are, it is their mean.
fn prior(own: &[(f64, f64)]) -> Option<VariancePrior> {
    if own.len() == 2 {
        let all: f64 = own.iter().map(|(_, df)| df).sum();
        let variance = own.iter().map(|(variance, df)| variance * df).sum::<f64>() / all;
        return Some(VariancePrior { df: f64::INFINITY, variance, rows: 2 });
    }
    VariancePrior::estimate(own).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shared(errors: &[f64], df: f64) -> Vec<f64> {
        let study = |error: &f64| Study { effect: 0.1, variance: error * error };
        let studies: Vec<Study> = errors.iter().map(study).collect();
        let df = vec![df; errors.len()];
        let blocks = vec![2; errors.len()];
        let found = share_variances(&studies, &df, &blocks, 1e-12).expect("as many of each");
        found.iter().map(|study| study.variance.sqrt()).collect()
    }

    #[test]
    fn a_host_that_hardly_varies_by_chance_weighs_as_much_as_the_others() {
        let found = shared(&[0.02, 0.0001, 0.03, 0.01, 0.02], 1.0);
        assert!(found.iter().all(|error| (0.001..0.04).contains(error)), "{found:?}");
        let two = shared(&[0.03, 0.04], 1.0);
        assert!(two.iter().all(|error| (error - 0.00125_f64.sqrt()).abs() < 1e-12), "{two:?}");
        let still = shared(&[0.02, 0.000001, 0.02, 0.02], 1.0);
        assert!(still[1] > 0.01, "that it does not vary is not believed: {still:?}");
    }

    #[test]
    fn what_is_known_or_all_there_is_stays() {
        assert_eq!(shared(&[0.02, 0.01, 0.03], f64::INFINITY), [0.02, 0.01, 0.03]);
        assert_eq!(shared(&[0.02], 1.0), [0.02]);
        let none = shared(&[1e-6, 1e-6, 1e-6], 4.0);
        assert!(none.iter().all(|error| (error / 1e-6 - 1.0).abs() < 1e-9), "{none:?}");
    }
}
