//! A guest inside of the guest (KVM on the machine's emulated SVM): its addresses look like its
//! host's, so what runs between an exit and the next entry is told apart by these two.

use crate::counts::{self, COUNT, Copy};
use crate::place::{PLACES, Place};
use crate::region::State;
use crate::{STATE, counts::KINDS};
use std::ffi::{c_uint, c_void};

/// Where the machine is.
#[derive(Default)]
pub struct Guest {
    /// Between an entry and the next exit.
    pub inside: bool,
    /// The counters at the last exit.
    since: Option<Box<Copy>>,
    /// What hosts have executed between exits and entries.
    pub host: Option<Box<Copy>>,
}

/// What QEMU calls before an instruction that enters a guest.
pub extern "C" fn entered(_cpu: c_uint, _data: *mut c_void) {
    STATE.with(|state| {
        let Some(State { guest, model, .. }) = state else { return };
        guest.inside = true;
        if let Some(model) = model {
            model.nested = true;
        }
        if let Some(since) = guest.since.take() {
            let now = counts::copy();
            let host = guest.host.get_or_insert_with(|| Box::new([0; COUNT]));
            for at in 0..COUNT {
                host[at] += now[at] - since[at];
            }
        }
    });
}

/// The guest has exited.
pub fn left(state: &mut State) {
    counts::bump(counts::vm_exits());
    state.guest.inside = false;
    if let Some(model) = &mut state.model {
        model.nested = false;
    }
    state.guest.since = Some(Box::new(counts::copy()));
}

/// Moves what the `host` has executed out of `counted` and to the hypervisor's place.
pub fn take_apart(counted: &mut Copy, host: &Copy) {
    for place in PLACES {
        for (kind, _) in KINDS {
            let at = counts::index(place, kind);
            counted[at] -= host[at];
            counted[counts::index(Place::Hypervisor, kind)] += host[at];
        }
    }
}
