//! The written forms.
mod common;
use tare_report::*;
#[test]
fn look() {
    for c in [
        common::full_of(1),
        common::full_of(2),
        common::all_failed(),
        common::empty(3, vec![], vec![]),
    ] {
        let board = scoreboard(&c, &Options::from_plan(&c.plan));
        println!("{}", text(&board, &TextStyle { width: 80, paint: Paint::Plain, details: true }));
        println!("-----------------------------------------");
        println!("{}", vmi_tables(&board, 80));
        println!("-----------------------------------------");
        println!("=========================================");
    }
}
