//! The names of requests that are no benchmarks: the host prepares, by them, what a layer is saved with, and looks at it afterwards.

/// Fills as many MiB of memory as its load says.
pub const STATE_FILL: &str = "state/fill";
/// Starts the request's program as what the layer holds, and asks it for its first line.
pub const STATE_COMMAND: &str = "state/command";
/// Writes into each page of that memory.
pub const STATE_TOUCH: &str = "state/touch";
/// Looks up some entries of that memory, as a server with a warm cache does, or asks the program for a line; one sample a time.
/// There are fewer where the request's time is over before.
pub const STATE_REQUEST: &str = "state/request";
/// Says the realtime clock, and what should differ between copies of a layer (in the note).
pub const STATE_IDENTITY: &str = "state/identity";
