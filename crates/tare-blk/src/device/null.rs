//! Answers at once and touches no memory: what is left is what lies above a device.

use super::{Begun, Device, Io};

pub struct Null;

impl Device for Null {
    unsafe fn begin(&mut self, _token: u32, _io: &Io<'_>) -> Begun {
        Begun::Done(true)
    }
}
