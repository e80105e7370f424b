//! A saved layer: its image, and what was seen while it was made.

use super::asked::{Seen, tail, touch};
use super::start::{Failed, Starter, Up};
use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};
use tare_layers::{Room, Saved, fresh_id};
use tare_proto::{Program, Request, STATE_COMMAND, STATE_FILL, STATE_REQUEST, at_load};

/// What a layer holds when it is saved.
#[derive(Clone, Copy)]
pub(crate) enum State<'a> {
    /// So many MiB of the probe's memory.
    Memory(u32),
    /// This program, which answers requests.
    Program(&'a Program),
}

/// What it holds unless a program is given.
pub(crate) const STATE: State = State::Memory(64);

impl State<'_> {
    /// Whether all of its pages can be written to.
    pub fn can_be_written(self) -> bool {
        matches!(self, State::Memory(_))
    }
}

/// Longest time for saving a layer.
const SAVING: Duration = Duration::from_secs(60);

/// Most files of an image that are looked at, and most folders that they are nested in.
const FILES: usize = 1000;
const NESTED: u32 = 4;

/// An image in a folder that is removed with it.
pub(crate) struct Image {
    pub room: Room,
    /// Memory that the layer held beside its own for the state, in bytes; of a program about what the whole layer held.
    pub holds: u64,
    /// What the layer said of itself before it was saved.
    pub before: Option<Seen>,
}

/// What making an image took.
pub(crate) struct Made {
    /// From asking for the fresh layer until it has answered its first request.
    pub ready_ns: f64,
    /// Of a state that can be written to.
    pub touch_ns: Option<f64>,
    /// Of one that answers fast enough.
    pub tail_ns: Option<f64>,
    pub took_ns: f64,
    /// How long the layer stood still.
    pub still_ns: f64,
    /// What the image takes of the disk.
    pub bytes: f64,
}

impl Image {
    /// Room for an image, and a fresh layer that can be saved into it.
    pub fn room(starter: &Starter, number: u32) -> Result<(Image, Up), Failed> {
        starter.prepare(2)?;
        let room = Room::new(starter.keeper, &fresh_id(), &starter.host.cache)?;
        let into = Saved::Into(room.folder().to_owned());
        let up = starter.start_as(number, into)?;
        Ok((Image { room, holds: 0, before: None }, up))
    }

    /// Prepares `state` in the layer that is `up`, within this time if it is a program, and saves it.
    pub fn save(&mut self, up: &mut Up, state: State, within: Duration) -> Result<Made, Failed> {
        match state {
            State::Memory(mebibytes) => {
                up.state(&at_load(STATE_FILL, mebibytes), 1)?;
                up.state(STATE_REQUEST, 1)?;
            }
            State::Program(program) => up.begin(program, within)?,
        }
        let ready_ns = up.asked.elapsed().as_nanos() as f64;
        let tail_ns = tail(up)?;
        let touch_ns = state.can_be_written().then(|| touch(up)).transpose()?;
        self.before = up.identity().ok();
        self.holds = match state {
            State::Memory(mebibytes) => u64::from(mebibytes) << 20,
            State::Program(_) => up.session.footprint().unwrap_or(0),
        };
        let saved = up.session.save(SAVING).map_err(Failed::Start)?;
        let files = self.files().into_iter().filter_map(|file| fs::metadata(file).ok());
        Ok(Made {
            ready_ns,
            touch_ns,
            tail_ns,
            took_ns: saved.took.as_nanos() as f64,
            still_ns: saved.still.as_nanos() as f64,
            bytes: files.map(|file| (file.blocks() * 512) as f64).sum(),
        })
    }

    /// The folder that holds it.
    pub fn folder(&self) -> &Path {
        self.room.folder()
    }

    /// The image's files.
    pub fn files(&self) -> Vec<PathBuf> {
        let mut all = Vec::new();
        gather(&self.folder().join("image"), NESTED, &mut all);
        all
    }
}

fn gather(path: &Path, nested: u32, all: &mut Vec<PathBuf>) {
    match fs::read_dir(path) {
        Ok(entries) if nested > 0 => {
            entries.flatten().for_each(|entry| gather(&entry.path(), nested - 1, all));
        }
        _ if all.len() < FILES && path.is_file() => all.push(path.to_owned()),
        _ => {}
    }
}

impl Up {
    /// Starts `program` in the layer, and waits until it has answered its first request.
    fn begin(&mut self, program: &Program, within: Duration) -> Result<(), Failed> {
        let limit_ms = within.as_millis() as u64;
        let program = Program { limit_ms, ..program.clone() };
        let bench = STATE_COMMAND.to_owned();
        let program = Some(Box::new(program));
        self.samples(&Request {
            id: 1,
            bench,
            samples: 1,
            batch_ns: 1,
            limit_ms,
            program,
            ..Request::default()
        })?;
        Ok(())
    }
}

impl Starter<'_> {
    /// Restores what was saved in `folder`, by a keeper that may wait already, until it has answered its first request. The
    /// probe has greeted before it was saved.
    pub fn restore_now(&self, number: u32, folder: &Path) -> Result<Up, Failed> {
        let asked = Instant::now();
        let session = self.session(number, Saved::From(folder.to_owned()))?;
        let mut up = Up::restored(session, asked);
        let said = Instant::now();
        match up.first(self.within) {
            Ok(()) => {
                up.start_ns = asked.elapsed().as_nanos() as f64;
                let answered = up.session.first_word().unwrap_or_default();
                up.first_ns = (said - asked + answered).as_nanos() as f64;
                Ok(up)
            }
            Err(why) => Err(match up.failed(why) {
                Failed::Start(why) => Failed::Start(self.with_log(why, folder)),
                Failed::Interrupted => Failed::Interrupted,
            }),
        }
    }

    /// A reason with what was written down of it beside the image in `folder`.
    pub(super) fn with_log(&self, why: String, folder: &Path) -> String {
        match self.layer.said_of_image(folder) {
            Some(said) => format!("{why}; {said}"),
            None => why,
        }
    }
}
