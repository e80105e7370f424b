//! The operations that a program is made of, as far as kernels and sandboxes do them: the link between what the probe counts of
//! a program (`op/NAME`), the row that says what one of them costs (`operations/NAME`), and the words for people.

/// How the counter of an operation begins: how many of them one run of a program made.
pub const OPERATION_COUNTER: &str = "op/";

/// The counter of the share of a program's calls that were looked at, where the others were not.
pub const COUNTED_SHARE: &str = "counting_share";

/// How the row of an operation begins: what one of them costs.
pub const OPERATION_ROW: &str = "operations/";

/// The row that user time is scaled by. It is no operation of a kernel, so nothing counts it.
pub const COMPUTE: &str = "operations/compute";

/// The row of a piece of a program's code, and that of a call with the same code after it. A layer whose kernel empties caches makes code
/// after a call slower, so the second takes longer than the call and the code alone.
pub const CODE: &str = "operations/code";
/// See [`CODE`].
pub const RESUMED: &str = "operations/resumed";

/// What the second row costs more, as a kind of work of its own. It is not counted: the program's calls and its user time say it.
pub const RESUME: Operation =
    class("resume", Work::Call, 0, "returns from the kernel, with cold caches");

/// A name is cold when so many others were looked up since: the fewest names that a layer is known to remember (gVisor's
/// `dcache`, 1,000), in round numbers.
pub const REMEMBERED_NAMES: usize = 1024;

/// What kind of work an operation is: layers are dear in one kind and cheap in another, so a fit scales each by itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Work {
    /// Calls that touch no file by its name and wait for nobody.
    Call,
    /// Names and contents of files.
    File,
    /// Messages between processes, and waiting for them.
    Message,
    /// Mappings and page faults.
    Memory,
    /// Processes, threads and programs.
    Process,
}

impl Work {
    /// Every kind, in the order of the fitted scales.
    pub const ALL: [Work; 5] = [Work::Call, Work::File, Work::Message, Work::Memory, Work::Process];

    /// Its name in tables.
    pub const fn name(self) -> &'static str {
        match self {
            Work::Call => "calls",
            Work::File => "files",
            Work::Message => "messages",
            Work::Memory => "memory",
            Work::Process => "processes",
        }
    }
}

/// A class of operations.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Operation {
    /// Its name, after [`OPERATION_COUNTER`] and [`OPERATION_ROW`].
    pub name: &'static str,
    /// What kind of work it is.
    pub work: Work,
    /// Many of them, in words.
    pub words: &'static str,
    /// How many system calls one of them is; none where it is a part of a call, or made by something else.
    pub calls: u32,
}

impl Operation {
    /// Whether it is no call, and layers differ in whether their kernel is entered for it: a page fault, or a clock read.
    #[must_use]
    pub fn may_enter(&self) -> bool {
        self.calls == 0 && (self.name == "clock" || self.name.starts_with("fault_"))
    }
}

