//! The multiuser mix: every user does the suite's jobs as often as they weigh, in an order of its own, all at
//! once. Files are in the scratch folder, or on a disk.
//!
//! The value is jobs a minute of all users together, from the first one's start to the last one's end, as AIM
//! counts. Its users do a hundred jobs each, drawn by weight; here the weights are kept exactly, which makes 78.

use super::{SUITE, TESTS, WEIGHT, room, text::next};
use crate::bench::{Bench, Kind, Measured, Own, Refusal};
use crate::budget::{Budget, enough};
use crate::clock::now_ns;
use crate::crew::{Member, Post};
use crate::on_disk::OnDisk;
use crate::scratch;
use std::time::Duration;
use tare_proto::{Counter, Unit};

pub const ROWS: &[Bench] = &[
    mix("aim7/mix", "the multiuser mix: 78 jobs a user, files in memory", |own| {
        scratch::folder();
        measure(own)
    }),
    Bench {
        needs: "files",
        ..mix("aim7/mix-disk", "the multiuser mix: 78 jobs a user, files on a disk", |own| {
            let _back = OnDisk::enter().map_err(Refusal::Unavailable)?;
            measure(own)
        })
    },
];

const fn mix(
    name: &'static str,
    about: &'static str,
    run: fn(&Own) -> Result<Measured, Refusal>,
) -> Bench {
    Bench {
        unit: Unit::PerMinute,
        samples: 2,
        load: "users",
        loads: &[1, 2, 4],
        series_ms: 6000,
        ..Bench::own(name, about, SUITE, run)
    }
}

/// What a series may take beyond three times its limit; the host waits a little longer.
const GRACE: Duration = Duration::from_secs(8);

fn measure(own: &Own) -> Result<Measured, Refusal> {
    let budget = Budget::new(now_ns(), own.limit.as_millis() as u64);
    let (jobs, left_out) = jobs()?;
    room::has_room_for(own.load)?;
    let users = (0..own.load).map(|number| start(number, &jobs)).collect::<Result<Vec<_>, _>>()?;
    round(&users, 0)?; // all have started
    let mut samples = Vec::new();
    let mut last = 0;
    while !enough(samples.len(), own.samples, &budget, last, now_ns()) {
        let (ns, done) =
            own.watch.sample(|| round(&users, budget.deadline(3, GRACE.as_nanos() as u64)))?;
        let all = u64::from(own.load) * jobs.len() as u64;
        if done < all && samples.is_empty() {
            let text =
                format!("in the time of a series {} users did {done} of {all} jobs", own.load);
            return Err(Refusal::Unavailable(text + "; --series gives them more"));
        } else if done < all {
            break;
        }
        samples.push(all as f64 * 60e9 / ns as f64);
        last = ns;
    }
    let counters = vec![
        Counter::new("jobs_a_user", jobs.len() as f64),
        Counter::new("tests_left_out", f64::from(left_out)),
    ];
    Ok(Measured { samples, ops: jobs.len() as u64, warmup: 0, counters })
}

/// The jobs of one user, and how many tests cannot run here. Preparing each shows what it weighs and needs.
pub fn jobs() -> Result<(Vec<&'static Bench>, u32), Refusal> {
    let (mut jobs, mut left_out) = (Vec::new(), 0);
    for bench in TESTS.iter().copied().flatten() {
        let Kind::Loop(prepare) = bench.kind else { continue };
        match prepare() {
            Ok(op) => {
                let weight = op.counters.iter().find(|c| c.name == WEIGHT).map_or(1.0, |c| c.value);
                jobs.extend(std::iter::repeat_n(bench, weight as usize));
            }
            Err(Refusal::Unavailable(_)) => left_out += 1,
            Err(failed) => return Err(failed),
        }
    }
    Ok((jobs, left_out))
}

/// Lets every user do its jobs once, as far as it comes by `deadline`: nanoseconds from the first start to the last end,
/// and the jobs that were done.
fn round(users: &[Member], deadline: u64) -> Result<(u64, u64), Refusal> {
    let early = |_| Refusal::Failed("a user ended early: a job failed under this load".into());
    for user in users {
        user.order([deadline]).map_err(early)?;
    }
    let (mut first, mut last, mut all) = (u64::MAX, 0, 0);
    for user in users {
        let [began, ended, done] = user.answer().map_err(early)?;
        first = first.min(began);
        last = last.max(ended);
        all += done;
    }
    Ok((last.saturating_sub(first).max(1), all))
}

/// A process that does the jobs when it is told to.
fn start(number: u32, jobs: &[&'static Bench]) -> Result<Member, Refusal> {
    let refused = |e| Refusal::Unavailable(format!("user {number} cannot be started: {e}"));
    Member::start(|post| work(number, jobs.to_vec(), post)).map_err(refused)
}

fn work(number: u32, mut jobs: Vec<&'static Bench>, post: &Post) -> i32 {
    let mut state = 2_463_534_242 ^ number;
    while let Some([deadline]) = post.order() {
        for at in (1..jobs.len()).rev() {
            jobs.swap(at, next(&mut state) as usize % (at + 1));
        }
        let began = now_ns();
        let mut done = 0;
        for job in &jobs {
            if now_ns() >= deadline {
                break;
            }
            if !once(job) {
                return 1;
            }
            done += 1;
        }
        if post.answer([began, now_ns(), done]).is_none() {
            return 0;
        }
    }
    0
}

/// Does a job once, its files and connections made before and gone after; whether it could be prepared.
pub fn once(job: &Bench) -> bool {
    let Kind::Loop(prepare) = job.kind else { return false };
    let Ok(mut op) = prepare() else { return false };
    (op.terms[0].batch)(1);
    true
}
