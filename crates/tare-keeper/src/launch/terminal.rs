//! A terminal as a layer's standard input and output: some monitors read a serial line from nothing else. The keeper carries what
//! comes and goes between it and the pipes to tare.

use nix::fcntl::{FcntlArg, FdFlag, fcntl};
use nix::pty::openpty;
use nix::sys::termios::{SetArg, cfmakeraw, tcgetattr, tcsetattr};
use std::fs::File;
use std::io::{self, Read, Write};
use std::os::fd::AsFd;
use std::process::Command;
use std::thread;

pub(crate) struct Terminal(File);

/// Gives `command` a terminal that changes nothing of what passes. Whoever drops the command afterwards has no copy of the
/// layer's side, so that its end is seen.
pub(crate) fn give(command: &mut Command) -> io::Result<Terminal> {
    let pair = openpty(None, None)?;
    for side in [&pair.master, &pair.slave] {
        fcntl(side, FcntlArg::F_SETFD(FdFlag::FD_CLOEXEC))?;
    }
    let mut raw = tcgetattr(&pair.slave)?;
    cfmakeraw(&mut raw);
    tcsetattr(&pair.slave, SetArg::TCSANOW, &raw)?;
    command.stdin(pair.slave.try_clone()?).stdout(pair.slave);
    Ok(Terminal(pair.master.into()))
}

impl Terminal {
    /// Carries from now on, with copies of this process's own standard input and output.
    pub(crate) fn carry(self) -> io::Result<()> {
        let (from_tare, to_layer) =
            (io::stdin().as_fd().try_clone_to_owned()?, self.0.try_clone()?);
        let to_tare = io::stdout().as_fd().try_clone_to_owned()?;
        let start =
            |from: File, to: File| thread::Builder::new().spawn(move || carry(from, to)).map(drop);
        start(self.0, to_tare.into())?;
        start(from_tare.into(), to_layer)
    }
}

/// Until one of them has gone. The last of a terminal's other side to go leaves an error instead of an end.
fn carry(mut from: File, mut to: File) {
    let mut some = [0; 4096];
    loop {
        match from.read(&mut some) {
            Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
            Ok(0) | Err(_) => return,
            Ok(bytes) => {
                if to.write_all(&some[..bytes]).is_err() {
                    return;
                }
            }
        }
    }
}
