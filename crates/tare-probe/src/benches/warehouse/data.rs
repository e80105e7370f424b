//! What a warehouse holds: stock, customers and orders, in one region of memory.

use crate::memory::Mapping;
use crate::numbers;

/// Lines of an order at most.
pub const LINES: usize = 15;

/// Items that can be ordered.
pub const ITEMS: usize = 20_000;

/// Districts of a warehouse.
pub const DISTRICTS: usize = 10;

/// What a balance begins with.
const BALANCE: i64 = 100_000;

pub struct Item {
    /// In cents.
    pub price: i64,
}

/// What a warehouse has of an item: a cache line.
#[derive(Clone, Copy)]
#[repr(C, align(64))]
pub struct Stock {
    pub quantity: i64,
    pub sold: i64,
    pub orders: i64,
    pub labels: [u32; DISTRICTS],
}

/// A customer: two cache lines.
#[derive(Clone, Copy)]
#[repr(C, align(64))]
pub struct Customer {
    /// In cents.
    pub balance: i64,
    /// In cents.
    pub paid: i64,
    pub payments: u64,
    pub order: u64,
    /// What is written about the last payment.
    pub note: [u8; 96],
}

#[derive(Clone, Copy)]
#[repr(C)]
pub struct OrderLine {
    pub stock: u32,
    pub pieces: u32,
    /// In cents.
    pub amount: i64,
}

#[derive(Clone, Copy)]
#[repr(C, align(64))]
pub struct Order {
    pub number: u64,
    pub customer: u32,
    /// Lines in use.
    pub lines: u32,
    pub delivered: u64,
    pub line: [OrderLine; LINES],
}

pub struct Warehouse<'a> {
    /// Half of the region.
    pub stock: &'a mut [Stock],
    /// A quarter.
    pub customers: &'a mut [Customer],
    /// A quarter: the last orders, in a ring.
    pub orders: &'a mut [Order],
    pub next: u64,
    /// The oldest order that has not been delivered.
    pub undelivered: u64,
    /// In cents: what all customers owe or have is what they began with, less orders delivered, plus payments.
    pub paid: i64,
    /// In cents: orders delivered.
    pub charged: i64,
    state: u64,
}

impl<'a> Warehouse<'a> {
    pub fn stocked(memory: &'a mut Mapping, seed: u64) -> Warehouse<'a> {
        // SAFETY: every field of a stock is a number, which any bytes are.
        let whole = unsafe { memory.values::<Stock>() };
        let half = whole.len() / 2;
        let (stock, rest) = whole.split_at_mut(half);
        let (customers, orders) = rest.split_at_mut(rest.len() / 2);
        // SAFETY: a customer is numbers alone, as a stock is, and aligned as one.
        let (_, customers, _) = unsafe { customers.align_to_mut::<Customer>() };
        // SAFETY: as above.
        let (_, orders, _) = unsafe { orders.align_to_mut::<Order>() };
        stock.fill(Stock { quantity: 100, sold: 0, orders: 0, labels: [7; DISTRICTS] });
        let note = [b' '; 96];
        customers.fill(Customer { balance: BALANCE, paid: 0, payments: 0, order: 0, note });
        let line = [OrderLine { stock: 0, pieces: 0, amount: 0 }; LINES];
        orders.fill(Order { number: 0, customer: 0, lines: 0, delivered: 1, line });
        let state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15);
        Warehouse { stock, customers, orders, next: 0, undelivered: 0, paid: 0, charged: 0, state }
    }

    /// A number below `end`.
    pub fn random(&mut self, end: usize) -> usize {
        ((u128::from(numbers::next(&mut self.state)) * end as u128) >> 64) as usize
    }

    pub fn place(&self, order: u64) -> usize {
        (order % self.orders.len() as u64) as usize
    }

    /// What does not add up, if anything.
    pub fn fault(&self) -> Option<String> {
        let balances: i64 = self.customers.iter().map(|customer| customer.balance).sum();
        let expected = BALANCE * self.customers.len() as i64 + self.paid - self.charged;
        (balances != expected).then(|| format!("balances add up to {balances}, not {expected}"))
    }
}

/// The items, the same for all warehouses.
pub fn items() -> Vec<Item> {
    (0..ITEMS).map(|at| Item { price: 100 + (at as i64 * 7919) % 9900 }).collect()
}
