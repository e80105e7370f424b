//! The knobs of this host that one tare turns. A keeper without a program puts them back however that tare ends; where that keeper
//! was killed too, the next tare does by its record.

use crate::error::SessionError;
use crate::host::knobs::Knob;
use crate::keeper::id::fresh_id;
use crate::keeper::orders::Boot;
use crate::keeper::{Keeper, Running, record};
use std::io;
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// The knobs that this tare has taken; where a layer says nothing of one, it has the value from before.
#[derive(Debug, Clone, Default)]
pub struct Knobs(Arc<Mutex<Taken>>);

#[derive(Debug, Default)]
struct Taken {
    knobs: Vec<Turned>,
    /// They put the knobs back when they are dropped.
    keepers: Vec<Running>,
}

#[derive(Debug)]
struct Turned {
    knob: &'static Knob,
    before: String,
    now: String,
}

impl Keeper {
    /// Takes those of `knobs` that are the whole host's, for as long as this and its clones live. Recorded below `cache`.
    ///
    /// # Errors
    /// [`SessionError::Knob`] where another tare has one of them.
    pub fn take_knobs(&self, knobs: &[(String, String)], cache: &Path) -> Result<(), SessionError> {
        let mut taken = self.knobs.taken();
        let has = |knob: &Knob| taken.knobs.iter().any(|turned| turned.knob.name == knob.name);
        let wanted = knobs.iter().filter_map(|(name, _)| Knob::named(name));
        let new: Vec<&'static Knob> =
            wanted.filter(|knob| knob.is_shared() && !has(knob)).collect();
        if new.is_empty() {
            return Ok(());
        }
        let records = Some(record::folder(cache));
        let knobs = new.iter().map(|knob| knob.name.to_owned()).collect();
        let started = self.start_for(&Boot { id: fresh_id(), records, knobs });
        let (keeper, ..) = started.map_err(|why| match why {
            SessionError::Start(why) => refused(&why, "run it when that has ended, or omit knobs="),
            other => other,
        })?;
        for (knob, before) in new.into_iter().zip(&keeper.estate.knobs) {
            let (before, now) = (before.value.clone(), before.value.clone());
            taken.knobs.push(Turned { knob, before, now });
        }
        taken.keepers.push(keeper);
        Ok(())
    }
}

impl Knobs {
    /// Turns every knob that was taken to where `own` has it, or to where it was before.
    pub(crate) fn turn(&self, own: &[(String, String)]) -> Result<(), SessionError> {
        for turned in &mut self.taken().knobs {
            let value = own.iter().find(|(name, _)| name == turned.knob.name);
            let value = value.map_or(&turned.before, |(_, value)| value);
            if turned.now != *value {
                turned
                    .knob
                    .set(value)
                    .map_err(|why| refused(&why, "give another value, or omit it"))?;
                turned.now.clone_from(value);
            }
        }
        Ok(())
    }

    fn taken(&self) -> MutexGuard<'_, Taken> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn refused(why: &io::Error, remedy: &'static str) -> SessionError {
    SessionError::Knob { why: why.to_string(), remedy }
}
