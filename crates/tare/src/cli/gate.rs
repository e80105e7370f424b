//! Conditions that fail a command, for CI.

use clap::Args;

/// What must not be.
#[derive(Args, Clone, Default)]
pub struct GateArgs {
    /// Fail with exit code 3 if this is shown, for example 'slower > 3%' or, of a simulated machine, 'instructions >
    /// +0.5%'; may be repeated
    #[arg(long, value_name = "CONDITION")]
    pub fail_if: Vec<tare_board::Condition>,
    /// Fail, too, if a condition is undecided on some row: neither shown to be met nor shown not to be
    #[arg(long, requires = "fail_if")]
    pub fail_undecided: bool,
}
