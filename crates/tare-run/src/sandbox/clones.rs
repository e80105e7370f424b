//! Restores many of one image at once, and looks at what they take of the host before and after they write.

use super::alive;
use super::asked::touch;
use super::crowd::Crowd;
use super::image::State;
use super::ledger::Clones;
use super::restore::NOT_MEMORY;
use super::start::Starter;
use super::visit::{Done, Visit};
use crate::host::memory::HostMemory;
use crate::plan::sandbox_benches::{CLONE, CLONE_MEMORY, CLONE_WRITTEN, READY};
use tare_proto::at_load;

impl Visit {
    /// Restores `count` of one image at once.
    pub(super) fn clones(
        &mut self,
        count: u32,
        state: State,
        starter: &Starter,
        number: &mut dyn FnMut() -> u32,
    ) -> Done {
        let row = at_load(CLONE, count);
        let rows = [row.as_str(), CLONE_MEMORY, CLONE_WRITTEN];
        if let Err(why) = starter.layer.snapshot(starter.host) {
            let why = why.to_string();
            rows.into_iter().for_each(|row| self.ledger.lacks(row, &why));
            return Ok(());
        }
        let Some(image) = self.saved(READY, &rows, state, starter, number())? else {
            return Ok(());
        };
        if let Err(why) = self.room_of(count, image.holds) {
            self.ledger.lacks(&row, &why);
            self.left.extend(image.room.remove());
            return Ok(());
        }
        let before = HostMemory::now();
        let numbers: Vec<u32> = (0..count).map(|_| number()).collect();
        let mut crowd = Crowd::start_as(starter, &numbers, &|number| {
            starter.restore_now(number, image.folder())
        })?;
        let why = crowd.failed.first().map(String::as_str);
        self.ledger.starts(&row, count, crowd.failed.len() as u32, why);
        crowd.up.iter().for_each(|up| self.ledger.add(&row, up.start_ns));
        let restored = alive::look(&crowd.up, before, false);
        let writes = state.can_be_written();
        let wrote = !writes || crowd.up.iter_mut().all(|up| touch(up).is_ok());
        let written = alive::look(&crowd.up, before, false);
        if !writes {
            self.ledger.lacks(CLONE_WRITTEN, NOT_MEMORY);
        }
        let alive = crowd.up.len();
        self.left.extend(crowd.stop().into_iter().flat_map(|stopped| stopped.left));
        let points = (restored.after(before).point, written.after(before).point);
        if let (Ok(restored), Ok(written), true) = (points.0, points.1, wrote && alive > 0) {
            let (lost, written) = (restored.lost, writes.then_some(written.lost));
            self.ledger.cloned(Clones { alive, lost, written });
        }
        self.left.extend(image.room.remove());
        Ok(())
    }
}
