//! Which operation each system call is, by its name: the probe counts by it, and so do those who read a trace.

/// What a call is counted as.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CallClass {
    /// One operation of this name.
    One(&'static str),
    /// Nothing: the operation that it belongs to has it in its price (the close of an open, the end of a process).
    Included,
    /// An operation on the path in this argument, or a failed lookup.
    Path(&'static str, usize),
    /// An open of the path in this argument, with the flags in the next one.
    Open(usize),
    /// A read or a write of the descriptor in the first argument, of as many bytes as the third says.
    Transfer(Way),
    /// The same, with a size that only the result tells.
    TransferOfResult(Way),
    /// An operation of this name on a descriptor, with a size that only the result tells.
    Sized(&'static str),
    /// The end of the descriptor in this argument.
    Close(usize),
    /// The end of several descriptors.
    CloseMany,
    /// No class knows it: it is priced as a call about the process itself, and said.
    Unknown,
}

/// Which way the bytes of a descriptor go: a layer's kernel does other work for each.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Way {
    /// The call is read(2) itself. gVisor replaces calls in a program's code by jumps into its own, which need no signal. It knows them by
    /// the instruction that loads their number (`mov`), and compilers load that of read(2), which is 0, by another one (`xor`).
    Read,
    /// Another call reads them.
    Out,
    /// The call writes them.
    In,
}

type Row = (CallClass, &'static str);

#[rustfmt::skip]
const CLASSES: &[Row] = &[
    (CallClass::One("null"), "getpid getppid gettid getuid geteuid getgid getegid getgroups getpgid getpgrp getsid getresuid \
        getresgid setuid setgid setresuid setresgid setreuid setregid setgroups setsid setpgid getrlimit setrlimit prlimit64 \
        getrusage times uname sysinfo umask personality prctl arch_prctl capget capset set_tid_address set_robust_list \
        get_robust_list rseq membarrier getcpu getrandom clock_gettime clock_getres gettimeofday time sched_yield \
        sched_getaffinity sched_setaffinity sched_getparam sched_setparam sched_getscheduler sched_setscheduler \
        sched_get_priority_max sched_get_priority_min getpriority setpriority rt_sigaction rt_sigprocmask rt_sigpending \
        sigaltstack rt_sigsuspend rt_sigtimedwait kill tkill tgkill rt_sigqueueinfo alarm getitimer pause getcwd \
        restart_syscall ioprio_get ioprio_set mincore seccomp"),
    (CallClass::One("descriptor"), "fstat lseek fcntl dup flock ftruncate fchmod fchown fadvise64 readahead fsync fdatasync \
        fstatfs fchdir fgetxattr fsetxattr flistxattr getsockname getpeername getsockopt setsockopt bind listen shutdown \
        fallocate eventfd eventfd2 signalfd4 timerfd_create epoll_create epoll_create1 inotify_init1 memfd_create \
        pidfd_open sync_file_range syncfs"),
    (CallClass::One("ioctl"), "ioctl"),
    (CallClass::One("timer"), "nanosleep clock_nanosleep setitimer timer_create timer_settime timer_delete timer_gettime \
        timerfd_settime timerfd_gettime"),
    (CallClass::One("signal"), "rt_sigreturn"),
    (CallClass::Sized("getdents"), "getdents getdents64"),
    (CallClass::One("poll"), "poll ppoll select pselect6"),
    (CallClass::One("epoll"), "epoll_wait epoll_pwait epoll_pwait2 epoll_ctl"),
    (CallClass::One("futex"), "futex futex_waitv semop semtimedop"),
    (CallClass::One("pipe_new"), "pipe pipe2"),
    (CallClass::One("socket_new"), "socket socketpair"),
    (CallClass::One("connect"), "connect"),
    (CallClass::One("mmap"), "mmap shmat"),
    (CallClass::One("mprotect"), "mprotect madvise mremap msync mlock munlock mlock2 mlockall munlockall pkey_mprotect"),
    (CallClass::One("brk"), "brk"),
    (CallClass::Included, "munmap shmdt accept accept4 fork vfork clone clone3 exit exit_group wait4 waitid execve execveat"),
    (CallClass::Path("lookup", 0), "stat lstat access readlink chdir statfs inotify_add_watch"),
    (CallClass::Path("xattr", 0), "getxattr lgetxattr listxattr llistxattr"),
    (CallClass::Path("lookup", 1), "newfstatat statx faccessat faccessat2 readlinkat"),
    (CallClass::Path("create", 0), "unlink mkdir rmdir rename link symlink chmod chown lchown truncate utime utimes mknod \
        setxattr lsetxattr removexattr lremovexattr"),
    (CallClass::Path("create", 1), "unlinkat mkdirat renameat renameat2 linkat symlinkat fchmodat fchownat utimensat mknodat \
        futimesat"),
    (CallClass::Open(0), "open creat"),
    (CallClass::Open(1), "openat openat2"),
    (CallClass::Transfer(Way::Read), "read"),
    (CallClass::Transfer(Way::Out), "pread64"),
    (CallClass::Transfer(Way::In), "write pwrite64"),
    (CallClass::TransferOfResult(Way::Out), "readv preadv preadv2 splice tee copy_file_range"),
    (CallClass::TransferOfResult(Way::In), "writev pwritev pwritev2 sendfile vmsplice"),
    (CallClass::Sized("socket"), "sendto recvfrom sendmsg recvmsg sendmmsg recvmmsg"),
    (CallClass::Close(0), "close"),
    (CallClass::Close(1), "dup2 dup3"),
    (CallClass::CloseMany, "close_range"),
];

/// The class of the call `name`.
pub fn call_class(name: &str) -> CallClass {
    let has = |(_, names): &&Row| names.split_whitespace().any(|known| known == name);
    CLASSES.iter().find(has).map_or(CallClass::Unknown, |(class, _)| *class)
}

/// What reads and writes of a descriptor are, by what its name says that it is: as `/proc/PID/fd` and `strace -y` have it.
pub fn transfer_kind(descriptor: &str) -> &'static str {
    let starts = |(start, _): &&(&str, &str)| descriptor.starts_with(start);
    KINDS.iter().find(starts).map_or(FILE, |(_, kind)| kind)
}

/// The operation that a transfer of this `kind` is.
pub fn transfer_class(kind: &'static str, way: Way) -> &'static str {
    match (kind, way) {
        (PIPE, Way::Read | Way::Out) => "pipe_read",
        (PIPE, Way::In) => "pipe_write",
        (FILE, Way::Read) => "file_read",
        _ => kind,
    }
}

/// Kinds of transfers of which one way is an operation of its own.
const PIPE: &str = "pipe";
const FILE: &str = "file";

/// How descriptors' names begin, and what kind of transfers they have; the first that fits.
const KINDS: &[(&str, &str)] = &[
    ("pipe:", PIPE),
    ("socket:", "socket"),
    ("TCP", "socket"),
    ("UDP", "socket"),
    ("UNIX", "socket_unix"),
    ("NETLINK", "socket"),
    ("anon_inode:", PIPE),
    ("/dev/shm/", FILE),
    ("/dev/", "device"),
    ("/proc/", "proc"),
    ("/sys/", "proc"),
];

/// A size in bytes that transfers are at most as large as, and the operation that their KiB are.
type Size = (f64, &'static str);

const OF_FILES: &[Size] =
    &[(4096.0, "file_kib_4k"), (65536.0, "file_kib_64k"), (f64::MAX, "file_kib_1m")];

const OF_PIPES: &[Size] =
    &[(4096.0, "pipe_kib_4k"), (16384.0, "pipe_kib_16k"), (f64::MAX, "pipe_kib_64k")];

/// The KiB of transfers, by what is transferred and by the transfer's size, the smallest first: a copy of many bytes at once is
/// cheaper for each of them until caches are full, and layers split it.
const SIZES: &[(&str, &[Size])] = &[
    (FILE, OF_FILES),
    ("file_read", OF_FILES),
    ("pipe_read", OF_PIPES),
    ("pipe_write", OF_PIPES),
    // No protocol stands between the ends, as in a pipe.
    ("socket_unix", OF_PIPES),
    (
        "socket",
        &[(4096.0, "socket_kib_4k"), (16384.0, "socket_kib_16k"), (f64::MAX, "socket_kib_64k")],
    ),
    ("getdents", &[(f64::MAX, "getdents_kib")]),
];

/// The operation that the KiB of a transfer called `name` of so many bytes are, where there is one.
pub fn kib_class(name: &str, bytes: f64) -> Option<&'static str> {
    let (_, sizes) = SIZES.iter().find(|(known, _)| *known == name)?;
    sizes.iter().find(|(most, _)| bytes <= *most).map(|(_, class)| *class)
}
