//! One recomputed figure of a paper, and how exact a printed one is.

#[derive(Debug, Clone, PartialEq)]
pub struct PaperFinding {
    /// What the paper's own figures say.
    pub state: FindingState,
    pub text: String,
}

/// What came of recomputing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FindingState {
    /// The paper's own figures agree.
    Holds,
    /// They do not.
    Fails,
    /// The paper states it and has no figures for it.
    Stated,
}

impl PaperFinding {
    pub(super) fn new(holds: bool, text: String) -> PaperFinding {
        PaperFinding { state: if holds { FindingState::Holds } else { FindingState::Fails }, text }
    }

    /// Whether the paper's own figures agree.
    pub fn holds(&self) -> bool {
        self.state == FindingState::Holds
    }
}

/// Half of the last digit that a value was printed with.
pub(super) fn half_digit(value: f64) -> f64 {
    let text = format!("{value}");
    let decimals = text.split_once('.').map_or(0, |(_, decimals)| decimals.len() as i32);
    0.5 * 10f64.powi(-decimals)
}
