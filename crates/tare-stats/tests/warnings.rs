//! Warnings are raised for what they name, and seldom else.

mod common;

use tare_stats::*;

/// Standard normal values from a linear congruential generator, by the sum of twelve uniforms.
struct Noise(u64);

impl Noise {
    fn uniform(&mut self) -> f64 {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 11) as f64 / (1_u64 << 53) as f64
    }

    fn normal(&mut self) -> f64 {
        (0..12).map(|_| self.uniform()).sum::<f64>() - 6.0
    }

    fn boots(
        &mut self,
        boots: usize,
        samples: usize,
        mut value: impl FnMut(&mut Self, usize) -> f64,
    ) -> Vec<Vec<f64>> {
        (0..boots).map(|_| (0..samples).map(|i| value(self, i)).collect()).collect()
    }
}

fn warnings(boots: &[Vec<f64>]) -> Vec<Warning> {
    let borrowed: Vec<&[f64]> = boots.iter().map(Vec::as_slice).collect();
    series_warnings(&borrowed).unwrap()
}

#[test]
fn clean_series_are_seldom_warned_about() {
    let mut noise = Noise(1);
    let mut alarms = 0;
    for _ in 0..400 {
        alarms +=
            usize::from(!warnings(&noise.boots(5, 60, |n, _| 100.0 + 3.0 * n.normal())).is_empty());
    }
    assert!(alarms <= 12, "{alarms} of 400, wanted about 2% at most");
}

#[test]
fn one_mode_of_any_shape_is_not_called_two() {
    let mut noise = Noise(2);
    let shapes: [fn(&mut Noise) -> f64; 4] = [
        |n| 1.0 + n.uniform(),
        |n| (0.5 * n.normal()).exp(),
        |n| 1.0 - 0.1 * (1.0 - n.uniform()).ln(),
        |n| 100.0 + n.normal() / (0.1 + n.uniform()),
    ];
    for (k, shape) in shapes.iter().enumerate() {
        let mut alarms = 0;
        for _ in 0..100 {
            let found = warnings(&noise.boots(5, 100, |n, _| shape(n).max(0.01)));
            alarms += usize::from(found.iter().any(|w| matches!(w, Warning::Bimodal { .. })));
        }
        assert!(alarms <= 3, "shape {k}: {alarms} of 100");
    }
}

#[test]
fn two_modes_are_seen() {
    let mut noise = Noise(3);
    let boots =
        noise.boots(5, 60, |n, _| if n.uniform() < 0.3 { 120.0 } else { 100.0 } + n.normal());
    let found = warnings(&boots);
    let Some(Warning::Bimodal { percent, upper_share }) =
        found.iter().find(|w| matches!(w, Warning::Bimodal { .. }))
    else {
        panic!("{found:?}")
    };
    assert!((percent - 20.0).abs() < 2.0 && (upper_share - 0.3).abs() < 0.1);
}

#[test]
fn warm_up_is_told_from_trend() {
    let mut noise = Noise(4);
    let warm = noise.boots(5, 60, |n, i| 100.0 + n.normal() + if i < 8 { 20.0 } else { 0.0 });
    let found = warnings(&warm);
    let [Warning::WarmUp { samples, percent }, ..] = found[..] else { panic!("{found:?}") };
    assert!((8..=12).contains(&samples), "{samples}");
    assert!((percent - 20.0).abs() < 3.0, "{percent}");
    assert!(!found.iter().any(|w| matches!(w, Warning::Trend { .. })), "{found:?}");
    let rising = noise.boots(5, 60, |n, i| 100.0 + n.normal() + 0.3 * i as f64);
    let found = warnings(&rising);
    assert!(
        found.iter().any(|w| matches!(w, Warning::Trend { percent } if *percent > 5.0)),
        "{found:?}"
    );
}

#[test]
fn neighbours_that_resemble_each_other_are_seen() {
    let mut noise = Noise(5);
    let mut before = 0.0;
    let boots = noise.boots(5, 100, |n, _| {
        before = 0.8 * before + n.normal();
        100.0 + before
    });
    let found = warnings(&boots);
    assert!(
        found.iter().any(|w| matches!(w, Warning::Autocorrelated { lag1 } if *lag1 > 0.6)),
        "{found:?}"
    );
}

#[test]
fn a_coarse_clock_is_seen() {
    let mut noise = Noise(6);
    let boots = noise.boots(3, 40, |n, _| (5.0 + n.normal()).round().max(1.0));
    assert!(
        warnings(&boots).iter().any(|w| matches!(w, Warning::CoarseClock { samples: 120, .. }))
    );
}

#[test]
fn a_change_during_the_campaign_is_seen() {
    let mut noise = Noise(7);
    let blocks: Vec<f64> =
        (0..12).map(|i| if i < 5 { 1.0 } else { 1.1 } + 0.01 * noise.normal()).collect();
    let found = block_warnings(&blocks).unwrap();
    assert!(
        matches!(found[0], Warning::ChangePoint { block: 5, percent } if (percent - 10.0).abs() < 2.0),
        "{found:?}"
    );
    let mut alarms = 0;
    for _ in 0..300 {
        let still: Vec<f64> = (0..12).map(|_| 1.0 + 0.02 * noise.normal()).collect();
        alarms += usize::from(!block_warnings(&still).unwrap().is_empty());
    }
    assert!(alarms <= 9, "{alarms} of 300");
}

#[test]
fn warnings_speak_plainly() {
    let texts = [
        (Warning::Trend { percent: 5.25 }, "samples drift by +5.2% within a boot"),
        (
            Warning::WarmUp { samples: 8, percent: 20.0 },
            "incomplete warm-up: the first samples are +20.0% off; drop 8",
        ),
        (
            Warning::ChangePoint { block: 4, percent: -3.0 },
            "values changed by -3.0% from block 5 on",
        ),
        (
            Warning::CoarseClock { distinct: 3, samples: 90 },
            "coarse clock: 3 distinct values in 90 samples",
        ),
    ];
    for (warning, text) in texts {
        assert_eq!(warning.to_string(), text);
    }
}
