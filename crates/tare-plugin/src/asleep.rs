//! Until its first mark a boot is not counted, and blocks are translated nearly as they would be without the plugin, so that a
//! kernel starts about as fast. At the first mark QEMU forgets what it has translated, and translates it again to be counted.

use crate::api::{self, Id};
use crate::callbacks;
use crate::decode::{Special, special};
use crate::state;
use crate::translate::{self, enters_guest, is_after_guest};
use std::ffi::{c_uint, c_void};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};

/// QEMU's name for the plugin.
static ID: AtomicU64 = AtomicU64::new(0);

/// Whether a mark was seen.
static AWAKE: AtomicBool = AtomicBool::new(false);

/// Begins to watch for the first mark.
pub fn begin(id: Id) {
    ID.store(id, Relaxed);
    api::on_translation(id, watched);
    api::at_exit(id, callbacks::at_exit);
}

/// What QEMU calls for each block that it translates before anything is counted: marks are to be seen, and guests of the guest
/// to be known of, and whose kernel is the machine's first.
extern "C" fn watched(_: Id, block: *mut c_void) {
    // SAFETY: it is what QEMU passes.
    let insns = unsafe { api::Block::new(block) }.insns();
    if let Some(first) = insns.first() {
        state::with(|state| {
            let domains = state.domains.as_mut();
            domains.into_iter().for_each(|it| it.starts(first.address(), first.place_in_host()));
        });
    }
    if let Some(first) = insns.first().filter(|first| is_after_guest(first.address())) {
        first.on_execution(callbacks::exited, 0);
    }
    for insn in &insns {
        match special(&insn.bytes()) {
            Some(Special::Mark(code)) => insn.on_execution(mark, code.into()),
            Some(Special::EnterGuest) => enters_guest(insn),
            _ => {}
        }
    }
}

/// A mark is about to execute before anything is counted.
extern "C" fn mark(cpu: c_uint, data: *mut c_void) {
    callbacks::mark(cpu, data);
    if !AWAKE.swap(true, Relaxed) {
        api::reset(ID.load(Relaxed), awake);
    }
}

/// What QEMU calls when it has forgotten all blocks.
extern "C" fn awake(id: Id) {
    api::on_translation(id, translate::translated);
    api::at_exit(id, callbacks::at_exit);
}
