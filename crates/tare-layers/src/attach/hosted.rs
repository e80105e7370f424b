//! A layer with what the host does for it as for any other: how it keeps the memory of its processes, and where its own knobs stand.

use crate::attach::{knobs, pages};
use crate::{
    BootSpec, Cpus, Host, Keeper, Launch, Layer, Pages, SessionError, Setting, SettingError,
    Settings, Unavailable, Whose,
};
use std::io;

/// `layer` with what `settings` say of that, where its kind has `known` ones.
pub(crate) fn hosted(
    layer: Box<dyn Layer>,
    known: &[Setting],
    settings: &Settings,
) -> Result<Box<dyn Layer>, SettingError> {
    let pages = pages::read(known, settings)?;
    let knobs = knobs::read(settings)?;
    match pages == Pages::default() && knobs.is_empty() {
        true => Ok(layer),
        false => Ok(Box::new(Hosted { layer, pages, knobs })),
    }
}

struct Hosted {
    layer: Box<dyn Layer>,
    pages: Pages,
    /// By name.
    knobs: Vec<(String, String)>,
}

impl Layer for Hosted {
    fn check(&self, host: &Host) -> Result<(), Unavailable> {
        self.layer.check(host)?;
        self.pages.check()?;
        knobs::check(&self.knobs)
    }

    fn snapshot(&self, host: &Host) -> Result<(), Unavailable> {
        self.layer.snapshot(host)
    }

    fn launch(&self, host: &Host, boot: &BootSpec) -> io::Result<Launch> {
        let mut launch = self.layer.launch(host, boot)?;
        if let Launch::Program(program) = &mut launch {
            program.pages = self.pages;
            program.knobs.clone_from(&self.knobs);
        }
        Ok(launch)
    }

    fn prepare(&self, host: &Host, keeper: &Keeper) -> Result<(), SessionError> {
        keeper.take_knobs(&self.knobs, &host.cache)?;
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

    fn cpus(&self) -> Cpus {
        self.layer.cpus()
    }

    fn has_modes(&self) -> bool {
        self.layer.has_modes()
    }

    fn whose(&self) -> &'static [Whose] {
        self.layer.whose()
    }

    fn explain(&self, error: &SessionError, console: &str) -> Unavailable {
        match error {
            SessionError::Knob { why, remedy } => {
                Unavailable::new(format!("a knob of this host: {why}"), *remedy)
            }
            error => self.layer.explain(error, console),
        }
    }
}
