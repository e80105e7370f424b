//! QEMU's plugin API, version 1, as far as it is used here: declared by hand from its documentation,
//! and wrapped so that the rest of the crate needs no `unsafe`.

use crate::counts::Counter;
use std::ffi::{CStr, c_char, c_int, c_uint, c_void};
use std::ptr;

pub type Id = u64;
pub type Callback = extern "C" fn(c_uint, *mut c_void);
pub type MemoryCallback = extern "C" fn(c_uint, u32, u64, *mut c_void);
pub type AtExit = extern "C" fn(Id, *mut c_void);
pub type Reset = extern "C" fn(Id);
pub type OnTranslation = extern "C" fn(Id, *mut c_void);

/// The callback reads no register.
const NO_REGISTERS: c_int = 0;
/// The inline operation that adds.
const ADD: c_int = 0;
/// Loads and stores: QEMU 7.2 takes the filters for either for one another's, so only both are sound.
const LOADS_AND_STORES: c_int = 3;

unsafe extern "C" {
    fn qemu_plugin_register_vcpu_tb_trans_cb(id: Id, callback: OnTranslation);
    fn qemu_plugin_reset(id: Id, then: Reset);
    fn qemu_plugin_register_atexit_cb(id: Id, callback: AtExit, data: *mut c_void);
    fn qemu_plugin_register_vcpu_tb_exec_cb(
        block: *mut c_void,
        callback: Callback,
        flags: c_int,
        data: *mut c_void,
    );
    fn qemu_plugin_register_vcpu_insn_exec_cb(
        insn: *mut c_void,
        callback: Callback,
        flags: c_int,
        data: *mut c_void,
    );
    fn qemu_plugin_register_vcpu_insn_exec_inline(
        insn: *mut c_void,
        op: c_int,
        at: *mut c_void,
        amount: u64,
    );
    fn qemu_plugin_register_vcpu_mem_cb(
        insn: *mut c_void,
        callback: MemoryCallback,
        flags: c_int,
        accesses: c_int,
        data: *mut c_void,
    );
    fn qemu_plugin_register_vcpu_mem_inline(
        insn: *mut c_void,
        accesses: c_int,
        op: c_int,
        at: *mut c_void,
        amount: u64,
    );
    fn qemu_plugin_tb_n_insns(block: *const c_void) -> usize;
    fn qemu_plugin_tb_get_insn(block: *const c_void, at: usize) -> *mut c_void;
    fn qemu_plugin_insn_data(insn: *const c_void) -> *const c_void;
    fn qemu_plugin_insn_size(insn: *const c_void) -> usize;
    fn qemu_plugin_insn_vaddr(insn: *const c_void) -> u64;
    fn qemu_plugin_insn_haddr(insn: *const c_void) -> *mut c_void;
    fn qemu_plugin_get_hwaddr(info: u32, address: u64) -> *mut c_void;
    fn qemu_plugin_hwaddr_phys_addr(handle: *const c_void) -> u64;
}

/// What QEMU says of itself when it loads a plugin.
#[repr(C)]
pub struct Info {
    target: *const c_char,
    /// Lowest and current version of the API.
    versions: [c_int; 2],
    system_emulation: bool,
    /// Virtual CPUs at the start, and at most.
    cpus: [c_int; 2],
}

impl Info {
    pub fn target(&self) -> String {
        // SAFETY: QEMU's string, which outlives the call.
        unsafe { CStr::from_ptr(self.target) }.to_string_lossy().into_owned()
    }

    pub fn check(&self) -> Result<(), String> {
        let target = self.target();
        if !["x86_64", "i386"].contains(&target.as_str()) {
            return Err(format!("it counts x86 guests only, and this QEMU emulates {target}"));
        }
        if !self.system_emulation {
            return Err("it counts whole machines only, not QEMU's user mode".into());
        }
        match self.cpus[1] {
            1 => Ok(()),
            cpus => Err(format!("it counts machines with one virtual CPU, and this has {cpus}")),
        }
    }
}

/// The arguments of the plugin.
///
/// # Safety
/// `argv` must hold `argc` NUL-terminated strings.
pub unsafe fn strings(argc: c_int, argv: *const *const c_char) -> Vec<String> {
    let pointers = (0..argc.max(0) as usize).map(|at| {
        // SAFETY: by contract.
        unsafe { argv.wrapping_add(at).read() }
    });
    // SAFETY: by contract.
    pointers.map(|text| unsafe { CStr::from_ptr(text) }.to_string_lossy().into_owned()).collect()
}

