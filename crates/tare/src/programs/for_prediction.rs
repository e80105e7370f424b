//! The program of a prediction: one command, or one of the suite.

use super::{SUITE, WantedProgram, known, read};
use crate::cli::ProgramArgs;
use anyhow::{Result, bail};
use tare_board::Printed;
use tare_layers::suggestion;
use tare_proto::BenchInfo;

/// The program that `asked` describes, or the one of the suite that is called `named`.
pub fn for_prediction(asked: &ProgramArgs, named: Option<&str>) -> Result<WantedProgram> {
    let Some(name) = named else { return read(asked, SUITE) };
    let all: Vec<BenchInfo> = known::benches().collect();
    let is_meant = |row: &str| row == name || row.ends_with(&format!("/{name}"));
    let found = all.iter().find(|bench| is_meant(&bench.name));
    let asked = |row: &BenchInfo| known::asked(&row.name, std::slice::from_ref(&row.name));
    match found.and_then(|row| Some((row, asked(row)?))) {
        Some((row, asked)) => read(&asked, &row.suite),
        None => {
            let names: Vec<&str> = all.iter().map(|bench| bench.name.as_str()).collect();
            bail!("tare knows no program '{name}'; {}", suggestion(name, &names));
        }
    }
}

impl WantedProgram {
    /// Why nothing can be predicted of it; none where that can be done.
    pub fn unpredictable(&self) -> Option<&'static str> {
        let around = &self.planned.program.around;
        match () {
            () if !around.background.is_empty() => Some(
                "what runs beside it is not counted; start the server in the command itself, which then is counted with it",
            ),
            () if self.parse.is_some() => Some(
                "which figures it prints is not known before it ran: name them with --metric, or leave --parse out",
            ),
            () => None,
        }
    }

    pub fn figures(&self) -> Vec<Printed> {
        let rows = self.benches.iter().zip(&self.planned.rows);
        let printed = rows.filter(|(_, row)| row.value.is_printed());
        printed
            .map(|(bench, _)| Printed { name: bench.name.clone().into(), better: bench.better })
            .collect()
    }
}
