//! A layer that lacks something which is made for it before any layer is checked, as the image of a root is.

use crate::{BootSpec, Host, Launch, Layer, Unavailable};
use std::io;

/// Stands for a layer that cannot run, and says `why`.
pub fn lacking(why: Unavailable) -> Box<dyn Layer> {
    Box::new(Lacking(why))
}

struct Lacking(Unavailable);

impl Layer for Lacking {
    fn check(&self, _host: &Host) -> Result<(), Unavailable> {
        Err(self.0.clone())
    }

    fn launch(&self, _host: &Host, _boot: &BootSpec) -> io::Result<Launch> {
        Err(self.0.clone().into())
    }
}
