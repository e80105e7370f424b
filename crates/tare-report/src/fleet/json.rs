//! The JSON form of the result of many hosts.

use crate::json::json_text;
use serde::Serialize;
use tare_board::Fleet;

/// Writes the result as JSON: `{"format": "tare-fleet", "version": 1, ...}`, the fields of [`Fleet`], by the same
/// conventions as [`crate::json`].
pub fn fleet_json(fleet: &Fleet) -> String {
    #[derive(Serialize)]
    struct Document<'a> {
        format: &'static str,
        version: u32,
        #[serde(flatten)]
        fleet: &'a Fleet,
    }
    json_text(&Document { format: "tare-fleet", version: 1, fleet })
}
