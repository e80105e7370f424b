//! To come.
/// To come.
pub fn markdown(_: &crate::Scoreboard) -> String {
    String::new()
}
