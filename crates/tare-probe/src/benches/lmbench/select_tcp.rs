//! lmbench "slct TCP": select(2) for writing, without waiting, on 100 duplicates of one end of a
//! TCP connection over loopback.
//!
//! lmbench passes 100 as the number of descriptors to look at, so its duplicates with higher numbers are out of
//! range, and how many these are depends on what else it has open: the lmbench 3 that is public today, with the
//! pipes of its timing, looks at 90. So many are looked at here, whatever the numbers, to give its values.

use super::latency;
use crate::bench::{Bench, Op, Refusal};
use crate::sys::{check, must};
use std::io;
use std::mem::MaybeUninit;
use std::net::{TcpListener, TcpStream};
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd};
use std::ptr;

pub const BENCH: Bench = latency(
    "lmbench/select_tcp",
    "one select(2) for writing on 100 TCP descriptors, 90 of them in its range",
    prepare,
);

const DUPLICATES: usize = 100;
const LOOKED_AT: usize = 90;

fn prepare() -> Result<Op, Refusal> {
    let (near, far) = connection()
        .map_err(|e| Refusal::Unavailable(format!("no TCP connection over loopback: {e}")))?;
    let duplicates = (0..DUPLICATES).map(|_| duplicate(&near)).collect::<io::Result<Vec<_>>>()?;
    // Numbers are given out in ascending order, so the range ends after the last one looked at.
    let range = duplicates[LOOKED_AT - 1].as_raw_fd() + 1;
    if duplicates[DUPLICATES - 1].as_raw_fd() as usize >= libc::FD_SETSIZE {
        return Err(Refusal::Unavailable("too many descriptors are open for select(2)".into()));
    }
    // SAFETY: all zeros is the empty set.
    let mut wanted: libc::fd_set = unsafe { MaybeUninit::zeroed().assume_init() };
    for one in &duplicates {
        // SAFETY: the number is below FD_SETSIZE.
        unsafe { libc::FD_SET(one.as_raw_fd(), &mut wanted) };
    }
    let mut now = libc::timeval { tv_sec: 0, tv_usec: 0 };
    let none = ptr::null_mut();
    Ok(Op::new(move || {
        let _keep = (&duplicates, &far);
        let mut ready = wanted;
        // SAFETY: `ready` and `now` are valid for the call; the other sets are absent.
        let found = unsafe { libc::select(range, none, &mut ready, none, &mut now) };
        must("select", found == LOOKED_AT as libc::c_int);
    }))
}

fn connection() -> io::Result<(TcpStream, TcpStream)> {
    let listener = TcpListener::bind("127.0.0.1:0")?;
    let near = TcpStream::connect(listener.local_addr()?)?;
    let (far, _) = listener.accept()?;
    Ok((near, far))
}

fn duplicate(stream: &TcpStream) -> io::Result<OwnedFd> {
    // SAFETY: dup has no memory preconditions.
    let number = check("dup", unsafe { libc::dup(stream.as_raw_fd()) })?;
    // SAFETY: dup has just made it, and nobody else owns it.
    Ok(unsafe { OwnedFd::from_raw_fd(number) })
}
