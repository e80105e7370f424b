//! Signs in samples or blocks that a ratio may mislead: trends, several modes, changes.

use serde::Serialize;
use tare_stats::Warning;

/// A change within boots is worth a remark in a table from this many percent; smaller ones are in the JSON form.
const LEAST_PERCENT: f64 = 2.0;

/// Something that samples or blocks show.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Finding {
    /// A name for programs: `trend`, `warm_up`, `change_point`, ...
    pub kind: &'static str,
    /// What was found, in a few words.
    pub text: String,
    /// The finding of `tare-stats` behind it.
    #[serde(skip)]
    pub warning: Warning,
}

impl Finding {
    pub(crate) fn new(warning: Warning) -> Finding {
        let kind = match warning {
            Warning::Trend { .. } => "trend",
            Warning::WarmUp { .. } => "warm_up",
            Warning::ChangePoint { .. } => "change_point",
            Warning::Autocorrelated { .. } => "autocorrelated",
            Warning::BootsAutocorrelated { .. } => "boots_autocorrelated",
            Warning::Bimodal { .. } => "bimodal",
            Warning::CoarseClock { .. } => "coarse_clock",
            Warning::IntervalsDisagree { .. } => "intervals_disagree",
        };
        Finding { kind, text: warning.to_string(), warning }
    }

    /// What it means for the reader.
    pub(crate) fn sentence(&self) -> String {
        let means: String = match self.warning {
            Warning::Trend { .. } => "the value depends on how long a boot measures".into(),
            Warning::WarmUp { .. } => "the value still contains those samples".into(),
            Warning::ChangePoint { .. } => "the ratio mixes the values before and after".into(),
            Warning::Autocorrelated { .. } => {
                "they carry less information than as many independent ones".into()
            }
            Warning::BootsAutocorrelated { .. } => "look for slow changes on this machine".into(),
            Warning::Bimodal { .. } => "a single value does not describe them".into(),
            Warning::CoarseClock { .. } => "small differences cannot be seen".into(),
            Warning::IntervalsDisagree { gap } => format!(
                "t and bootstrap intervals differ by {:.0}% of the half-width, so trust the wider",
                100.0 * gap
            ),
        };
        format!("{}; {means}.", self.text)
    }

    /// Whether it belongs beside the number: it may mislead about the ratio, and is not small.
    pub(crate) fn is_remarkable(&self) -> bool {
        match self.warning {
            Warning::Trend { percent }
            | Warning::WarmUp { percent, .. }
            | Warning::Bimodal { percent, .. } => percent.abs() >= LEAST_PERCENT,
            Warning::ChangePoint { .. }
            | Warning::BootsAutocorrelated { .. }
            | Warning::IntervalsDisagree { .. } => true,
            // Samples within a boot are never taken as independent, so neither harms.
            Warning::Autocorrelated { .. } | Warning::CoarseClock { .. } => false,
        }
    }
}
