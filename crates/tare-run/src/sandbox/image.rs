//! A saved layer: its image, and what was seen while it was made.

use super::asked::{Seen, tail, touch};
use super::start::{Failed, Starter, Up};
use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};
use tare_layers::{Room, Saved, fresh_id};
use tare_proto::{STATE_FILL, STATE_REQUEST, at_load};

/// What a layer holds when it is saved, in MiB.
pub(crate) const STATE_MIB: u32 = 64;

/// Longest time for saving a layer.
const SAVING: Duration = Duration::from_secs(60);

/// Most files of an image that are looked at, and most folders that they are nested in.
const FILES: usize = 1000;
const NESTED: u32 = 4;

/// An image in a folder that is removed with it.
pub(crate) struct Image {
    pub room: Room,
    /// What the layer said of itself before it was saved.
    pub before: Option<Seen>,
}

/// What making an image took.
pub(crate) struct Made {
    /// From asking for the fresh layer until it has answered its first request.
    pub ready_ns: f64,
    pub touch_ns: f64,
    pub tail_ns: f64,
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
        Ok((Image { room, before: None }, up))
    }

    /// Prepares so many MiB of state in the layer that is `up`, and saves it.
    pub fn save(&mut self, up: &mut Up, mebibytes: u32) -> Result<Made, Failed> {
        up.state(&at_load(STATE_FILL, mebibytes), 1)?;
        up.state(STATE_REQUEST, 1)?;
        let ready_ns = up.asked.elapsed().as_nanos() as f64;
        let tail_ns = tail(up)?;
        let touch_ns = touch(up)?;
        self.before = up.identity().ok();
        let saved = up.session.save(SAVING).map_err(Failed::Start)?;
        let bytes = self.files().into_iter().filter_map(|file| fs::metadata(file).ok());
        Ok(Made {
            ready_ns,
            touch_ns,
            tail_ns,
            took_ns: saved.took.as_nanos() as f64,
            still_ns: saved.still.as_nanos() as f64,
            bytes: bytes.map(|file| (file.blocks() * 512) as f64).sum(),
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
            Err(why) => Err(up.failed(why)),
        }
    }
}
