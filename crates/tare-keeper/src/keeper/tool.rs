//! Runs a program that is no layer and talks to nobody. It may be anybody's, and may start what it likes, so it has a keeper all the
//! same: it ends with tare, however tare ends, and with an interrupt.

use crate::error::ProgramError;
use crate::keeper::id::fresh_id;
use crate::keeper::orders::Order;
use crate::keeper::{Keeper, record};
use crate::launch::Program;
use crate::launch::mounts::Mounts;
use crate::programs::{Heard, last_line};
use std::path::Path;
use std::time::{Duration, Instant};

/// How often it is looked after.
const POLL: Duration = Duration::from_millis(20);

/// How a program ends that has succeeded.
const SUCCESS: &str = "exit code 0";

impl Keeper {
    /// Runs `program` to its end, for at most `within`; what it mounts goes with it. The boot is recorded in `cache`.
    pub fn run(
        &self,
        program: Program,
        cache: &Path,
        interrupted: fn() -> bool,
        within: Duration,
    ) -> Result<(), ProgramError> {
        let name = program.program.display().to_string();
        let program = Program { mounts: Mounts::Own, ..program };
        let records = record::folder(cache);
        let (mut running, _, streams) = self.start(&fresh_id(), &records)?;
        running.launch(&Order { program, cpus: Vec::new() })?;
        drop(streams.stdin);
        let mut said = Heard::new(Some(streams.stdout));
        let mut complaint = Heard::new(Some(streams.stderr));
        let deadline = Instant::now() + within;
        let how = loop {
            said.listen();
            complaint.listen();
            if let Some(how) = running.how_it_ended(POLL) {
                break how;
            }
            if interrupted() {
                return Err(ProgramError::Interrupted); // its keeper ends it
            }
            if let Some(how) = running.lost() {
                return Err(ProgramError::KeeperLost { name, how });
            }
            if Instant::now() > deadline {
                return Err(ProgramError::Late { name, within });
            }
        };
        let left = running.finish();
        match how == SUCCESS {
            true if left.is_empty() => Ok(()),
            true => Err(ProgramError::LeftBehind { name, left: left.join(", ") }),
            false => Err(ProgramError::Failed { name, said: last_line(&complaint.finish()) }),
        }
    }
}
