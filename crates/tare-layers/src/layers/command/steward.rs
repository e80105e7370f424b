//! What the boots of a campaign share: made once, and removed when the campaign ends, however it does. A keeper of its own sees
//! to that, whose layer is a probe that nobody asks anything.

use crate::layers::command::Command;
use crate::layers::command::values::Values;
use crate::{
    BootName, BootSpec, Host, Keeper, Launch, Layer, Program, Session, SessionError, Step,
    Unavailable,
};
use std::io;

/// Longest time for `prepare` and for `push`, in seconds: the probe may have far to go.
const PREPARING: u32 = 120;

struct Steward<'a>(&'a Command);

/// Runs `prepare` and `push`; what they made is removed when the session is dropped.
pub(crate) fn start(of: &Command, host: &Host, keeper: &Keeper) -> Result<Session, SessionError> {
    let name = BootName { id: of.campaign.clone(), ..BootName::default() };
    crate::start(&Steward(of), host, keeper, &name, &[], None, || false)
}

impl Layer for Steward<'_> {
    fn check(&self, _host: &Host) -> Result<(), Unavailable> {
        Ok(())
    }

    fn launch(&self, host: &Host, boot: &BootSpec) -> io::Result<Launch> {
        let Command { prepare, push, finish, .. } = self.0;
        let mut values = Values::new(self.0, host, boot);
        let mut whole = Program::default();
        for words in [prepare, push].into_iter().flatten() {
            let make = words.fill(|name| values.value(name))?;
            whole.setup.push(Step { make, undo: Vec::new(), seconds: Some(PREPARING) });
        }
        if let Some(words) = finish {
            whole.stop.push(words.fill(|name| values.value(name))?);
        }
        let idle = [host.probe.display().to_string(), "serve".to_owned()];
        let Program { program, args, env, .. } = self.0.program(&idle)?;
        Ok(Launch::Program(Program { program, args, env, ..whole }))
    }
}
