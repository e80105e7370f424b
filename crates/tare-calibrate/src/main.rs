//! Prints the calibration tables: `cargo run --release -p tare-calibrate -- [repeats] [seed]`.

fn main() {
    let mut numbers = std::env::args().skip(1).map_while(|a| a.parse().ok());
    let repeats = numbers.next().unwrap_or(2000);
    let seed = numbers.next().unwrap_or(1);
    print!("{}", tare_calibrate::table(&tare_calibrate::calibrate(repeats as usize, seed)));
}
