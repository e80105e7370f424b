//! The written forms.
mod common;
use tare_report::*;
#[test]
fn look() {
    let c = common::troubled();
    let board = scoreboard(&c, &Options::from_plan(&c.plan));
    println!("{}", text(&board, &TextStyle { width: 80, paint: Paint::Plain, details: true }));
}
