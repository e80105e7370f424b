//! A rehearsal: a program is run once on the baseline before the campaign, so that one that cannot run ends it at once,
//! and so that it is known how long a run takes and which figures it prints. Its figures decide nothing else.

use super::loads::{Search, SearchError};
use crate::plan::programs::{figures, patience, values};
use std::time::Duration;
use tare_import::Figure;
use tare_layers::{Answer, BootName, fresh_id};
use tare_proto::{Program, Request, Series};
use tare_store::{PlannedProgram, ProgramRow};

/// What a rehearsal found out.
#[derive(Debug, Clone, PartialEq)]
pub struct Rehearsal {
    /// How long the run took, in nanoseconds.
    pub ns: f64,
    /// The figures that the importer found, where one was named.
    pub figures: Vec<Figure>,
}

impl Search<'_> {
    /// Runs `planned` once, in a boot of its own; its figures are those that `format` finds.
    ///
    /// # Errors
    /// The program is refused, or the boot fails.
    pub fn rehearse(
        &self,
        planned: &PlannedProgram,
        format: Option<&str>,
    ) -> Result<Rehearsal, SearchError> {
        let program = Program { warmup: 0, ..planned.program.clone() };
        let request = Request { samples: 1, ..request(planned, program) };
        let series = self.asked(&request)?;
        // What the host sees of a layer is known in a campaign only.
        let inside = |row: &&ProgramRow| !row.value.is_cost();
        for row in planned.rows.iter().filter(inside) {
            values(planned, &row.value, &series.samples, &series.outputs)?;
        }
        let output = series.outputs.first().map_or("", String::as_str);
        let figures = format.map_or(Ok(Vec::new()), |format| figures(format, output))?;
        Ok(Rehearsal { ns: series.samples.first().copied().unwrap_or_default(), figures })
    }

    /// Runs `planned` as often as `samples` says, and once more for what it does: its system calls, and the operations that
    /// predictions are made of.
    ///
    /// # Errors
    /// The program is refused, or the boot fails.
    pub fn profile(&self, planned: &PlannedProgram, samples: u32) -> Result<Series, SearchError> {
        self.asked(&Request { samples, events: true, ..request(planned, planned.program.clone()) })
    }

    /// What the probe says to `request`, which is of a program, in a boot of its own.
    fn asked(&self, request: &Request) -> Result<Series, SearchError> {
        let script = vec![request.clone()];
        let mut session = self.boot(&BootName { id: fresh_id(), script, ..BootName::default() })?;
        let program = request.program.as_deref().cloned().unwrap_or_default();
        let within = patience(self.machine, &program, request);
        let answer = session.measure(request, within)?;
        session.end(Duration::from_secs(5));
        match answer {
            Answer::Unavailable(why) | Answer::Failed(why) => Err(SearchError::Refused(why)),
            Answer::Series(series, _) => Ok(series),
        }
    }
}

/// A request for `program`, under the name of the first row that it fills.
fn request(planned: &PlannedProgram, program: Program) -> Request {
    Request {
        id: 1,
        bench: planned.rows.first().map(|row| row.benchmark.clone()).unwrap_or_default(),
        program: Some(Box::new(program)),
        ..Request::default()
    }
}
