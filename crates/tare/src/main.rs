//! `tare`: weighs the layer between a workload and the machine.

mod probe;

fn main() -> anyhow::Result<()> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    if args.first().is_some_and(|a| a == "keep") {
        return Ok(tare_layers::keep(&std::env::temp_dir())?);
    }
    let cache = std::path::PathBuf::from(std::env::var("HOME").unwrap_or("/tmp".into()))
        .join(".cache/tare");
    let host = tare_layers::Host { probe: probe::unpack(&cache)?, cache };
    let keeper =
        tare_layers::Keeper { program: std::env::current_exe()?, args: vec!["keep".into()] };
    let (_, s, layer) = tare_layers::configure(&tare_layers::Settings::parse(&args[0])?)?;
    println!("{s}");
    layer.check(&host).map_err(|e| anyhow::anyhow!("{e}"))?;
    let name = tare_layers::BootName { id: format!("tare-{}", std::process::id()), number: 0 };
    let mut session =
        tare_layers::Session::start(&*layer, &host, &keeper, &name, &[1], None, || false)?;
    let greeting = session.greet(std::time::Duration::from_secs(40));
    println!(
        "{greeting:?}\nfootprint {:?}\nconsole: {}",
        session.footprint(),
        session.console_tail()
    );
    greeting?;
    for bench in &args[1..] {
        let request = tare_proto::Request {
            id: 1,
            bench: bench.clone(),
            samples: 30,
            batch_ns: 2_000_000,
            limit_ms: 1000,
        };
        println!("{:?}", session.measure(&request, std::time::Duration::from_secs(20))?);
    }
    println!("{:?}", session.end(std::time::Duration::from_secs(5)));
    Ok(())
}
