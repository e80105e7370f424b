//! Saves layers and restores them, one at a time.

use super::asked::{tail, touch};
use super::image::{Image, State};
use super::start::{Failed, Starter, Up, with_console};
use super::visit::{Done, Interrupted, Visit};
use crate::plan::sandbox_benches::{
    CLONE_MEMORY, CLONE_WRITTEN, EMPTY, READY, RESTORE_COLD, RESTORE_EMPTY, RESTORE_READY,
    RESTORE_START, SAVE, SAVING, SIZE, STILL, TAIL, TOUCH,
};
use std::path::PathBuf;
use tare_layers::drop_cached;

/// Restores of one image, with the page cache warm, and of an image without state.
const RESTORES: u32 = 4;
const OF_EMPTY: u32 = 2;

/// State of an image that is called empty.
const EMPTY_STATE: State = State::Memory(1);

/// Rows that a program of the reader's cannot fill, and why.
const OF_MEMORY: [&str; 3] = [EMPTY, RESTORE_EMPTY, TOUCH];
pub(super) const NOT_MEMORY: &str =
    "it is about the probe's own memory, and --state has saved a program";

impl Visit {
    /// Saves one fresh layer with `state`, and one without; restores each some times.
    pub(super) fn restores(
        &mut self,
        state: State,
        starter: &Starter,
        number: &mut dyn FnMut() -> u32,
    ) -> Done {
        if let Err(why) = starter.layer.snapshot(starter.host) {
            SAVING.iter().for_each(|row| self.ledger.lacks(row, &why.to_string()));
            return Ok(());
        }
        let Some(image) = self.saved(READY, &SAVING, state, starter, number())? else {
            return Ok(());
        };
        let mut seen = Vec::new();
        for at in 0..RESTORES {
            let Some(mut up) = self.restored(RESTORE_START, &image, starter, number())? else {
                break;
            };
            self.ledger.add(RESTORE_START, up.first_ns);
            self.ledger.add(RESTORE_READY, up.start_ns);
            // At once: a kernel inside soon draws its random numbers from something new.
            seen.extend(up.identity().ok());
            match state.can_be_written() && at % 2 == 1 {
                true => self.asked(TOUCH, touch(&mut up).map(Some))?,
                false => self.asked(TAIL, tail(&mut up))?,
            }
            self.left.extend(up.stop().left);
        }
        self.truths(&image, &seen);
        self.restore_cold(&image, starter, number())?;
        self.left.extend(image.room.remove());
        if !state.can_be_written() {
            OF_MEMORY.iter().for_each(|row| self.ledger.lacks(row, NOT_MEMORY));
            return Ok(());
        }
        let Some(image) = self.saved(EMPTY, &SAVING, EMPTY_STATE, starter, number())? else {
            return Ok(());
        };
        for _ in 0..OF_EMPTY {
            let Some(up) = self.restored(RESTORE_EMPTY, &image, starter, number())? else { break };
            self.ledger.add(RESTORE_EMPTY, up.start_ns);
            self.left.extend(up.stop().left);
        }
        self.left.extend(image.room.remove());
        Ok(())
    }

    /// A fresh layer with `state`, which is then saved; `row` is the time until it answers its first request. Where that fails,
    /// all `rows` say why.
    pub(super) fn saved(
        &mut self,
        row: &str,
        rows: &[&str],
        state: State,
        starter: &Starter,
        number: u32,
    ) -> Result<Option<Image>, Interrupted> {
        let (mut image, mut up) = match Image::room(starter, number) {
            Ok(made) => made,
            Err(Failed::Interrupted) => return Err(Interrupted),
            Err(Failed::Start(why)) => {
                self.lack_all(rows, &why);
                return Ok(None);
            }
        };
        if up.session.told(RESTORE_START).is_some() {
            for row in SAVING.into_iter().chain([CLONE_MEMORY, CLONE_WRITTEN]) {
                up.session.told(row).into_iter().for_each(|told| self.ledger.add(row, told));
            }
            self.left.extend(up.stop().left);
            return Ok(None);
        }
        let made = image.save(&mut up, state, starter.within);
        let console = up.session.console_tail();
        self.left.extend(up.stop().left);
        match made {
            Ok(made) => {
                self.ledger.add(row, made.ready_ns);
                if row == READY {
                    self.ledger.add(SAVE, made.took_ns);
                    self.ledger.add(STILL, made.still_ns);
                    self.ledger.add(SIZE, made.bytes);
                    let before = [(TOUCH, made.touch_ns), (TAIL, made.tail_ns)];
                    for (row, ns) in before.into_iter().filter_map(|(row, ns)| Some((row, ns?))) {
                        self.ledger.count(row, "before", ns);
                    }
                }
                Ok(Some(image))
            }
            Err(Failed::Interrupted) => Err(Interrupted),
            Err(Failed::Start(why)) => {
                let why = with_console(starter.with_log(why, image.folder()), &console);
                self.left.extend(image.room.remove());
                self.lack_all(rows, &format!("it was not saved: {why}"));
                Ok(None)
            }
        }
    }

    fn lack_all(&mut self, rows: &[&str], why: &str) {
        rows.iter().for_each(|row| self.ledger.failed(row, why.to_owned()));
    }

    /// A layer that is restored from `image`; nothing, and the reason at `row`, when it failed.
    fn restored(
        &mut self,
        row: &str,
        image: &Image,
        starter: &Starter,
        number: u32,
    ) -> Result<Option<Up>, Interrupted> {
        match starter.prepare(1).and_then(|()| starter.restore_now(number, image.folder())) {
            Ok(up) => {
                self.ledger.starts(row, 1, 0, None);
                Ok(Some(up))
            }
            Err(Failed::Interrupted) => Err(Interrupted),
            Err(Failed::Start(why)) => {
                self.ledger.starts(row, 1, 1, Some(&why));
                Ok(None)
            }
        }
    }

    fn asked(&mut self, row: &str, answer: Result<Option<f64>, Failed>) -> Done {
        match answer {
            Ok(Some(ns)) => self.ledger.add(row, ns),
            Ok(None) => self.ledger.lacks(row, "it does not answer 1,000 requests in ten seconds"),
            Err(Failed::Start(why)) => self.ledger.failed(row, why),
            Err(Failed::Interrupted) => return Err(Interrupted),
        }
        Ok(())
    }

    /// A restore from an image that has to be read from the disk.
    fn restore_cold(&mut self, image: &Image, starter: &Starter, number: u32) -> Done {
        let own = image.files();
        let all = own.iter().chain(&self.files).map(PathBuf::as_path);
        let dropped = drop_cached(all);
        let Some(up) = self.restored(RESTORE_COLD, image, starter, number)? else { return Ok(()) };
        match dropped.cached {
            Some((before, after)) if before == 0 || after >= before => {
                let why = "nothing of its image could be dropped from the page cache";
                self.ledger.lacks(RESTORE_COLD, why);
            }
            _ => self.ledger.add(RESTORE_COLD, up.start_ns),
        }
        self.left.extend(up.stop().left);
        Ok(())
    }
}
