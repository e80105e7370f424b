//! A rehearsal: a program is run once on the baseline before the campaign, so that one that cannot run ends it at once,
//! and so that it is known how long a run takes and which figures it prints. Its figures decide nothing else.

use crate::programs::{Wrong, figures, patience, values};
use crate::search::Search;
use crate::slot::to_greet;
use std::time::Duration;
use tare_import::Figure;
use tare_layers::{Answer, BootName, Session, SessionError, fresh_id};
use tare_proto::{Request, Series};
use tare_store::PlannedProgram;

/// What a rehearsal found out.
#[derive(Debug, Clone, PartialEq)]
pub struct Rehearsal {
    /// How long the run took, in nanoseconds.
    pub ns: f64,
    /// The figures that the importer found, where one was named.
    pub figures: Vec<Figure>,
}

impl Search<'_> {
    /// Runs `planned` once, in a boot of its own; its figures are those that `format` finds. The inner error is the
    /// program's.
    pub fn rehearse(
        &self,
        planned: &PlannedProgram,
        format: Option<&str>,
    ) -> Result<Result<Rehearsal, Wrong>, SessionError> {
        let mut program = planned.program.clone();
        program.warmup = 0;
        let request = Request {
            id: 1,
            bench: planned.rows.first().map(|row| row.benchmark.clone()).unwrap_or_default(),
            samples: 1,
            program: Some(Box::new(program)),
            ..Request::default()
        };
        Ok(match self.asked(&request)? {
            Answer::Unavailable(why) | Answer::Failed(why) => Err(Wrong(why)),
            Answer::Series(series, _) => {
                let outputs = &series.outputs;
                let checked = planned.rows.iter().try_for_each(|row| {
                    values(planned, &row.value, &series.samples, outputs).map(drop)
                });
                let figures = format.map_or(Ok(Vec::new()), |format| {
                    figures(format, outputs.first().map_or("", String::as_str))
                });
                let ns = series.samples.first().copied().unwrap_or_default();
                checked.and(figures).map(|figures| Rehearsal { ns, figures })
            }
        })
    }

    /// Runs `planned` as often as `samples` says, and once more for what it does: its system calls, and the operations that
    /// predictions are made of. The inner error is the program's.
    pub fn profile(
        &self,
        planned: &PlannedProgram,
        samples: u32,
    ) -> Result<Result<Series, Wrong>, SessionError> {
        let request = Request {
            id: 1,
            bench: planned.rows.first().map(|row| row.benchmark.clone()).unwrap_or_default(),
            samples,
            events: true,
            program: Some(Box::new(planned.program.clone())),
            ..Request::default()
        };
        Ok(match self.asked(&request)? {
            Answer::Unavailable(why) | Answer::Failed(why) => Err(Wrong(why)),
            Answer::Series(series, _) => Ok(series),
        })
    }

    /// The answer to `request`, which is of a program, in a boot of its own.
    fn asked(&self, request: &Request) -> Result<Answer, SessionError> {
        let script = vec![request.clone()];
        let name = BootName { id: fresh_id(), script, ..BootName::default() };
        let (cpus, interrupted) = (self.cpus, self.interrupted);
        let mut session =
            Session::start(self.layer, self.host, self.keeper, &name, cpus, None, interrupted)?;
        session.greet(to_greet(self.machine, self.boot))?;
        let program = request.program.as_deref().cloned().unwrap_or_default();
        let within = patience(self.machine, &program, request);
        let answer = session.measure(request, within)?;
        session.end(Duration::from_secs(5));
        Ok(answer)
    }
}
