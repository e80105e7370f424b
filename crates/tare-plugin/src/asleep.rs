//! Until the first mark of what is timed a boot is not counted, and blocks are translated nearly as they would be without the plugin, so
//! that a kernel starts about as fast. At that mark QEMU forgets what it has translated, and translates it again to be counted.

use crate::api::{self, Id};
use crate::callbacks;
use crate::decode::{Special, special};
use crate::state;
use crate::translate::{self, enters_guest, is_after_guest};
use std::ffi::{c_uint, c_void};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use tare_proto::mark;

/// QEMU's name for the plugin.
static ID: AtomicU64 = AtomicU64::new(0);

/// Whether that mark was seen.
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
            Some(Special::Mark(code)) => insn.on_execution(marked, code.into()),
            Some(Special::EnterGuest) => enters_guest(insn),
            _ => {}
        }
    }
}

/// What is spelled before anything is timed: which modules a kernel has loaded.
const BEFORE: [u16; 5] = [mark::ZERO, mark::ONE, mark::MODULE, mark::AT, mark::AT_OUTSIDE];

/// A mark is about to execute before anything is counted.
extern "C" fn marked(cpu: c_uint, data: *mut c_void) {
    callbacks::mark(cpu, data);
    if !BEFORE.contains(&(data.addr() as u16)) && !AWAKE.swap(true, Relaxed) {
        api::reset(ID.load(Relaxed), awake);
    }
}

/// What QEMU calls when it has forgotten all blocks.
extern "C" fn awake(id: Id) {
    api::on_translation(id, translate::translated);
    api::at_exit(id, callbacks::at_exit);
}
