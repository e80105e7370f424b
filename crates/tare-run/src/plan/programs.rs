//! Programs of the reader's: one run of them fills one row or several, from its time or from what it printed.

use super::setup::Setup;
use regex::{Regex, RegexBuilder};
use std::time::Duration;
use tare_layers::Patience;
use tare_proto::counter::{CPU_HOST, HOST_MEMORY};
use tare_proto::{Machine, Program, Request, harmless};
use tare_store::{Order, Outcome, PlannedProgram, ProgramRow, ProgramValue, Recorded};

/// Bytes that a compiled expression may take.
const EXPRESSION: usize = 1 << 20;

/// Most characters of a program's output that a message quotes.
const QUOTED: usize = 240;

/// Beyond what the probe's own limits allow.
const GRACE: Duration = Duration::from_secs(30);

/// What is wrong with what was asked for; part of a sentence.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct Wrong(pub String);

/// Whether the expressions and formats of `planned` are such as can be looked for.
pub fn check_program(planned: &PlannedProgram) -> Result<(), Wrong> {
    if let Some(ok) = &planned.ok {
        expression(ok)?;
    }
    for row in &planned.rows {
        match &row.value {
            ProgramValue::Found { regex, .. } if expression(regex)?.captures_len() != 2 => {
                return Err(Wrong(format!(
                    "'{regex}' must have exactly one group, around the number: 'rate: ([0-9.]+)'"
                )));
            }
            ProgramValue::Figure { format, .. } if tare_import::find(format).is_none() => {
                return Err(Wrong(format!("there is no format '{format}'")));
            }
            _ => {}
        }
    }
    Ok(())
}

/// How long an answer is waited for: by the program's own limit, which the probe keeps.
pub(crate) fn patience(machine: Machine, program: &Program, request: &Request) -> Patience {
    // What is counted takes up to two runs more.
    let runs = if request.turns { 1 } else { request.samples } + 2 * u32::from(request.events);
    match machine {
        Machine::Real => (Duration::from_millis(program.patience_ms(runs)) + GRACE).into(),
        Machine::Sim => super::simulated::patience(program.patience_ms(runs)),
    }
}

impl Setup<'_> {
    /// The program that fills row `bench`, if it is not one of the probe's own benchmarks.
    pub(crate) fn program(&self, bench: usize) -> Option<&PlannedProgram> {
        let name = &self.benches[bench].name;
        let fills =
            |planned: &&PlannedProgram| planned.rows.iter().any(|row| row.benchmark == *name);
        self.plan.programs.iter().find(fills)
    }

    /// Whether `bench` is a program of which tare decides how often it runs: not where runs or blocks are counted.
    pub(crate) fn is_run_as_often_as_it_pays(&self, bench: usize) -> bool {
        let plan = &self.plan;
        let decides =
            plan.order == Order::Rounds && plan.machine == Machine::Real && plan.blocks.is_none();
        decides && self.program(bench).is_some_and(|planned| !planned.runs_given)
    }

    /// Whether the program of `bench` has a row of `counter`.
    pub(crate) fn wants(&self, bench: usize, counter: &str) -> bool {
        let is_of = |row: &ProgramRow| match &row.value {
            ProgramValue::Counter { name } | ProgramValue::Counted { name, .. } => name == counter,
            _ => false,
        };
        self.program(bench).is_some_and(|planned| planned.rows.iter().any(is_of))
    }

    /// How often the program of `bench` runs in a boot before its runs count.
    pub(crate) fn warmup(&self, bench: usize) -> u32 {
        self.program(bench).map_or(0, |planned| planned.program.warmup)
    }

    /// All rows that one measurement of `bench` fills, itself among them.
    pub(crate) fn of_one_run(&self, bench: usize) -> Vec<usize> {
        let Some(planned) = self.program(bench) else { return vec![bench] };
        let place = |row: &ProgramRow| self.benches.iter().position(|b| b.name == row.benchmark);
        planned.rows.iter().filter_map(place).collect()
    }

    /// What is recorded of `bench` and of all other rows that the same runs fill. Their cost is shared evenly.
    pub(crate) fn filled(&self, bench: usize, recorded: Recorded) -> Vec<(usize, Recorded)> {
        let Some(planned) = self.program(bench) else { return vec![(bench, recorded)] };
        let share = planned.rows.len().max(1) as u64;
        let mut one = Recorded {
            host_ns: recorded.host_ns / share,
            waited_ns: recorded.waited_ns / share,
            ..recorded
        };
        one.series.elapsed_ns /= share;
        let rows = self.of_one_run(bench).into_iter().zip(&planned.rows);
        rows.map(|(bench, row)| (bench, value(planned, row, &one))).collect()
    }
}

