//! To come.
/// To come.
pub fn vmi_tables(_: &crate::Scoreboard) -> String {
    String::new()
}
