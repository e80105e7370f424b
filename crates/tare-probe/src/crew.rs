//! A crew: processes that wait for orders and answer them. Orders and answers are a few numbers on a pipe.

use crate::bench::Refusal;
use crate::process::Child;
use crate::sys::pipe;
use std::io;
use std::os::fd::{AsRawFd, OwnedFd};

/// One process of a crew. Dropping it kills it.
pub struct Member {
    orders: OwnedFd,
    answers: OwnedFd,
    process: Child,
}

/// What a member has of its pipes.
pub struct Post {
    orders: OwnedFd,
    answers: OwnedFd,
}

impl Member {
    /// Starts a process that does `work` until it has no more orders.
    pub fn start(work: impl FnOnce(&Post) -> i32) -> io::Result<Member> {
        let ((theirs, orders), (answers, told)) = (pipe()?, pipe()?);
        let post = Post { orders: theirs, answers: told };
        let process = Child::start(|| {
            // SAFETY: this process has its own copy of the descriptor, which it does not use: the end of the orders
            // must be seen when the parent closes its own.
            unsafe { libc::close(orders.as_raw_fd()) };
            work(&post)
        })?;
        Ok(Member { orders, answers, process })
    }

    /// Tells it to do something.
    pub fn order<const N: usize>(&self, numbers: [u64; N]) -> Result<(), Refusal> {
        put(&self.orders, numbers).ok_or_else(early)
    }

    /// Waits for what it answers.
    pub fn answer<const N: usize>(&self) -> Result<[u64; N], Refusal> {
        get(&self.answers).ok_or_else(early)
    }

    /// Lets it end by itself, with its files removed. Of a crew, the last first: every member holds the writing ends of
    /// those before it.
    pub fn finish(self) {
        drop(self.orders);
        let _ = self.process.finish(); // what it had to say, it said
    }
}

impl Post {
    /// The next order; `None` when there are no more.
    pub fn order<const N: usize>(&self) -> Option<[u64; N]> {
        get(&self.orders)
    }

    /// Answers; `None` when nobody listens.
    pub fn answer<const N: usize>(&self, numbers: [u64; N]) -> Option<()> {
        put(&self.answers, numbers)
    }
}

fn early() -> Refusal {
    Refusal::Failed("a copy ended early".into())
}

/// Writes numbers to a pipe, all at once, as pipes take so few; `None` when nobody reads them.
fn put<const N: usize>(pipe: &OwnedFd, numbers: [u64; N]) -> Option<()> {
    let size = size_of_val(&numbers);
    // SAFETY: pointer and size are of the same array.
    let write = || unsafe { libc::write(pipe.as_raw_fd(), numbers.as_ptr().cast(), size) };
    (uninterrupted(write) == size as isize).then_some(())
}

/// Reads as many numbers from a pipe; `None` at its end.
fn get<const N: usize>(pipe: &OwnedFd) -> Option<[u64; N]> {
    let mut numbers = [0u64; N];
    let size = size_of_val(&numbers);
    // SAFETY: pointer and size are of the same array, and any bytes are valid numbers.
    let read = || unsafe { libc::read(pipe.as_raw_fd(), numbers.as_mut_ptr().cast(), size) };
    (uninterrupted(read) == size as isize).then_some(numbers)
}

/// `call` again for as long as signals interrupt it.
fn uninterrupted(mut call: impl FnMut() -> isize) -> isize {
    loop {
        let done = call();
        if done >= 0 || io::Error::last_os_error().kind() != io::ErrorKind::Interrupted {
            return done;
        }
    }
}
