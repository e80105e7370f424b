//! The lmbench family: latencies as Larry McVoy and Carl Staelin define them.

pub mod null_call;
