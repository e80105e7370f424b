//! A measurement: at once, or in turns with other layers.

use crate::error::{SessionError, unexpected};
use crate::patience::{Deadline, Patience};
use crate::session::Session;
use crate::session::boot::{Answer, Turn};
use std::time::Instant;
use tare_proto::{FromProbe, Request, ToProbe};

impl Session {
    /// Measures one benchmark; `within` bounds the whole wait. A scripted layer has been told before, so
    /// the requests must be those of the boot's script, in its order.
    pub fn measure(
        &mut self,
        request: &Request,
        within: impl Into<Patience>,
    ) -> Result<Answer, SessionError> {
        match self.prepare(request, within)? {
            Turn::Over(answer) => Ok(answer),
            Turn::Waiting(sample_ns) => {
                Err(unexpected(&FromProbe::Waiting { id: request.id, sample_ns }))
            }
        }
    }

    /// Begins a measurement. One in turns ([`Request::turns`]) is prepared and waits, unless its benchmark cannot wait:
    /// then it is over at once, as every other one.
    pub fn prepare(
        &mut self,
        request: &Request,
        within: impl Into<Patience>,
    ) -> Result<Turn, SessionError> {
        let mut deadline = self.deadline(within.into());
        self.is_kept()?; // once a row, not before every turn
        let asked = Instant::now();
        self.say(&ToProbe::Run(request.clone()))?;
        let begin = self.answer(request, &mut deadline)?;
        self.round_trip = Some(begin.at.saturating_duration_since(asked));
        match begin.what {
            FromProbe::Begin { id } if id == request.id => self.begun = Some(begin.at),
            other => return Err(unexpected(&other)),
        }
        let turn = self.turn(request, &mut deadline);
        self.halt(true);
        turn
    }

    /// Lets a measurement that waits take `samples`, in its `last` turn or another one.
    pub fn take(
        &mut self,
        request: &Request,
        (samples, last): (u32, bool),
        within: impl Into<Patience>,
    ) -> Result<Turn, SessionError> {
        let mut deadline = self.deadline(within.into());
        self.say(&ToProbe::Take { id: request.id, samples, last })?;
        let turn = self.turn(request, &mut deadline);
        self.halt(false); // what a row starts, it starts before its first turn
        turn
    }

    /// Gives up a measurement that waits.
    pub fn give_up(
        &mut self,
        request: &Request,
        within: impl Into<Patience>,
    ) -> Result<(), SessionError> {
        let mut deadline = self.deadline(within.into());
        self.say(&ToProbe::Drop { id: request.id })?;
        match self.answer(request, &mut deadline)?.what {
            FromProbe::Failed { id, .. } if id == request.id => {
                self.halt(true);
                Ok(())
            }
            other => Err(unexpected(&other)),
        }
    }

    fn turn(&mut self, request: &Request, deadline: &mut Deadline) -> Result<Turn, SessionError> {
        let mut answer = self.answer(request, deadline)?;
        let mut counted = Vec::new();
        if let FromProbe::Counted { counters } = answer.what {
            counted = counters;
            answer = self.answer(request, deadline)?;
        }
        let over = match answer.what {
            FromProbe::Waiting { id, sample_ns } if id == request.id && request.turns => {
                return Ok(Turn::Waiting(sample_ns));
            }
            FromProbe::Series(mut series) if series.id == request.id => {
                series.counters.append(&mut counted);
                let begun = self.begun.filter(|_| !self.scripted);
                Answer::Series(series, begun.map(|begun| answer.at - begun))
            }
            FromProbe::Unavailable { id, why } if id == request.id => Answer::Unavailable(why),
            FromProbe::Failed { id, why } if id == request.id => Answer::Failed(why),
            other => return Err(unexpected(&other)),
        };
        Ok(Turn::Over(over))
    }
}
