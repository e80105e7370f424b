//! A loop benchmark in several copies at once: as many processes, each with an operation of its own,
//! that start every batch together.
//!
//! A sample is the time from the start of the first copy to the end of the last, divided by the
//! operations of one copy: with a CPU for each, and nothing shared, it is what one copy alone
//! takes. Batches are long against a wake-up ([`SHORTEST_BATCH`]), which is part of them.

use crate::bench::{Batch, Op, Refusal};
use crate::budget::Budget;
use crate::clock::now_ns;
use crate::costs::Costs;
use crate::crew::{Member, Post};
use crate::free;
use crate::mark;
use crate::sampling::{Fitted, fit, take};
use crate::turns::Turns;
use tare_proto::Request;

/// Shortest batch of copies, in nanoseconds: a late wake-up of one copy is then below a percent.
const SHORTEST_BATCH: u64 = 10_000_000;

/// A batch takes at most this part of the time.
const BATCH_SHARE: u64 = 10;

/// Most copies: what a probe may start on an untried layer without asking.
const MOST: u32 = 512;

/// Measures `copies` of what `prepare` makes.
pub fn measure(
    prepare: fn() -> Result<Op, Refusal>,
    copies: u32,
    request: &Request,
    begin: u64,
    turns: &Turns,
) -> Result<Costs, Refusal> {
    if copies > MOST {
        return Err(Refusal::Unavailable(format!("{copies} copies are more than {MOST}")));
    }
    let before = free::memory();
    let Op { terms, per, counters } = prepare()?; // what cannot be prepared is known before copies are made
    let files = before.zip(free::memory()).map_or(0, |(before, now)| before.saturating_sub(now));
    free::memory_for(copies, "copies", free::PROCESS + files)?;
    let signs: Vec<f64> = terms.iter().map(|term| term.sign).collect();
    drop(terms);
    let crew = (0..copies).map(|_| start(prepare)).collect::<Result<Vec<_>, _>>()?;
    let budget = Budget::new(begin, request.limit_ms);
    let share = budget.limit / signs.len() as u64 / BATCH_SHARE;
    let target = request.batch_ns.max(SHORTEST_BATCH).min(share);
    let fitted = (0..signs.len()).map(|term| fit(target, false, |ops| round(&crew, term, ops)));
    let fitted = fitted.collect::<Result<Vec<Fitted>, _>>()?;
    mark::series(request.id, per);
    turns.prepared(target * signs.len() as u64);
    let taken = take(request.samples, &budget, turns, || {
        let cost = |(term, fitted): (usize, &Fitted)| {
            mark::batch(term, signs[term], fitted.ops);
            mark::begin();
            let ns = round(&crew, term, fitted.ops);
            mark::end();
            Ok(ns? as f64 / fitted.ops as f64)
        };
        fitted.iter().enumerate().map(cost).collect::<Result<Vec<f64>, _>>()
    })?;
    mark::end_of_series();
    let turns = turns.taken(taken.len());
    Ok(Costs {
        taken,
        signs,
        per,
        ops: fitted[0].ops,
        warmup: fitted.iter().map(|one| one.tries).sum::<u32>() + turns.len() as u32,
        turns,
        short_batch: false,
        counters,
        note: String::new(),
    })
}

/// Nanoseconds from the first start to the last end of a batch in every copy.
fn round(crew: &[Member], term: usize, ops: u64) -> Result<u64, Refusal> {
    crew.iter().try_for_each(|copy| copy.order([term as u64, ops]))?;
    let mut first = u64::MAX;
    let mut last = 0;
    for copy in crew {
        let [began, ended] = copy.answer()?;
        first = first.min(began);
        last = last.max(ended);
    }
    Ok(last.saturating_sub(first))
}

/// A process that runs batches when it is told to (term, operations), and answers (begin, end).
fn start(prepare: fn() -> Result<Op, Refusal>) -> Result<Member, Refusal> {
    Ok(Member::start(|post| match prepare() {
        Ok(op) => obey(post, op.terms.into_iter().map(|term| term.batch).collect()),
        Err(_) => 1,
    })?)
}

fn obey(post: &Post, mut batches: Vec<Batch>) -> i32 {
    while let Some([term, ops]) = post.order() {
        let Some(batch) = batches.get_mut(term as usize) else { return 1 };
        let began = now_ns();
        batch(ops);
        if post.answer([began, now_ns()]).is_none() {
            return 0;
        }
    }
    0
}
