//! What samples or blocks show beside a ratio: trends, modes, changes.

use serde::Serialize;
use tare_stats::Warning;

/// A change within boots is worth a remark in a table from this many percent; smaller ones are in the JSON form.
const LEAST_PERCENT: f64 = 2.0;

/// Something that samples or blocks show.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Finding {
    /// A name for programs: `trend`, `warm_up`, `change_point`, ...
    pub kind: &'static str,
    /// A sentence's worth.
    pub text: String,
    /// What it was said from.
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
        let means = match self.warning {
            Warning::Trend { .. } => "the value depends on how long a boot measures",
            Warning::WarmUp { .. } => "the first samples are still part of the value",
            Warning::ChangePoint { .. } => "the ratio is a mixture of before and after",
            Warning::Autocorrelated { .. } => "the samples of a boot say less than their number",
            Warning::BootsAutocorrelated { .. } => "look for what changes slowly on this machine",
            Warning::Bimodal { .. } => "one number does not describe them",
            Warning::CoarseClock { .. } => "small differences cannot be seen",
            Warning::IntervalsDisagree { .. } => {
                "the blocks are far from normal; trust the wider one"
            }
        };
        format!("{}: {means}.", self.text)
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
