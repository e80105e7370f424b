//! Boots one layer by hand: `boot PROBE 'uml,memory=256M' lmbench/null_call`. For work on a layer.

use std::path::PathBuf;
use std::time::Duration;
use tare_layers::{BootName, Host, Keeper, Session, Settings, configure, keep};
use tare_proto::Request;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    if args == ["keep"] {
        return Ok(keep(&std::env::temp_dir())?);
    }
    let [probe, layer, benches @ ..] = args.as_slice() else {
        return Err("usage: boot PROBE LAYER [BENCHMARK...]".into());
    };
    let host = Host { probe: PathBuf::from(probe), cache: std::env::temp_dir().join("boot-cache") };
    let keeper = Keeper { program: std::env::current_exe()?, args: vec!["keep".into()] };
    let (_, settings, layer) = configure(&Settings::parse(layer)?)?;
    layer.check(&host).map_err(|e| e.to_string())?;
    println!("{settings}");
    let name = BootName { id: format!("tare-{}", std::process::id()), number: 0 };
    let mut session = Session::start(&*layer, &host, &keeper, &name, &[], None, || false)?;
    let greeting = session.greet(Duration::from_secs(40));
    println!("{greeting:#?}\nfootprint {:?}\n{}", session.footprint(), session.console_tail());
    if let Err(error) = greeting {
        return Err(layer.explain(&error, &session.console_tail()).to_string().into());
    }
    for (id, bench) in (1..).zip(benches) {
        let (bench, samples) = (bench.clone(), 30);
        let request = Request { id, bench, samples, batch_ns: 2_000_000, limit_ms: 1000 };
        println!("{:?}", session.measure(&request, Duration::from_secs(20))?);
    }
    println!("{:?}", session.end(Duration::from_secs(5)));
    Ok(())
}
