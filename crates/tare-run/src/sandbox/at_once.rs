//! Looks for the numbers of starts at once up to which the starts a second rise.

use super::crowd::Crowd;
use super::limits::{Limits, One};
use super::start::{Failed, Starter};
use crate::decide::curve::climb;
use crate::record::found::FoundLoads;
use crate::record::observer::{Event, Observer};
use tare_layers::SessionError;
use tare_proto::{BenchInfo, at_load};

/// Looks for them with layers that `starter` starts, called `name`. Every row of the suite with loads counts the same starts, so
/// any of them may be `bench`.
pub(crate) fn starts_at_once(
    starter: &Starter,
    name: &str,
    bench: &BenchInfo,
    observer: &mut dyn Observer,
) -> Result<FoundLoads, SessionError> {
    let mut started = 0;
    let mut number = || {
        started += 1;
        started - 1
    };
    let first = starter.start(number());
    let one = match first {
        Ok(up) => {
            let one = One::of(&up);
            up.stop();
            one
        }
        Err(Failed::Interrupted) => return Err(SessionError::Interrupted),
        Err(Failed::Start(why)) => return Err(SessionError::Ended(why)),
    };
    let (loads, end) = climb(false, |count| {
        let row = at_load(&bench.name, count);
        observer.event(Event::Searching { name: &row, layer: name });
        Limits::now().check(count, &one)?;
        let numbers: Vec<u32> = (0..count).map(|_| number()).collect();
        let crowd = Crowd::start(starter, &numbers).map_err(|_| "interrupted".to_owned())?;
        let rate = crowd.rate();
        let failed = crowd.failed.first().cloned();
        crowd.stop();
        match failed {
            Some(why) => Err(why),
            None => rate.ok_or_else(|| "none has started".into()),
        }
    });
    if (starter.interrupted)() {
        return Err(SessionError::Interrupted);
    }
    Ok(FoundLoads { benchmark: bench.name.clone(), loads, end })
}
