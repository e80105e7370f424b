//! `tare serve`: a local web page over folders of campaigns, until Ctrl-C.

use crate::cli::ServeArgs;
use crate::{interrupt, output};
use anyhow::{Context, Result, bail};
use std::net::TcpListener;
use std::process::ExitCode;

pub fn serve(args: &ServeArgs) -> Result<ExitCode> {
    for dir in &args.dirs {
        if !dir.is_dir() {
            bail!("{} is not a folder; name folders that hold campaigns", dir.display());
        }
    }
    let listener = TcpListener::bind(args.listen).with_context(|| {
        format!("cannot listen on {}; choose another with --listen", args.listen)
    })?;
    let address = listener.local_addr()?;
    if !address.ip().is_loopback() {
        output::note("tare: everybody who reaches this address can read these campaigns");
    }
    interrupt::listen()?;
    output::print(&format!("http://{address}/  (Ctrl-C ends it)\n"))?;
    tare_serve::serve(listener, args.dirs.clone(), interrupt::interrupted)
        .with_context(|| format!("cannot serve on {address}"))?;
    Ok(ExitCode::SUCCESS)
}
