//! Conditions that fail a command, for CI.

use clap::Args;

/// The conditions under which the command fails.
#[derive(Args, Clone, Default)]
pub struct GateArgs {
    /// Fail with exit code 3 if a row is shown to meet this condition, for example 'slower > 3%'
    ///
    /// 'slower > 3% of lmbench/null_call on runc' is about that row alone; either part may be left out. May be repeated. On a simulated
    /// machine also 'instructions > +0.5%'.
    #[arg(long, value_name = "CONDITION")]
    pub fail_if: Vec<tare_board::Condition>,
    /// Also fail if a condition is undecided for some row: shown neither to be met nor not to be met
    #[arg(long, requires = "fail_if")]
    pub fail_undecided: bool,
}