/// Every class that is counted and priced.
#[rustfmt::skip]
pub const OPERATIONS: &[Operation] = &[
    class("null", Work::Call, 1, "calls about the process itself"),
    class("clock", Work::Call, 0, "clocks read"),
    class("descriptor", Work::Call, 1, "calls about open files"),
    class("ioctl", Work::Call, 1, "ioctls"),
    class("timer", Work::Call, 1, "timers set"),
    class("signal", Work::Call, 2, "signals caught"),
    class("lookup", Work::File, 1, "path lookups"),
    class("component", Work::File, 0, "further components of paths"),
    class("component_held", Work::File, 0, "further components of paths, of directories in use"),
    class("lookup_miss", Work::File, 1, "path lookups that fail"),
    class("cold_name", Work::File, 0, "names not looked up lately"),
    class("lookup_tmpfs", Work::File, 1, "path lookups in tmpfs"),
    class("component_tmpfs", Work::File, 0, "further components of paths in tmpfs"),
    class("open", Work::File, 2, "files opened"),
    class("open_tmpfs", Work::File, 2, "files opened in tmpfs"),
    class("create", Work::File, 1, "names made, changed and removed"),
    class("xattr", Work::File, 1, "extended attributes asked for"),
    class("getdents", Work::File, 1, "reads of directories"),
    class("getdents_kib", Work::File, 0, "KiB of names in directories"),
    class("cold_directory", Work::File, 1, "reads of directories not read lately"),
    class("cold_kib", Work::File, 0, "KiB of names in directories not read lately"),
    class("file", Work::File, 1, "writes of files, and reads at a place"),
    class("file_read", Work::File, 1, "reads of files"),
    class("file_kib_4k", Work::File, 0, "KiB of files, by at most 4 KiB"),
    class("file_kib_64k", Work::File, 0, "KiB of files, by at most 64 KiB"),
    class("file_kib_1m", Work::File, 0, "KiB of files, by more than 64 KiB"),
    class("device", Work::File, 1, "reads and writes of devices"),
    class("proc", Work::File, 1, "reads of /proc and /sys"),
    class("pipe_read", Work::Message, 1, "reads of pipes"),
    class("pipe_write", Work::Message, 1, "writes to pipes"),
    class("pipe_kib_4k", Work::Message, 0, "KiB through pipes, by at most 4 KiB"),
    class("pipe_kib_16k", Work::Message, 0, "KiB through pipes, by at most 16 KiB"),
    class("pipe_kib_64k", Work::Message, 0, "KiB through pipes, by more than 16 KiB"),
    class("pipe_new", Work::Message, 3, "pipes made"),
    class("socket", Work::Message, 1, "sends and receives"),
    class("socket_unix", Work::Message, 1, "sends and receives of Unix sockets"),
    class("socket_kib_4k", Work::Message, 0, "KiB through sockets, by at most 4 KiB"),
    class("socket_kib_16k", Work::Message, 0, "KiB through sockets, by at most 16 KiB"),
    class("socket_kib_64k", Work::Message, 0, "KiB through sockets, by more than 16 KiB"),
    class("socket_new", Work::Message, 3, "sockets made"),
    class("connect", Work::Message, 3, "connections made"),
    class("poll", Work::Message, 1, "polls and selects"),
    class("epoll", Work::Message, 1, "epoll waits and changes"),
    class("futex", Work::Message, 1, "futex calls that do not wait"),
    class("switch", Work::Message, 0, "context switches"),
    class("mmap", Work::Memory, 2, "mappings made and removed"),
    class("mprotect", Work::Memory, 1, "mappings changed"),
    class("brk", Work::Memory, 1, "moves of the heap's end"),
    class("fault_anonymous", Work::Memory, 0, "faults of fresh memory"),
    class("fault_mapping", Work::Memory, 0, "first touches of mappings"),
    class("fault_file", Work::Memory, 0, "pages of mapped files"),
    class("fault_shared", Work::Memory, 0, "faults of fresh shared memory"),
    class("fault_copy", Work::Memory, 0, "faults that copy a page"),
    class("fault_protection", Work::Memory, 1, "faults that a handler answers"),
    class("fork", Work::Process, 1, "forks"),
    class("fork_page", Work::Process, 0, "pages of forked processes"),
    class("spawn", Work::Process, 1, "vforks"),
    class("thread", Work::Process, 1, "threads"),
    class("exec", Work::Process, 1, "programs started"),
    class("exec_miss", Work::Process, 1, "starts of programs that are not there"),
];

const fn class(name: &'static str, work: Work, calls: u32, words: &'static str) -> Operation {
    Operation { name, work, words, calls }
}

/// The operation that a counter or a row is of.
pub fn operation(name: &str) -> Option<&'static Operation> {
    let name = name.strip_prefix(OPERATION_COUNTER).or(name.strip_prefix(OPERATION_ROW))?;
    OPERATIONS.iter().find(|operation| operation.name == name)
}
