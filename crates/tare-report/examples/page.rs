//! Makes a large campaign (60 benchmarks, 6 layers, a million samples), writes its report and says how large it is and
//! how long it took. `cargo run --release -p tare-report --example page [FILE]`; with a campaign's directory as a second
//! argument, that campaign's report.

#[path = "../../tare-board/tests/common/mod.rs"]
#[allow(unused_imports)]
mod common;
#[path = "../tests/large/mod.rs"]
mod large;

use std::path::Path;
use std::time::Instant;
use tare_board::{Extras, Options, scoreboard};
use tare_report::html;

fn main() {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let file = args.first().map_or("target/page.html", String::as_str);
    let campaign = match args.get(1) {
        Some(directory) => tare_store::load(Path::new(directory)).expect("a campaign"),
        None => large::large(60, 6, 10, 250),
    };
    let begin = Instant::now();
    let board = scoreboard(&campaign, &Options::from_plan(&campaign.plan));
    let computed = begin.elapsed();
    let page = html(&campaign, &board, &Extras::of(&campaign, &board));
    println!(
        "{} samples: scoreboard {:.2} s, page {:.2} s, {:.2} MB in {file}",
        board.counts.samples,
        computed.as_secs_f64(),
        (begin.elapsed() - computed).as_secs_f64(),
        page.len() as f64 / 1e6
    );
    std::fs::write(file, page).expect("the file can be written");
}
