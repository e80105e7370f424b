//! A layer whose memory the host keeps in another way than usual.

use crate::{BootSpec, Host, Keeper, Launch, Layer, Pages, SessionError, Unavailable};
use std::io;

/// `layer` with its pages kept like that.
pub(crate) fn kept(layer: Box<dyn Layer>, pages: Pages) -> Box<dyn Layer> {
    match pages == Pages::default() {
        true => layer,
        false => Box::new(Kept { layer, pages }),
    }
}

struct Kept {
    layer: Box<dyn Layer>,
    pages: Pages,
}

impl Layer for Kept {
    fn check(&self, host: &Host) -> Result<(), Unavailable> {
        self.layer.check(host)?;
        self.pages.check()
    }

    fn launch(&self, host: &Host, boot: &BootSpec) -> io::Result<Launch> {
        let mut launch = self.layer.launch(host, boot)?;
        if let Launch::Program(program) = &mut launch {
            program.pages = self.pages;
        }
        Ok(launch)
    }

    fn prepare(&self, host: &Host, keeper: &Keeper) -> Result<(), SessionError> {
        self.layer.prepare(host, keeper)
    }

    fn failures_last(&self) -> bool {
        self.layer.failures_last()
    }

    fn scripted(&self) -> bool {
        self.layer.scripted()
    }

    fn whole_series(&self) -> Option<&'static str> {
        self.layer.whole_series()
    }

    fn explain(&self, error: &SessionError, console: &str) -> Unavailable {
        self.layer.explain(error, console)
    }
}
