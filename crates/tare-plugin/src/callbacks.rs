//! What QEMU calls while the guest runs. Each finds the state and says what has happened.

use crate::api;
use crate::block::Block;
use crate::counts;
use crate::place::Place;
use crate::state::with;
use std::ffi::{c_uint, c_void};

/// The block in `data` starts.
pub extern "C" fn started(_cpu: c_uint, data: *mut c_void) {
    // SAFETY: translation passes a block that lives for ever.
    let block: &'static Block = unsafe { &*data.cast::<Block>() };
    with(|state| state.start(block));
}

/// A mark is about to execute; `data` is its code.
pub extern "C" fn mark(_cpu: c_uint, data: *mut c_void) {
    with(|state| state.mark(data.addr() as u16));
}

/// The place in `data` has loaded or stored.
pub extern "C" fn accessed(_cpu: c_uint, info: u32, address: u64, data: *mut c_void) {
    with(|state| {
        if !state.counting {
            return;
        }
        let place = Place::ALL[data.addr() % Place::ALL.len()];
        if let Some(model) = &mut state.model {
            model.access(place, address, api::physical(info, address));
        }
    });
}

/// CR3 is about to be written, or with `data` 1, CR4, whose use is to flush everything.
pub extern "C" fn flushed(_cpu: c_uint, data: *mut c_void) {
    with(|state| {
        if let Some(model) = &mut state.model {
            model.flush(data.addr() == 1);
        }
    });
}

/// An instruction is about to enter a guest.
pub extern "C" fn entered(_cpu: c_uint, _data: *mut c_void) {
    with(|state| state.guest(true));
}

/// A guest has exited, and its host goes on.
pub extern "C" fn exited(_cpu: c_uint, _data: *mut c_void) {
    with(|state| state.guest(false));
}

/// A hypercall is about to be made whose own block does not load AX.
pub extern "C" fn called(_cpu: c_uint, _data: *mut c_void) {
    with(|state| counts::bump(counts::hypercall(state.ax.number())));
}

pub extern "C" fn at_exit(_id: api::Id, _data: *mut c_void) {
    with(|state| state.report());
}
