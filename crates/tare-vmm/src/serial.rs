//! The two serial ports.

use crate::exits::Totals;
use crate::line::CountingLine;
use kvm_ioctls::VmFd;
use std::io::{self, LineWriter, Read, Stderr, Stdout, Write};
use std::ops::RangeInclusive;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use vm_superio::serial::{NoEvents, SerialEvents};
use vm_superio::{Serial, Trigger};

/// Addresses and interrupts of a PC's first two ports.
pub const CONSOLE: RangeInclusive<u16> = 0x3f8..=0x3ff;
pub const LINE: RangeInclusive<u16> = 0x2f8..=0x2ff;
const CONSOLE_INTERRUPT: u32 = 4;
const LINE_INTERRUPT: u32 = 3;

/// How long input waits at most before it tries a port again that took none: one in loop-back mode says nothing
/// when it leaves it.
const AGAIN: Duration = Duration::from_millis(10);

pub struct Interrupt {
    machine: Arc<VmFd>,
    number: u32,
}

impl Trigger for Interrupt {
    type E = kvm_ioctls::Error;

    fn trigger(&self) -> Result<(), Self::E> {
        self.machine.set_irq_line(self.number, true)?;
        self.machine.set_irq_line(self.number, false)
    }
}

/// Wakes the input when the guest has taken all of it.
pub struct Taken(Arc<Condvar>);

impl SerialEvents for Taken {
    fn buffer_read(&self) {}
    fn out_byte(&self) {}
    fn tx_lost_byte(&self) {}
    fn in_buffer_empty(&self) {
        self.0.notify_one();
    }
}

pub type Count = Box<dyn FnMut() -> Totals + Send>;

type LinePort = Serial<Interrupt, Taken, CountingLine<Stdout, Count>>;

pub struct Ports {
    console: Serial<Interrupt, NoEvents, Text<Stderr>>,
    line: Arc<Mutex<LinePort>>,
    taken: Arc<Condvar>,
    /// Bytes that the line's port holds for the guest at most.
    room: usize,
}

impl Ports {
    /// The ports of `machine`; `count` is asked for what was counted around each series.
    pub fn new(machine: &Arc<VmFd>, count: Count) -> Ports {
        let interrupt = |number| Interrupt { machine: machine.clone(), number };
        let taken = Arc::new(Condvar::new());
        let line = CountingLine::new(io::stdout(), count);
        let line = Serial::with_events(interrupt(LINE_INTERRUPT), Taken(taken.clone()), line);
        let room = line.fifo_capacity();
        Ports {
            room,
            console: Serial::new(interrupt(CONSOLE_INTERRUPT), Text(LineWriter::new(io::stderr()))),
            line: Arc::new(Mutex::new(line)),
            taken,
        }
    }

    pub fn console_write(&mut self, at: u16, value: u8) -> Result<(), String> {
        self.console.write(at as u8, value).map_err(|e| e.to_string())
    }

    pub fn console_read(&mut self, at: u16) -> u8 {
        self.console.read(at as u8)
    }

    pub fn line_write(&self, at: u16, value: u8) -> Result<(), String> {
        lock(&self.line).write(at as u8, value).map_err(|e| e.to_string())
    }

    pub fn line_read(&self, at: u16) -> u8 {
        let mut port = lock(&self.line);
        let before = port.fifo_capacity();
        let byte = port.read(at as u8);
        if before < port.fifo_capacity() && port.fifo_capacity() == self.room {
            port.writer_mut().heard();
        }
        byte
    }

    /// Gives the guest what comes on `input`, as fast as it takes it; runs until its end.
    pub fn feed(&self, mut input: impl Read + Send + 'static) {
        let (line, taken) = (self.line.clone(), self.taken.clone());
        std::thread::spawn(move || {
            let mut bytes = [0; 4096];
            while let Ok(size @ 1..) = input.read(&mut bytes) {
                put(&line, &taken, &bytes[..size]);
            }
        });
    }
}

fn put(line: &Mutex<LinePort>, taken: &Condvar, mut bytes: &[u8]) {
    let mut port = lock(line);
    while !bytes.is_empty() {
        let room = port.fifo_capacity().min(bytes.len());
        let put = port.enqueue_raw_bytes(&bytes[..room]).unwrap_or(0);
        bytes = &bytes[put..];
        if put == 0 {
            port = taken.wait_timeout(port, AGAIN).unwrap_or_else(PoisonError::into_inner).0;
        }
    }
}

/// A panic elsewhere ends the process; the port is whole.
fn lock(line: &Mutex<LinePort>) -> MutexGuard<'_, LinePort> {
    line.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Writes lines whole, though the port flushes each byte.
pub struct Text<W: Write>(LineWriter<W>);

impl<W: Write> Write for Text<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