pub fn on_translation(id: Id, callback: OnTranslation) {
    // SAFETY: `id` is QEMU's own; the callback lives as long as the plugin.
    unsafe { qemu_plugin_register_vcpu_tb_trans_cb(id, callback) }
}

/// Forgets every callback and every translated block, soon; then calls `then`.
pub fn reset(id: Id, then: Reset) {
    // SAFETY: as above.
    unsafe { qemu_plugin_reset(id, then) }
}

pub fn at_exit(id: Id, callback: AtExit) {
    // SAFETY: as above.
    unsafe { qemu_plugin_register_atexit_cb(id, callback, ptr::null_mut()) }
}

/// A translation block, valid during the callback of its translation.
pub struct Block(*mut c_void);

impl Block {
    /// # Safety
    /// `block` must be what QEMU passed to the callback that runs.
    pub unsafe fn new(block: *mut c_void) -> Block {
        Block(block)
    }

    pub fn insns(&self) -> Vec<Insn> {
        // SAFETY: a valid block, see `new`.
        let count = unsafe { qemu_plugin_tb_n_insns(self.0) };
        // SAFETY: `at` is below the block's count.
        (0..count).map(|at| Insn(unsafe { qemu_plugin_tb_get_insn(self.0, at) })).collect()
    }

    /// Calls `callback` with `data` whenever the block starts.
    pub fn on_start<T>(&self, callback: Callback, data: &'static T) {
        let data = ptr::from_ref(data).cast_mut().cast();
        // SAFETY: a valid block; the data lives for ever.
        unsafe { qemu_plugin_register_vcpu_tb_exec_cb(self.0, callback, NO_REGISTERS, data) }
    }
}

/// An instruction of a [`Block`].
pub struct Insn(*mut c_void);

impl Insn {
    /// Its bytes.
    pub fn bytes(&self) -> Vec<u8> {
        // SAFETY: a valid instruction.
        let data = unsafe { qemu_plugin_insn_data(self.0) };
        // SAFETY: the same.
        let size = unsafe { qemu_plugin_insn_size(self.0) };
        // SAFETY: QEMU keeps `size` bytes there during the translation.
        unsafe { std::slice::from_raw_parts(data.cast::<u8>(), size) }.to_vec()
    }

    /// Its address as the guest sees it.
    pub fn address(&self) -> u64 {
        // SAFETY: a valid instruction.
        unsafe { qemu_plugin_insn_vaddr(self.0) }
    }

    /// Where its bytes are in QEMU's own memory: as good a name of its physical place as any, or 0.
    pub fn place_in_host(&self) -> u64 {
        // SAFETY: a valid instruction.
        unsafe { qemu_plugin_insn_haddr(self.0) as u64 }
    }

    /// Adds `amount` to `counter` whenever it executes.
    pub fn add(&self, counter: &'static Counter, amount: u64) {
        // SAFETY: a valid instruction and a counter that lives for ever.
        unsafe {
            qemu_plugin_register_vcpu_insn_exec_inline(self.0, ADD, counter.as_ptr().cast(), amount)
        }
    }

    pub fn on_execution(&self, callback: Callback, data: usize) {
        let data = ptr::without_provenance_mut(data);
        // SAFETY: a valid instruction; the callback takes `data` for a number.
        unsafe { qemu_plugin_register_vcpu_insn_exec_cb(self.0, callback, NO_REGISTERS, data) }
    }

    /// Adds one to `counter` whenever it loads or stores.
    pub fn count_accesses(&self, counter: &'static Counter) {
        let counter = counter.as_ptr().cast();
        // SAFETY: as in `add`.
        unsafe { qemu_plugin_register_vcpu_mem_inline(self.0, LOADS_AND_STORES, ADD, counter, 1) }
    }

    /// Calls `callback` with the number `data` at every access to memory.
    pub fn on_access(&self, callback: MemoryCallback, data: usize) {
        let data = ptr::without_provenance_mut(data);
        // SAFETY: as in `on_execution`.
        unsafe {
            qemu_plugin_register_vcpu_mem_cb(self.0, callback, NO_REGISTERS, LOADS_AND_STORES, data)
        }
    }
}

/// The physical address of an access, while its callback runs; the virtual one if QEMU knows none.
pub fn physical(info: u32, address: u64) -> u64 {
    // SAFETY: both are what QEMU passed to the callback that runs.
    let handle = unsafe { qemu_plugin_get_hwaddr(info, address) };
    if handle.is_null() {
        return address;
    }
    // SAFETY: a handle that QEMU has just returned.
    unsafe { qemu_plugin_hwaddr_phys_addr(handle) }
}
