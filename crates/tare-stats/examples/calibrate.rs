//! Prints the calibration table: `cargo run --release -p tare-stats --example calibrate -- [repeats] [seed]`.

fn main() {
    let mut numbers = std::env::args().skip(1).map_while(|a| a.parse().ok());
    let (repeats, seed) = (numbers.next().unwrap_or(2000), numbers.next().unwrap_or(1));
    print!("{}", tare_stats::calibration_table(&tare_stats::calibrate(repeats as usize, seed)));
}
