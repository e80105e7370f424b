//! The warehouse family: a transaction workload on CPU and memory, after the pattern that report 001
//! used SPECjbb for. No disk, no network, next to no system calls.
//!
//! A load of N is N warehouses, a thread each, with stock, customers and orders of its own; what they
//! share is the list of items. The working set of a warehouse is twice the last-level cache, so every
//! lookup misses cache and, in base pages, the TLB; where memory is short it is smaller (counters
//! `working_set_bytes`, `cache_bytes` and `huge_page_share` say what it was). A fifth of the time is
//! ramp-up and is thrown away; the rest is steady state, in ten windows whose rates are samples.
//!
//! The mix is TPC-C's, as in SPECjbb: of 100 transactions 44 are new orders, 44 payments, 4 each an
//! order's status, a delivery and a look at the stock.

pub mod mix;
pub mod mix_hugepage;

mod data;
mod transactions;

use crate::bench::{Bench, Measured, Own, Refusal};
use crate::memory::{Mapping, Pages};
use crate::watch::Watch;
use crate::{cache, free, window};
use data::{Item, Warehouse};
use std::time::Duration;
use tare_proto::Counter;

/// A warehouse's working set is this many last-level caches.
const CACHES: u64 = 2;

/// All warehouses take at most this part of the memory that is free.
const SHARE: u64 = 2;

/// A warehouse below this is none.
const LEAST: u64 = 2 << 20;

/// This part of the time is ramp-up.
const RAMP_UP: u32 = 5;

/// A row of the family.
const fn row(
    name: &'static str,
    about: &'static str,
    run: fn(&Own) -> Result<Measured, Refusal>,
) -> Bench {
    Bench {
        load: "warehouses",
        loads: &[1, 2, 4],
        waits: false,
        ..Bench::own(name, about, "warehouse", run)
    }
}

/// Transactions per second of `own.load` warehouses in memory of `pages`.
fn measure(own: &Own, pages: Pages) -> Result<Measured, Refusal> {
    let size = working_set(own.load)?;
    let memory = || Mapping::anonymous(size as usize, pages);
    let mut maps = (0..own.load).map(|_| memory()).collect::<Result<Vec<_>, _>>()?;
    let items = data::items();
    let houses = maps.iter_mut().zip(1..).map(|(map, seed)| Warehouse::stocked(map, seed));
    let mut houses: Vec<Warehouse> = houses.collect();
    let turn = |house: &mut &mut Warehouse, count: u64| turns(house, &items, count);
    let ramp_up = own.limit / RAMP_UP;
    let ramp = Own { samples: 1, watch: &Watch::nothing(), ..part(own, ramp_up) };
    window::threads(&ramp, houses.iter_mut().collect(), turn)?;
    let steady = part(own, own.limit - ramp_up);
    let mut measured = window::threads(&steady, houses.iter_mut().collect(), turn)?;
    if let Some(wrong) = houses.iter().find_map(Warehouse::fault) {
        return Err(Refusal::Failed(wrong));
    }
    drop(houses);
    let all = size * u64::from(own.load);
    let huge = maps.iter().map(Mapping::huge).sum::<Option<u64>>();
    if pages == Pages::Huge && huge.unwrap_or(0) < all / 2 {
        let why = "huge pages were asked for, and this layer gives none or does not say so";
        return Err(Refusal::Unavailable(why.into()));
    }
    measured.counters.push(Counter::new("working_set_bytes", all as f64));
    measured.counters.push(Counter::new("cache_bytes", cache::last_level() as f64));
    let share = huge.map(|huge| Counter::new("huge_page_share", huge as f64 / all as f64));
    measured.counters.extend(share);
    Ok(measured)
}

fn part<'a>(own: &Own<'a>, limit: Duration) -> Own<'a> {
    Own { limit, ..*own }
}

fn turns(house: &mut Warehouse, items: &[Item], count: u64) {
    for _ in 0..count {
        transactions::one(house, items);
    }
}

/// Bytes of one warehouse of `load`, whole huge pages.
fn working_set(load: u32) -> Result<u64, Refusal> {
    let free = free::memory().unwrap_or(256 << 20);
    let size = (CACHES * cache::last_level()).min(free / SHARE / u64::from(load.max(1)));
    if size < LEAST {
        let free = free >> 20;
        return Err(Refusal::Unavailable(format!(
            "{free} MiB of memory are free, too little for {load} warehouses"
        )));
    }
    Ok(size / LEAST * LEAST)
}