/// What `row` says of the runs in `recorded`.
fn value(planned: &PlannedProgram, row: &ProgramRow, recorded: &Recorded) -> Recorded {
    let mut own = Recorded { benchmark: row.benchmark.clone(), ..recorded.clone() };
    let outputs = std::mem::take(&mut own.series.outputs);
    if recorded.outcome != Outcome::Measured {
        return own;
    }
    let series = &recorded.series;
    let counter = |name: &str| Some(series.counters.iter().find(|it| it.name == name)?.value);
    let found = match &row.value {
        ProgramValue::Cpu { parts } => cpu(counter(CPU_HOST), &series.samples, *parts),
        ProgramValue::Counter { name } => {
            counter(name).ok_or_else(|| unseen(name)).map(|value| vec![value; series.samples.len()])
        }
        ProgramValue::Counted { name, .. } if counter(name) == Some(0.0) => {
            return Recorded::without_samples(&row.benchmark, Outcome::Unavailable, NONE);
        }
        ProgramValue::Counted { name, parts } => {
            let counted = counter(name).ok_or_else(|| unseen(name));
            counted.map(|count| vec![count / parts; series.samples.len()])
        }
        _ => values(planned, &row.value, &series.samples, &outputs),
    };
    match found {
        Ok(values) => own.series.samples = values,
        Err(Wrong(why)) => {
            return Recorded::without_samples(&row.benchmark, Outcome::Failed, &why);
        }
    }
    own
}

/// What is said of a count of nothing, which has no ratio.
const NONE: &str = "its count is 0, which has no ratio";

fn unseen(counter: &str) -> Wrong {
    let why = "the host does not see this of this layer's processes";
    Wrong(match counter {
        HOST_MEMORY => format!("{why}, or was too busy to look while they ran"),
        _ => why.into(),
    })
}

/// The CPU time of one of the `parts` of each run that took one of `times`, on the `cpus` that were busy on average meanwhile.
fn cpu(cpus: Option<f64>, times: &[f64], parts: f64) -> Result<Vec<f64>, Wrong> {
    let none = || Wrong("the host does not see the CPU time of this layer's processes".into());
    let cpus = cpus.ok_or_else(none)?;
    Ok(times.iter().map(|time| time * cpus / parts).collect())
}

/// The values of runs that took `times` and printed `outputs`.
pub(crate) fn values(
    planned: &PlannedProgram,
    value: &ProgramValue,
    times: &[f64],
    outputs: &[String],
) -> Result<Vec<f64>, Wrong> {
    if let Some(ok) = &planned.ok {
        let right = expression(ok)?;
        if let Some(wrong) = outputs.iter().find(|output| !right.is_match(output)) {
            return Err(Wrong(format!("a run did not print '{ok}' (--ok); {}", quoted(wrong))));
        }
    }
    if *value == ProgramValue::Time {
        return Ok(times.to_vec());
    }
    if outputs.len() != times.len() {
        return Err(Wrong("the layer did not say what the program printed".into()));
    }
    outputs.iter().map(|output| number(value, output)).collect()
}

/// The number in what one run printed.
fn number(value: &ProgramValue, output: &str) -> Result<f64, Wrong> {
    match value {
        ProgramValue::Time
        | ProgramValue::Cpu { .. }
        | ProgramValue::Counter { .. }
        | ProgramValue::Counted { .. } => Err(Wrong("a cost is not printed".into())),
        ProgramValue::Found { regex, factor } => found(regex, output).map(|found| found * factor),
        ProgramValue::Figure { format, name } => {
            let figures = figures(format, output)?;
            let found = figures.iter().find(|figure| *figure.name == **name);
            let none = || Wrong(format!("{format} finds no {name}; {}", quoted(output)));
            found.map(|figure| figure.value).ok_or_else(none)
        }
    }
}

/// What the importer called `format` finds in `output`.
pub(crate) fn figures(format: &str, output: &str) -> Result<Vec<tare_import::Figure>, Wrong> {
    let importer = tare_import::find(format);
    let importer = importer.ok_or_else(|| Wrong(format!("there is no format '{format}'")))?;
    let parsed = tare_import::parse(importer, output, "program", "program");
    let unlike =
        |fault| Wrong(format!("what it printed is not {format}'s: {fault}; {}", quoted(output)));
    parsed.map(|parsed| parsed.figures).map_err(unlike)
}

