//! What a visit does with many layers at once: it starts them together, and looks at them while they idle.

use super::alive::{self, Taken};
use super::crowd::Crowd;
use super::start::Starter;
use super::visit::{Done, Visit};
use crate::host::memory::HostMemory;
use crate::plan::sandbox_benches::{IDLE_CPU, MEMORY, PSS, RATE, WARM};
use tare_proto::at_load;

impl Visit {
    /// Starts `count` at once, and lets them idle for a moment; with `watch` also looks what they do meanwhile.
    pub(super) fn crowd(
        &mut self,
        count: u32,
        watch: bool,
        starter: &Starter,
        number: &mut dyn FnMut() -> u32,
    ) -> Done {
        let warm = at_load(WARM, count);
        let rate = at_load(RATE, count);
        if let Err(why) = self.room(count) {
            [warm, rate].iter().for_each(|row| self.ledger.lacks(row, &why));
            return Ok(());
        }
        let before = HostMemory::now();
        let numbers: Vec<u32> = (0..count).map(|_| number()).collect();
        let crowd = Crowd::start(starter, &numbers)?;
        let why = crowd.failed.first().map(String::as_str);
        self.ledger.starts(&rate, count, crowd.failed.len() as u32, why);
        self.ledger.starts(&warm, 0, 0, why);
        if let Some(per_second) = crowd.rate() {
            self.ledger.add(&rate, per_second);
            if count > 1 {
                crowd.up.iter().for_each(|up| self.ledger.add(&warm, up.start_ns));
            }
        }
        let taken = (!crowd.up.is_empty()).then(|| alive::look(&crowd.up, before, watch));
        self.left.extend(crowd.stop().into_iter().flat_map(|stopped| stopped.left));
        if let Some(taken) = taken {
            self.weigh(taken.after(before), before);
        }
        Ok(())
    }

    /// Notes what layers took that were alive together.
    fn weigh(&mut self, taken: Taken, before: Option<HostMemory>) {
        let Taken { point, idle_ns, counters, .. } = taken;
        match idle_ns {
            Some(ns) if ns > 0.0 => self.ledger.add(IDLE_CPU, ns),
            Some(_) => {
                self.ledger
                    .lacks(IDLE_CPU, "it took no CPU time while it was watched for a second");
            }
            None => {}
        }
        match point {
            Ok(point) => {
                self.ledger.alive(point);
                if let Some(before) = before {
                    self.ledger.count(PSS, "memory_room", before.room());
                    self.ledger.count(PSS, "memory_total", before.total);
                }
            }
            Err(why) => [MEMORY, PSS, IDLE_CPU].iter().for_each(|row| self.ledger.lacks(row, &why)),
        }
        counters.iter().for_each(|counter| self.ledger.count(PSS, &counter.name, counter.value));
    }
}
