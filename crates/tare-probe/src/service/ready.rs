//! Waits until a service takes requests.

use super::opening;
use super::target::Target;
use std::io;
use std::thread;
use std::time::{Duration, Instant};

/// Between two tries to connect.
const PAUSE: Duration = Duration::from_millis(10);

/// Longest try to connect.
const ONE_TRY: Duration = Duration::from_secs(1);

/// Most bytes of an answer; nothing is asked yet.
const ANSWER: usize = 64 << 10;

/// Why a service is not reached from outside, most often.
const BOUND: &str =
    "; a server that listens at 127.0.0.1 is not reached from outside, let it listen at 0.0.0.0";

/// Waits until the service at the target's address takes requests, as long as that is `wanted`.
pub fn wait_for(
    target: &Target,
    patience: Duration,
    wanted: &dyn Fn() -> bool,
) -> Result<(), String> {
    let begin = Instant::now();
    loop {
        let within = patience.saturating_sub(begin.elapsed()).clamp(PAUSE, ONE_TRY);
        let error = match opening::open(target, ANSWER, within) {
            Ok(_) => return Ok(()),
            Err(error) => error,
        };
        if is_early(&error) && begin.elapsed() < patience && wanted() {
            thread::sleep(PAUSE);
            continue;
        }
        let address = target.address;
        return Err(match error.get_ref() {
            Some(said) => format!("the service at {address} refuses a connection: {said}"),
            None => {
                let hint = if address.ip().is_loopback() { "" } else { BOUND };
                format!("nothing answers at {address}: {error}{hint}")
            }
        });
    }
}

/// Whether a service that is only beginning refuses like this.
fn is_early(error: &io::Error) -> bool {
    use io::ErrorKind::{
        ConnectionRefused, ConnectionReset, NetworkUnreachable, TimedOut, UnexpectedEof,
    };
    [ConnectionRefused, ConnectionReset, NetworkUnreachable, TimedOut, UnexpectedEof]
        .contains(&error.kind())
}