fn found(regex: &str, output: &str) -> Result<f64, Wrong> {
    let expression = expression(regex)?;
    let groups = expression.captures_iter(output).filter_map(|found| found.get(1));
    let all: Vec<&str> = groups.map(|group| group.as_str()).take(2).collect();
    let [text] = all.as_slice() else {
        let how = if all.is_empty() { "matches nothing" } else { "matches more than once" };
        return Err(Wrong(format!("'{regex}' {how} in what it printed; {}", quoted(output))));
    };
    let number =
        text.replace(['_', ','], "").parse().ok().filter(|number: &f64| number.is_finite());
    number.ok_or_else(|| Wrong(format!("'{regex}' finds '{}', not a number", harmless(text, 40))))
}

/// `^` and `$` mean lines; an expression is bounded whatever it says.
fn expression(text: &str) -> Result<Regex, Wrong> {
    let mut builder = RegexBuilder::new(text);
    let built = builder.multi_line(true).size_limit(EXPRESSION).dfa_size_limit(EXPRESSION).build();
    built.map_err(|why| Wrong(format!("'{text}' is no regular expression: {why}")))
}

/// The last of what a program printed.
fn quoted(output: &str) -> String {
    let lines: Vec<&str> = output.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
    let text = lines[lines.len().saturating_sub(4)..].join(" | ");
    let skipped = text.chars().count().saturating_sub(QUOTED);
    let text: String = text.chars().skip(skipped).collect();
    match text.is_empty() {
        true => "it printed nothing".into(),
        false => format!("its last lines: {}", harmless(&text, 2 * QUOTED)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn finds(regex: &str, output: &str) -> Result<f64, String> {
        let value = ProgramValue::Found { regex: regex.into(), factor: 2.0 };
        number(&value, output).map_err(|wrong| wrong.0)
    }

    #[test]
    fn a_metric_is_one_number_in_what_was_printed() {
        assert_eq!(finds("^rate: ([0-9.,]+)$", "x\nrate: 1,500.5\n"), Ok(3001.0));
        assert!(finds("rate: (.*)", "rate: fast").unwrap_err().contains("'fast', not a number"));
        assert!(finds("rate: (.*)", "rate: inf").unwrap_err().contains("not a number"));
        let none = finds("rate: ([0-9]+)", "one\ntwo\n").unwrap_err();
        assert!(none.contains("matches nothing") && none.contains("one | two"), "{none}");
        assert!(finds("a([0-9])", "a1 a2").unwrap_err().contains("more than once"));
        assert!(finds("a([0-9])", "").unwrap_err().contains("printed nothing"));
    }

    #[test]
    fn an_expression_without_its_one_group_is_refused() {
        let planned = |regex: &str| PlannedProgram {
            program: Program::default(),
            ok: None,
            slo: None,
            runs_given: true,
            rows: vec![ProgramRow {
                benchmark: "program/x".into(),
                value: ProgramValue::Found { regex: regex.into(), factor: 1.0 },
            }],
        };
        assert!(check_program(&planned("([0-9]+)")).is_ok());
        for wrong in ["[0-9]+", "(a)(b)", "(", "(a{1000}){1000}"] {
            assert!(check_program(&planned(wrong)).is_err(), "{wrong}");
        }
    }

    #[test]
    fn a_run_that_does_not_say_what_a_right_one_says_has_no_value() {
        let program = Program::default();
        let planned = PlannedProgram {
            program,
            ok: Some("done$".into()),
            rows: Vec::new(),
            slo: None,
            runs_given: true,
        };
        let time = |output: &str| values(&planned, &ProgramValue::Time, &[5.0], &[output.into()]);
        assert_eq!(time("all done\n"), Ok(vec![5.0]));
        assert!(time("half\n").unwrap_err().0.contains("--ok"));
    }

    #[test]
    fn an_importer_reads_what_a_program_prints() {
        let value = ProgramValue::Figure { format: "time".into(), name: "time/real".into() };
        assert_eq!(number(&value, "real 0m0.500s\nuser 0m0.1s\n"), Ok(5e8));
        assert!(number(&value, "nothing of it\n").is_err());
    }
}
