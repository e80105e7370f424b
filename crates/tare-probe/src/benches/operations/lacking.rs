//! Calls that kernels and sandboxes may not have: each is made with arguments that no kernel takes, so that it does nothing and
//! answers with an error; a layer that does not have it says so by another error.

use std::io;

/// How the name of a counter begins that says that the layer lacks a call.
const COUNTER: &str = "lacks/";

macro_rules! calls {
    ($($number:ident $name:literal),* $(,)?) => { &[$((libc::$number, $name)),*] };
}

#[rustfmt::skip]
const CALLS: &[(libc::c_long, &str)] = calls! {
    SYS_io_uring_setup "io_uring_setup", SYS_io_uring_enter "io_uring_enter", SYS_io_uring_register "io_uring_register",
    SYS_io_submit "io_submit", SYS_mq_open "mq_open",
    SYS_userfaultfd "userfaultfd", SYS_perf_event_open "perf_event_open", SYS_bpf "bpf",
    SYS_fanotify_init "fanotify_init", SYS_inotify_add_watch "inotify_add_watch",
    SYS_name_to_handle_at "name_to_handle_at", SYS_open_by_handle_at "open_by_handle_at",
    SYS_copy_file_range "copy_file_range", SYS_splice "splice", SYS_tee "tee", SYS_vmsplice "vmsplice",
    SYS_preadv2 "preadv2", SYS_pwritev2 "pwritev2", SYS_statx "statx", SYS_openat2 "openat2", SYS_clone3 "clone3",
    SYS_pidfd_open "pidfd_open", SYS_pidfd_send_signal "pidfd_send_signal", SYS_pidfd_getfd "pidfd_getfd",
    SYS_process_vm_readv "process_vm_readv", SYS_process_vm_writev "process_vm_writev", SYS_mbind "mbind",
    SYS_set_mempolicy "set_mempolicy", SYS_move_pages "move_pages", SYS_keyctl "keyctl", SYS_add_key "add_key",
    SYS_kcmp "kcmp", SYS_futex_waitv "futex_waitv", SYS_process_madvise "process_madvise",
    SYS_landlock_create_ruleset "landlock_create_ruleset", SYS_epoll_pwait2 "epoll_pwait2",
    SYS_close_range "close_range", SYS_membarrier "membarrier", SYS_seccomp "seccomp",
    SYS_fallocate "fallocate", SYS_readahead "readahead", SYS_mlock2 "mlock2",
    SYS_faccessat2 "faccessat2", SYS_memfd_create "memfd_create", SYS_timerfd_create "timerfd_create",
    SYS_signalfd4 "signalfd4",
};

/// Calls that POWER has, too, but not the crate `libc` for it.
#[cfg(not(target_arch = "powerpc64"))]
#[rustfmt::skip]
const MOSTLY: &[(libc::c_long, &str)] = calls! {
    SYS_sync_file_range "sync_file_range", SYS_pkey_alloc "pkey_alloc", SYS_pkey_mprotect "pkey_mprotect",
};
#[cfg(target_arch = "powerpc64")]
const MOSTLY: &[(libc::c_long, &str)] = &[];

/// Of these, calls that 32-bit machines have no number for.
#[cfg(all(target_pointer_width = "64", not(target_arch = "powerpc64")))]
const OWN: &[(libc::c_long, &str)] = calls! { SYS_semop "semop", SYS_semtimedop "semtimedop" };
#[cfg(any(target_pointer_width = "32", target_arch = "powerpc64"))]
const OWN: &[(libc::c_long, &str)] = &[];

pub fn counters() -> Vec<String> {
    let lacks = |(number, _): &&(libc::c_long, &str)| {
        let no = -1 as libc::c_long;
        // SAFETY: no pointer, descriptor, size or set of flags is -1: the call changes nothing.
        let done = unsafe { libc::syscall(*number, no, no, no, no, no, no) };
        done == -1 && io::Error::last_os_error().raw_os_error() == Some(libc::ENOSYS)
    };
    let all = CALLS.iter().chain(MOSTLY).chain(OWN);
    all.filter(lacks).map(|(_, name)| format!("{COUNTER}{name}")).collect()
}
