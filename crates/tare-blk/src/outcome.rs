//! What one measurement found.

use serde::Serialize;

#[derive(Clone, Debug, Serialize)]
pub struct Outcome {
    /// Requests that were asked for and answered.
    pub requests: u64,
    /// Their bytes.
    pub bytes: u64,
    /// In how many seconds.
    pub seconds: f64,
    /// Bytes a second.
    pub bandwidth: f64,
    /// CPU seconds of the front end for a gigabyte (10⁹ bytes).
    pub front_cpu_s_per_gb: f64,
    /// CPU seconds of the back end for a gigabyte; none if it is not known.
    pub back_cpu_s_per_gb: Option<f64>,
    /// Microseconds within which half, 95%, 99% and 99.9% of the requests were answered.
    pub latency_us: [f64; 4],
    /// Requests in the ring for each that was asked for.
    pub sent_per_request: f64,
    /// Wakings of the back end for each.
    pub kicks_per_request: f64,
}

impl Outcome {
    pub fn rate(&self) -> f64 {
        self.requests as f64 / self.seconds
    }

    /// CPU seconds of both ends for a gigabyte.
    pub fn cpu_s_per_gb(&self) -> f64 {
        self.front_cpu_s_per_gb + self.back_cpu_s_per_gb.unwrap_or(0.0)
    }
}
