//! Serves devices, one to a socket, until their drivers have gone.

use crate::backend::{BlockBackend, Held};
use crate::error::Error;
use crate::settings::Settings;
use std::os::unix::net::UnixListener;
use std::path::PathBuf;
use std::sync::Arc;
use std::thread;
use vhost::vhost_user::{Error as Protocol, Listener};
use vhost_user_backend::{Error as Daemon, VhostUserDaemon};
use vmm_sys_util::epoll::EventSet;

/// Where a device waits for its driver.
pub struct Place {
    pub listener: UnixListener,
    /// Its name, if it has one, to be removed once the driver has come.
    pub name: Option<PathBuf>,
}

impl Place {
    /// A new socket of this name.
    ///
    /// # Errors
    /// A name that exists already, or a folder that is missing.
    pub fn named(name: PathBuf) -> Result<Self, Error> {
        let what = format!("listening at {}", name.display());
        let listener = UnixListener::bind(&name).map_err(Error::system(what))?;
        Ok(Self { listener, name: Some(name) })
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        if let Some(name) = &self.name {
            let _ = std::fs::remove_file(name);
        }
    }
}

/// Serves a device of these settings at each place, and returns when the last driver has gone. `ready` is called when drivers
/// can come.
///
/// # Errors
/// Settings that exclude each other or a device that cannot be opened, before any driver is waited for; afterwards a driver
/// that broke the protocol.
pub fn serve(settings: &Settings, places: Vec<Place>, ready: impl FnOnce()) -> Result<(), Error> {
    let global = Held::default();
    let devices = places
        .into_iter()
        .map(|place| Ok((Arc::new(BlockBackend::new(settings, &global)?), place)))
        .collect::<Result<Vec<_>, Error>>()?;
    ready();
    let threads: Vec<_> = devices
        .into_iter()
        .map(|(device, place)| thread::spawn(move || one(&device, place)))
        .collect();
    let ends: Vec<_> = threads.into_iter().map(thread::JoinHandle::join).collect();
    ends.into_iter().try_for_each(|end| {
        end.unwrap_or_else(|_| Err(Error::Setting("a thread of the back end failed".into())))
    })
}

fn one(device: &Arc<BlockBackend>, mut place: Place) -> Result<(), Error> {
    let refused = |why: Daemon| Error::Refused { step: "a driver", why: why.to_string() };
    let mut daemon =
        VhostUserDaemon::new("tare-blk".into(), device.clone(), device.given()).map_err(refused)?;
    let queues = daemon.get_epoll_handlers();
    for (queue, handler) in queues.iter().enumerate() {
        if let Some(event) = device.event(queue) {
            // Numbers up to that of the queues are taken.
            let registered =
                handler.register_listener(event, EventSet::IN, queues.len() as u64 + 1);
            registered.map_err(Error::system("watching the device"))?;
        }
    }
    let listener = place.listener.try_clone().map_err(Error::system("the socket"))?;
    daemon.start(&mut Listener::from(listener)).map_err(refused)?;
    if let Some(name) = place.name.take() {
        let _ = std::fs::remove_file(name);
    }
    let end = daemon.wait();
    device.stop();
    // Dropping it would wait for threads that a hostile driver may have stopped, by a pipe that nobody reads in place of an
    // event; they end with the process.
    std::mem::forget(daemon);
    match end {
        Ok(()) | Err(Daemon::HandleRequest(Protocol::Disconnected | Protocol::PartialMessage)) => {
            Ok(())
        }
        Err(why) => Err(refused(why)),
    }
}
