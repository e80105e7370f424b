//! Rank correlations against SciPy's, and the decomposition of a throughput ratio.

mod common;

use common::{cases, close, list, num};
use tare_stats::{StatError, Work, decompose, rank_correlation};

#[test]
fn rank_correlations_are_scipys() {
    for case in cases("rank") {
        let found = rank_correlation(&list(&case, "x"), &list(&case, "y")).unwrap();
        close(found.spearman, num(&case, "spearman"), 1e-12);
        close(found.kendall, num(&case, "kendall"), 1e-12);
    }
    assert_eq!(rank_correlation(&[1.0, 1.0], &[1.0, 2.0]), Err(StatError::NoSpread));
    assert!(rank_correlation(&[1.0], &[1.0]).is_err() && rank_correlation(&[], &[]).is_err());
    assert!(rank_correlation(&[1.0, f64::NAN], &[1.0, 2.0]).is_err());
}

#[test]
fn factors_and_residual_multiply_to_the_ratio() {
    let baseline = Work { throughput: 1730.0, cpu: 20.9, path_length: 4_852_609.0, cpi: 1.61 };
    let layer = Work { throughput: 2367.0, cpu: 24.2, path_length: 4_821_256.0, cpi: 1.37 };
    let d = decompose(&baseline, &layer).unwrap();
    close(d.ratio, 2367.0 / 1730.0, 1e-12);
    close(d.product, 24.2 / 20.9 * 4_852_609.0 / 4_821_256.0 * 1.61 / 1.37, 1e-12);
    close(d.product * d.residual.factor, d.ratio, 1e-12);
    let shares = [d.cpu, d.path_length, d.cpi, d.residual].map(|f| f.share.unwrap());
    close(shares.iter().sum::<f64>(), 100.0, 1e-9);
    assert!(decompose(&baseline, &baseline).unwrap().cpu.share.is_none());
    assert!(decompose(&baseline, &Work { cpi: 0.0, ..layer }).is_err());
}
