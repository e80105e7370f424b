//! What the kernel wrote: one event of one thread at one moment, code that was mapped, and where the clock found somebody.

use crate::registers::Registers;

/// An event of a thread.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Record {
    /// Nanoseconds of the monotonic clock.
    pub time: u64,
    /// Where.
    pub cpu: u32,
    /// The thread's process; 0 of an idle CPU.
    pub pid: u32,
    /// The thread.
    pub tid: u32,
    /// What.
    pub what: Happened,
}

/// What has happened.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Happened {
    /// A system call begins: its number.
    Call(u64),
    /// One begins that reads or writes a set of a stopped thread's registers, by ptrace(2).
    Registers(Registers),
    /// A system call ends.
    Return,
    /// The CPU goes from one thread to another.
    Switch {
        /// Who leaves it.
        from: u32,
        /// In which state, as the kernel has it; 0 when it could run on.
        state: u64,
        /// Who gets it; 0 when it becomes idle.
        to: u32,
    },
    /// The thread wakes another one.
    Waking {
        /// Whom.
        whom: u32,
        /// Whether a device's interrupt did it, and the thread was only there.
        interrupt: bool,
    },
    /// A signal is delivered: its number.
    Signal(i32),
    /// A page fault in user mode.
    Fault,
    /// A virtual machine is left.
    Exit {
        /// The reason's number.
        reason: u32,
        /// Whose numbers these are, as the kernel tells it: Intel's or AMD's.
        isa: u32,
    },
    /// A block device is asked for something.
    Block {
        /// For what.
        asked: Asked,
        /// How many bytes.
        bytes: u64,
    },
    /// Another event, by its place in the observer's table.
    Other(usize),
    /// The thread's process becomes another program.
    Exec,
    /// A thread begins.
    Fork {
        /// Its process.
        pid: u32,
        /// Its own number.
        tid: u32,
    },
}

/// What a block device is asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Asked {
    /// To read.
    Read,
    /// To write.
    Write,
    /// To flush, to discard, and the like.
    Other,
}

/// Where the CPUs' clock found a thread.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Look {
    /// Nanoseconds of the monotonic clock.
    pub time: u64,
    /// The thread's process.
    pub pid: u32,
    /// The thread.
    pub tid: u32,
    /// Whether it was in user mode, or in a guest.
    pub user: bool,
    /// The address of its code.
    pub at: u64,
    /// Where it returns to: callers in the host's kernel, the nearest first.
    pub kernel: Vec<u64>,
    /// And those in user mode, as far as its code keeps frame pointers.
    pub callers: Vec<u64>,
}

/// What a CPU's counters had counted when something happened there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Counted {
    /// Nanoseconds of the monotonic clock.
    pub time: u64,
    /// Where.
    pub cpu: u32,
    /// The thread that had the CPU until then.
    pub tid: u32,
    /// Nanoseconds for which the counters were enabled.
    pub enabled: u64,
    /// And for which they counted: less, where others' counters took turns with them.
    pub ran: u64,
    /// What they counted since the window began, in their order.
    pub counts: Vec<u64>,
}

/// Code that a process maps.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mapping {
    /// When.
    pub time: u64,
    /// Who.
    pub pid: u32,
    /// Where, until before `end`.
    pub begin: u64,
    /// The end of it.
    pub end: u64,
    /// Where in the file it begins.
    pub offset: u64,
    /// The file's name, as the kernel tells it.
    pub file: String,
    /// By what the same file is known again.
    pub identity: Identity,
}

/// By what a mapped file is known again, whatever lies at its path since.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum Identity {
    /// Nothing is known.
    #[default]
    Unknown,
    /// What the linker has written into it about its contents.
    BuildId(Vec<u8>),
    /// Its place on a device.
    Inode {
        /// The device's number.
        device: u64,
        /// The file's number there.
        inode: u64,
    },
}
