//! The five transactions and their mix.

use super::data::{Item, LINES, OrderLine, Warehouse};
use std::hint::black_box;
use std::io::Write;

/// Fewest lines of an order.
const FEWEST: usize = 5;

/// Orders that a delivery takes and a look at the stock looks through.
const BATCH: u64 = 10;
const LOOKED: u64 = 20;

/// Stock is filled up below this.
const LOW: i64 = 10;

/// One transaction of the mix.
pub fn one(house: &mut Warehouse, items: &[Item]) {
    match house.random(100) {
        0..44 => new_order(house, items),
        44..88 => payment(house),
        88..92 => status(house),
        92..96 => delivery(house),
        _ => stock_level(house),
    }
}

/// Takes 5 to 15 lines out of the stock, prices them, and files the order.
fn new_order(house: &mut Warehouse, items: &[Item]) {
    if house.next - house.undelivered >= house.orders.len() as u64 {
        delivery(house); // the ring is full
    }
    let customer = house.random(house.customers.len());
    let lines = FEWEST + house.random(LINES - FEWEST + 1);
    let number = house.next;
    let place = house.place(number);
    for at in 0..lines {
        let pieces = 1 + house.random(10) as i64;
        let chosen = house.random(house.stock.len());
        let stock = &mut house.stock[chosen];
        stock.quantity -= pieces;
        if stock.quantity < LOW {
            stock.quantity += 91;
        }
        stock.sold += pieces;
        stock.orders += 1;
        let label = stock.labels[chosen % stock.labels.len()];
        let amount = pieces * items[(chosen + label as usize) % items.len()].price;
        house.orders[place].line[at] =
            OrderLine { stock: chosen as u32, pieces: pieces as u32, amount };
    }
    let order = &mut house.orders[place];
    order.line[..lines].sort_unstable_by_key(|line| line.stock);
    (order.number, order.customer) = (number, customer as u32);
    (order.lines, order.delivered) = (lines as u32, 0);
    house.customers[customer].order = number;
    house.next += 1;
}

/// A customer pays; the receipt is written out and kept.
fn payment(house: &mut Warehouse) {
    let chosen = house.random(house.customers.len());
    let amount = 100 + house.random(500_000) as i64;
    let customer = &mut house.customers[chosen];
    customer.balance += amount;
    customer.paid += amount;
    customer.payments += 1;
    let (paid, balance, payments) = (customer.paid, customer.balance, customer.payments);
    let mut note = &mut customer.note[..];
    let _ = write!(note, "payment {payments} of {amount}, {paid} in all, balance {balance}");
    house.paid += amount;
}

fn status(house: &mut Warehouse) {
    let chosen = house.random(house.customers.len());
    let customer = &house.customers[chosen];
    let order = &house.orders[house.place(customer.order)];
    let lines = &order.line[..order.lines as usize];
    let sum: i64 = lines.iter().map(|line| line.amount).sum();
    black_box((customer.balance, sum, order.delivered));
}

/// The oldest orders are delivered and charged.
fn delivery(house: &mut Warehouse) {
    let last = house.next.min(house.undelivered + BATCH);
    for number in house.undelivered..last {
        let place = house.place(number);
        let order = &mut house.orders[place];
        let sum: i64 = order.line[..order.lines as usize].iter().map(|line| line.amount).sum();
        order.delivered = 1;
        house.customers[order.customer as usize].balance -= sum;
        house.charged += sum;
    }
    house.undelivered = last;
}

/// How many items of the last orders run low.
fn stock_level(house: &mut Warehouse) {
    let mut low = 0;
    for number in house.next.saturating_sub(LOOKED)..house.next {
        let order = &house.orders[house.place(number)];
        let lines = &order.line[..order.lines as usize];
        low +=
            lines.iter().filter(|line| house.stock[line.stock as usize].quantity < 2 * LOW).count();
    }
    black_box(low);
}
