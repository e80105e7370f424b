//! The program of a prediction: one command, or one of the suite.

use super::{SUITE, WantedProgram, known, read, suite_of};
use crate::cli::ProgramArgs;
use anyhow::{Result, bail};
use tare_board::Printed;
use tare_layers::suggestion;
use tare_store::ProgramValue;

/// The program that `asked` describes, or the one of the suite that is called `named`.
pub fn for_prediction(asked: &ProgramArgs, named: Option<&str>) -> Result<WantedProgram> {
    let Some(name) = named else { return read(asked, SUITE) };
    let names: Vec<String> = known::benches().map(|bench| bench.name).collect();
    let row = names.iter().find(|row| *row == name || row.ends_with(&format!("/{name}")));
    let Some(row) = row else {
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        bail!("tare knows no program '{name}'; {}", suggestion(name, &names));
    };
    match known::asked(row, std::slice::from_ref(row)) {
        Some(asked) => read(&asked, suite_of(row)),
        None => bail!("tare knows no program '{name}'"),
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
        let printed = rows.filter(|(_, row)| row.value != ProgramValue::Time);
        printed
            .map(|(bench, _)| Printed { name: bench.name.clone().into(), better: bench.better })
            .collect()
    }
}
