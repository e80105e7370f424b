//! Boots one layer by hand: `CPUS=0 boot PROBE 'uml,memory=256M' lmbench/null_call`, or one of the
//! simulated machine: `MACHINE=sim boot PROBE xen-pv lmbench/null_call`. For work on a layer.

use std::env;
use std::error::Error;
use std::time::Duration;
use tare_layers::{
    Answer, BootName, Host, Keeper, Session, Settings, configure, fresh_id, keep, start,
};
use tare_proto::{Machine, Request};

const LONG: Duration = Duration::from_secs(300);

fn main() -> Result<(), Box<dyn Error>> {
    let args: Vec<String> = env::args().skip(1).collect();
    if args == ["keep"] {
        return Ok(keep(&env::temp_dir())?);
    }
    let [probe, layer, benches @ ..] = args.as_slice() else {
        return Err("usage: [CPUS=0,1] boot PROBE LAYER [BENCHMARK...]".into());
    };
    let cpus = env::var("CPUS").unwrap_or_default();
    let cpus: Vec<u32> = cpus.split(',').filter_map(|cpu| cpu.parse().ok()).collect();
    let host = Host::new(probe.into(), env::temp_dir().join("boot-cache"));
    let keeper =
        Keeper { program: env::current_exe()?, args: vec!["keep".into()], ..Keeper::default() };
    let machine: Machine = env::var("MACHINE").unwrap_or("real".into()).parse()?;
    let (_, settings, layer) = configure(machine, &Settings::parse(layer)?)?;
    println!("{settings}");
    layer.check(&host).map_err(|missing| missing.to_string())?;
    let script = benches.iter().map(|bench| request(bench)).collect();
    let name = BootName { id: fresh_id(), script, ..BootName::default() };
    let mut session = start(&*layer, &host, &keeper, &name, &cpus, None, || false)?;
    match session.greet(LONG) {
        Ok(greeting) => println!("{:#?}\nstart {:?}", greeting.hello, greeting.start),
        Err(error) => {
            let console = session.console_tail();
            return Err(format!("{}\n{console}", layer.explain(&error, &console)).into());
        }
    }
    println!("footprint {:?} bytes\n{}", session.footprint(), session.console_tail());
    for bench in benches {
        println!("{bench}: {}", measure(&mut session, bench)?);
    }
    println!("{:?}", session.end(Duration::from_secs(5)));
    Ok(())
}

fn request(bench: &str) -> Request {
    let bench = bench.to_owned();
    Request {
        id: 1,
        bench,
        samples: 30,
        batch_ns: 2_000_000,
        limit_ms: 3000,
        events: false,
        cache_bytes: 0,
        turns: false,
        term: None,
        program: None,
    }
}

fn measure(session: &mut Session, bench: &str) -> Result<String, Box<dyn Error>> {
    Ok(match session.measure(&request(bench), LONG)? {
        Answer::Series(mut series, whole) => {
            series.samples.sort_by(f64::total_cmp);
            let [low, .., high] = series.samples[..] else { return Err("few samples".into()) };
            let (n, middle) = (series.samples.len(), series.samples[series.samples.len() / 2]);
            format!("{middle:.1} [{low:.1} .. {high:.1}] of {n} samples in {whole:?}")
        }
        other => format!("{other:?}"),
    })
}
