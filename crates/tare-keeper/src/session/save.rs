//! Saves a running layer, and takes up the conversation with a restored one.

use crate::launch::saving::Saving;
use crate::monitor::{Monitor, MonitorError};
use crate::session::Session;
use std::io::Write;
use std::time::{Duration, Instant};

/// What saving a layer took.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Saved {
    /// From asking for it until the image was whole.
    pub took: Duration,
    /// How long the layer stood still meanwhile.
    pub still: Duration,
}

impl Session {
    /// Saves the layer, as its [`Saving`] says. It is of no use afterwards but to be ended.
    ///
    /// # Errors
    /// Why there is no image, in words; what was written of it is of no use.
    pub fn save(&mut self, within: Duration) -> Result<Saved, String> {
        self.go_on().map_err(|e| e.to_string())?;
        match self.beside.saving.clone() {
            Saving::Unknown => Err("nothing saves a running layer of this kind".into()),
            // The command stops the sandbox first of all, and ends it at last.
            Saving::Command(words) => {
                let took = self.run_second(&words, within)?;
                Ok(Saved { took, still: took })
            }
            Saving::Monitor { socket, to } => {
                let said = |error: MonitorError| error.to_string();
                let mut monitor = Monitor::at(&socket, within).map_err(said)?;
                let begin = Instant::now();
                let still = monitor.migrate(&to, begin + within).map_err(said)?;
                Ok(Saved { took: begin.elapsed(), still })
            }
        }
    }

    /// Takes up the conversation with a restored layer, whose probe has greeted before it was saved.
    pub fn take_up(&mut self) {
        self.processes.find();
        // A serial line may take a byte before its machine is there, and lose it; an empty line is nothing to the probe.
        if let Some(line) = &mut self.line {
            let _ = line.write_all(b"\n\n\n\n"); // a line that is gone is an error of the request that follows
        }
    }

    /// How long the last request took to the probe, and its first word back.
    pub fn first_word(&self) -> Option<Duration> {
        self.round_trip
    }
}
