//! What runs have used of the machine, as the layer's kernel counts it.

use tare_proto::{Counter, counter};

/// Bytes in a block of `ru_inblock` and `ru_oublock`.
const BLOCK: f64 = 512.0;

/// Sums over runs; the memory is the largest.
#[derive(Default)]
pub struct Usage {
    user: f64,
    system: f64,
    faults: [f64; 2],
    switches: [f64; 2],
    bytes: [f64; 2],
    peak: f64,
    transfers: Option<f64>,
}

impl Usage {
    /// Adds a run.
    pub fn add(&mut self, run: &libc::rusage, transfers: Option<f64>) {
        let seconds = |time: libc::timeval| time.tv_sec as f64 + time.tv_usec as f64 / 1e6;
        self.user += seconds(run.ru_utime);
        self.system += seconds(run.ru_stime);
        let add = |sums: &mut [f64; 2], of: [libc::c_long; 2]| {
            sums.iter_mut().zip(of).for_each(|(sum, of)| *sum += of as f64);
        };
        add(&mut self.faults, [run.ru_minflt, run.ru_majflt]);
        add(&mut self.switches, [run.ru_nvcsw, run.ru_nivcsw]);
        add(&mut self.bytes, [run.ru_inblock, run.ru_oublock]);
        self.peak = self.peak.max(run.ru_maxrss as f64 * 1024.0);
        self.transfers = transfers.map(|more| more + self.transfers.unwrap_or(0.0));
    }

    /// Context switches of one of `runs`, wanted or not: who is woken in a pipe often takes the place of who woke it.
    pub fn all_switches(&self, runs: usize) -> f64 {
        self.switches.iter().sum::<f64>() / runs.max(1) as f64
    }

    /// Reads and writes of one of `runs`, where the kernel counts them.
    pub fn transfers(&self, runs: usize) -> Option<f64> {
        self.transfers.map(|all| all / runs.max(1) as f64)
    }

    /// The figures of one of `runs`. A kernel that counts none of a kind (gVisor's no faults) has no figure for it.
    pub fn counters(&self, runs: usize) -> Vec<Counter> {
        let each = 1.0 / runs.max(1) as f64;
        let mut all = vec![
            Counter::new(counter::RUN_USER, self.user * each),
            Counter::new(counter::RUN_SYSTEM, self.system * each),
        ];
        let mut pair = |names: [&str; 2], sums: [f64; 2], unit: f64| {
            if sums != [0.0; 2] {
                let both = names.into_iter().zip(sums);
                all.extend(both.map(|(name, sum)| Counter::new(name, sum * each * unit)));
            }
        };
        pair(["run_faults_minor", "run_faults_major"], self.faults, 1.0);
        pair(["run_switches_voluntary", "run_switches_forced"], self.switches, 1.0);
        pair(["run_bytes_read", "run_bytes_written"], self.bytes, BLOCK);
        if self.peak > 0.0 {
            all.push(Counter::new("run_peak_bytes", self.peak));
        }
        all
    }
}
