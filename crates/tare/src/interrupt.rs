//! Ctrl-C and SIGTERM: the first asks the campaign to end, the second ends tare at once (its keepers
//! still remove every layer).

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};

static FLAG: OnceLock<Arc<AtomicBool>> = OnceLock::new();

pub fn listen() -> std::io::Result<()> {
    let asked = Arc::new(AtomicBool::new(false));
    for signal in [signal_hook::consts::SIGINT, signal_hook::consts::SIGTERM] {
        signal_hook::flag::register_conditional_shutdown(signal, 130, Arc::clone(&asked))?;
        signal_hook::flag::register(signal, Arc::clone(&asked))?;
    }
    FLAG.get_or_init(|| asked);
    Ok(())
}

/// Whether somebody has asked the campaign to end.
pub fn interrupted() -> bool {
    FLAG.get().is_some_and(|asked| asked.load(Ordering::Relaxed))
}
