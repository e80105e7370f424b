//! The keeper's own life. It owns the boot's folder, starts the layer, adopts every process that
//! the layer leaves, and when tare goes away (the other end of the life line closes, as it does on
//! SIGKILL) or the layer's first process ends, it ends and removes all of it.

use crate::keeper::estate::Estate;
use crate::keeper::id::is_id;
use crate::keeper::orders::{Boot, LIFE, News, Order, tell};
use crate::keeper::record::Record;
use crate::{host::before, keeper::begin, keeper::end, keeper::mark};
use nix::fcntl::{FcntlArg, FdFlag, fcntl};
use nix::sys::prctl;
use nix::sys::signal::SigHandler;
use nix::unistd::setsid;
use serde::de::DeserializeOwned;
use std::fmt::Display;
use std::io::{self, BufRead, BufReader};
use std::os::fd::{BorrowedFd, FromRawFd};
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};

/// What is wrong with a folder whose name is no text.
const NOT_UTF8: &str =
    "its name is not UTF-8, which no layer's settings can hold; set TMPDIR to another folder";

/// The keeper's whole life; the hidden command that [`crate::Keeper`] starts calls this and exits.
///
/// The folder of the boot is made under `parent`.
pub fn keep(parent: &Path) -> io::Result<()> {
    let life = life_line()?;
    let _ = setsid(); // fails only if this process leads a session already
    begin::on_signals(SigHandler::SigIgn)?;
    prctl::set_name(c"layer-keeper")?; // not hit by a `killall -9 tare`, after which it cleans up
    prctl::set_child_subreaper(true)?;
    let mut orders = BufReader::new(life.try_clone()?);
    tell(&life, &News::Ready);
    let Some(boot) = next::<Boot>(&mut orders) else { return Ok(()) }; // tare is gone already
    mark::set_mark(mark::mark(&boot.id));
    let mut estate = Estate::new(&boot.id);
    let record = boot.records.as_deref().and_then(|folder| Record::create(folder, &boot.id).ok());
    let taken = before::take(&boot.knobs); // until this process ends, when they are put back
    let refused = match &taken {
        Ok((_, before)) => {
            estate.knobs.clone_from(before);
            serve(parent, &life, orders, &mut estate, &record)
        }
        Err(refused) => Err(io::Error::other(refused.to_string())),
    };
    if let Err(refused) = refused {
        tell(&life, &News::Refused(refused.to_string()));
    }
    let left = estate.clear();
    if let Some(record) = record.filter(|_| left.is_empty()) {
        record.remove();
    }
    tell(&life, &News::Clean(left));
    Ok(())
}

/// Makes the boot's folder, starts the layer when tare says which, and returns when its last process has ended.
fn serve(
    parent: &Path,
    life: &UnixStream,
    mut orders: BufReader<UnixStream>,
    estate: &mut Estate,
    record: &Option<Record>,
) -> io::Result<()> {
    let folder = own_folder(parent, estate, record)?;
    tell(life, &News::Folder(folder.clone()));
    let Some(order) = next::<Order>(&mut orders) else { return Ok(()) };
    end::with(orders, &estate.id)?;
    note(record, &Estate::whole(&estate.id, &folder, &order.program));
    let started = begin::layer(&order, estate, &folder, life);
    match started {
        Ok(first) => end::reap_all(first, life),
        Err(_) => end::unfinished(life),
    }
    started.map(drop)
}

/// Layers start elsewhere, so the path must be absolute.
fn own_folder(parent: &Path, estate: &mut Estate, record: &Option<Record>) -> io::Result<PathBuf> {
    if !is_id(&estate.id) {
        return Err(io::Error::other(format!("{:?} is not the name of a boot", estate.id)));
    }
    let named = |e: &dyn Display| io::Error::other(format!("{}: {e}", parent.display()));
    let parent = parent.canonicalize().map_err(|e| named(&e))?;
    if parent.to_str().is_none() {
        return Err(named(&NOT_UTF8));
    }
    let folder = parent.join(&estate.id);
    note(record, &Estate { folders: vec![folder.clone()], ..estate.clone() });
    estate.make_folder(&folder)?;
    Ok(folder)
}

/// A boot without a record boots all the same; only the next tare will not find what it leaves.
fn note(record: &Option<Record>, estate: &Estate) {
    if let Some(record) = record {
        let _ = record.note(estate);
    }
}

/// What tare says next; `None` when it is gone.
fn next<T: DeserializeOwned>(orders: &mut BufReader<UnixStream>) -> Option<T> {
    let mut text = String::new();
    orders.read_line(&mut text).ok()?;
    serde_json::from_str(&text).ok()
}

fn life_line() -> io::Result<UnixStream> {
    // SAFETY: the descriptor is only borrowed, and is checked by the call itself.
    let borrowed = unsafe { BorrowedFd::borrow_raw(LIFE) };
    fcntl(borrowed, FcntlArg::F_SETFD(FdFlag::FD_CLOEXEC))
        .map_err(|_| io::Error::other("this command is started by tare itself"))?;
    // SAFETY: the fcntl above has shown that the descriptor is open; nothing else owns it.
    Ok(unsafe { UnixStream::from_raw_fd(LIFE) })
}
