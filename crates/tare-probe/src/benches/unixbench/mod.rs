//! The UnixBench family: the twelve tests of the index of BYTE UNIX Benchmarks 5.1.3, written afresh
//! from what they measure. A load of N is N copies, whose rates are added up, as the original does.
//!
//! Results are in the unit of the original (named in every row's `about`), told in the store's:
//! lps is per second, lpm sixty of them, MWIPS a million, KBps 1024 bytes. Beside each stands the
//! published baseline, the result of a SPARCstation 20-61 that has an index of 10, as the counter
//! `index_baseline`. Samples and estimators are the original's: of ten windows (of three of the long
//! tests) the worst third is thrown away. Windows are short unless `--series` asks for more.
//!
//! Files are memory-backed wherever the layer can (see [`crate::scratch`]), where the original uses
//! the disk's file system.

mod copy;
mod script;

pub mod context1;
pub mod dhry2reg;
pub mod execl;
pub mod fsbuffer;
pub mod fsdisk;
pub mod fstime;
pub mod pipe;
pub mod shell1;
pub mod shell8;
pub mod spawn;
pub mod syscall;
pub mod whetstone_double;

use crate::bench::{Bench, COPIES, Measured, Op, Own, Refusal};
use crate::window;
use tare_proto::{Counter, Unit};

/// A million Whetstone instructions a second.
const MWIPS: f64 = 1e6;

/// KiB a second, which the original writes KBps.
const KBPS: f64 = 1024.0;

/// A loop a minute.
const LPM: f64 = 1.0 / 60.0;

/// A test that the original runs ten times for ten seconds.
const SHORT: (&str, u32, u64) = ("best-7-of-10", 10, 330);

/// A test that the original runs three times for half a minute.
const LONG: (&str, u32, u64) = ("best-2-of-3", 3, 400);

/// A script test, which takes a whole minute three times.
const SCRIPT: (&str, u32, u64) = ("best-2-of-3", 3, 600);

/// A row of the family.
const fn row(
    name: &'static str,
    about: &'static str,
    unit: Unit,
    (estimator, samples, series_ms): (&'static str, u32, u64),
    run: fn(&Own) -> Result<Measured, Refusal>,
) -> Bench {
    Bench {
        unit,
        estimator,
        samples,
        load: COPIES,
        loads: &[1, 0],
        series_ms,
        ..Bench::own(name, about, "unixbench", run)
    }
}

/// The rates of what `prepare` makes, beside the published baseline.
fn against(
    baseline: f64,
    own: &Own,
    prepare: fn() -> Result<Op, Refusal>,
) -> Result<Measured, Refusal> {
    let mut measured = window::processes(own, prepare)?;
    measured.counters.push(Counter::new("index_baseline", baseline));
    Ok(measured)
}
