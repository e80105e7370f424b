//! Whether CRIU could save a container of runc or crun on this host, as it says itself.

use crate::Unavailable;
use crate::layer::SAVED_KINDS;
use std::sync::OnceLock;
use std::time::Duration;
use tare_keeper::{ProgramError, programs};

/// How long CRIU may look at this kernel.
const LOOK: Duration = Duration::from_secs(10);

/// What it said, which no setting of a layer alters.
static TRIED: OnceLock<Result<(), Unavailable>> = OnceLock::new();

/// Why a container of `runtime` is not saved here.
pub(crate) fn check(runtime: &str) -> Result<(), Unavailable> {
    TRIED.get_or_init(tried).clone()?;
    let why = format!("CRIU works on this host, but tare does not save containers of {runtime}");
    Err(Unavailable::new(why, SAVED_KINDS))
}

fn tried() -> Result<(), Unavailable> {
    let criu = programs::find("criu").map_err(|_| {
        Unavailable::without_package("CRIU, which saves such containers, is not there", "criu")
    })?;
    // It says what is missing first, and what follows from that last.
    let script =
        "said=$(\"$0\" check 2>&1) || { printf '%s\\n' \"$said\" | grep -m 1 Error >&2; exit 1; }";
    let mut look = programs::plain("sh");
    look.args(["-c", script]).arg(criu);
    let failed = |error| {
        let why = match error {
            ProgramError::Failed { said, .. } => said, // CRIU's words, not the shell's
            other => other.to_string(),
        };
        let why = format!("CRIU, which saves such containers, fails on this host: {why}");
        Unavailable::new(why, format!("try a CRIU made for this kernel, or {SAVED_KINDS}"))
    };
    programs::output(&mut look, LOOK).map(drop).map_err(failed)
}
