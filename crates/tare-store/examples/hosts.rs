//! Makes the campaigns of many hosts from one: `hosts TEMPLATE OUT N`. Every host's layers cost something else, its blocks scatter,
//! and it has one of four processors. `cargo xtask hosts` times `tare merge` with them.

use rusqlite::{Connection, params};
use std::error::Error;
use std::fs;
use std::path::Path;

/// Standard deviation of a layer's cost between hosts, and of a block within one, as fractions.
const BETWEEN: f64 = 0.1;
const WITHIN: f64 = 0.01;

fn main() -> Result<(), Box<dyn Error>> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let [template, out, hosts] = args.as_slice() else {
        return Err("usage: hosts TEMPLATE OUT N".into());
    };
    for host in 0..hosts.parse()? {
        let folder = Path::new(out).join(format!("host{host:05}"));
        fs::create_dir_all(&folder)?;
        let file = folder.join(tare_store::FILE);
        fs::copy(Path::new(template).join(tare_store::FILE), &file)?;
        vary(&file, host)?;
    }
    Ok(())
}

/// Makes the copied campaign that of another host.
fn vary(file: &Path, host: u64) -> rusqlite::Result<()> {
    let mut database = Connection::open(file)?;
    // These files are measured and thrown away.
    database.execute_batch("PRAGMA synchronous = OFF; PRAGMA journal_mode = MEMORY;")?;
    let all = database.transaction()?;
    let model = format!("Processor {}", host % 4);
    all.execute("UPDATE boot SET hello = json_set(hello, '$.cpu_model', ?1)", [model])?;
    let series: Vec<(i64, u64, u64, Vec<u8>)> = all
        .prepare("SELECT s.id, b.layer_id, b.block * 2 + (b.role = 'floor'), s.samples FROM series s JOIN boot b ON b.id = s.boot_id")?
        .query_map([], |row| Ok((row.get(0)?, row.get::<_, i64>(1)? as u64, row.get::<_, i64>(2)? as u64, row.get(3)?)))?
        .collect::<rusqlite::Result<_>>()?;
    let mut update = all.prepare("UPDATE series SET samples = ?2 WHERE id = ?1")?;
    for (id, layer, boot, samples) in series {
        let between = if layer > 1 {
            BETWEEN * normal(&[host % 4, layer]) + 0.02 * normal(&[host, layer, 7])
        } else {
            0.0
        };
        let factor = (between + WITHIN * normal(&[host, layer, boot, id as u64])).exp();
        let scaled = samples
            .as_chunks()
            .0
            .iter()
            .flat_map(|bytes| (f64::from_le_bytes(*bytes) * factor).to_le_bytes());
        update.execute(params![id, scaled.collect::<Vec<u8>>()])?;
    }
    drop(update);
    all.commit()
}

/// A number that looks drawn from a normal distribution and is always the same for the same key: the sum of four uniform ones.
fn normal(key: &[u64]) -> f64 {
    let mut state = key.iter().fold(0x9e37_79b9_7f4a_7c15, |state, part| mixed(state ^ part));
    let sum: f64 = (0..4)
        .map(|_| {
            state = mixed(state);
            (state >> 11) as f64 / (1_u64 << 53) as f64
        })
        .sum();
    (sum - 2.0) * 3.0_f64.sqrt()
}

/// The finisher of SplitMix64.
const fn mixed(state: u64) -> u64 {
    let state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let state = (state ^ (state >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let state = (state ^ (state >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    state ^ (state >> 31)
}
