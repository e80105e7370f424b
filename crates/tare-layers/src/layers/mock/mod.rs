//! `mock`: a layer that is a script, so that the whole pipeline can be tested to the last digit and
//! every fault can be had on demand.

mod greeting;
mod script;

use crate::layer::SAVED_KINDS;
use crate::{
    BootSpec, Host, Launch, Layer, LayerKind, Program, Setting, SettingError, Settings,
    Unavailable, Unnamed,
};
use greeting::{HOSTILE, greeting, hostile_greeting};
use script::{Faulty, Script, read_script, told};
use serde_json::json;
use std::io::{self, BufRead, Write};
use std::thread;
use std::time::Duration;
use tare_keeper::Conversation;
use tare_proto::{Counter, FromProbe, MAX_SAMPLES, Request, Series, ToProbe, Turn, decode, encode};

pub const KIND: LayerKind = LayerKind {
    name: "mock",
    about: "a scripted layer, for tests and demonstrations",
    machine: None,
    settings: &[
        Setting { key: "value", about: "every sample, in the benchmark's unit (default 100)" },
        Setting {
            key: "times",
            about: "what value and step are multiplied by; of a script, its samples (default 1)",
        },
        Setting { key: "step", about: "added to the value once per boot of the layer (default 0)" },
        Setting {
            key: "script",
            about: "JSON file: {\"benchmark\": [[samples of boot 0], [of boot 1], ...]}, or \
                    {\"samples\": [...], \"counters\": {\"name\": value}, \"note\": text} instead of a list",
        },
        Setting {
            key: "pauses",
            about: "yes: the layer takes whole series and no turns (default no)",
        },
        Setting {
            key: "whole",
            about: "what samples are multiplied by that are all taken at once (default 1)",
        },
        Setting { key: "slow", about: "milliseconds that each turn takes (default 0)" },
        Setting { key: "lacks", about: "a benchmark that the layer reports as unavailable" },
        Setting {
            key: "fault",
            about: "hang, die, flood, garbage, corrupt, truncate, clock, silent, panic, fail, liar, \
                    hostile, hostile-panic, hostile-name, hostile-type, chatty or stillborn",
        },
        Setting {
            key: "faulty",
            about: "boots that have the fault: all (default), first, or N: every Nth",
        },
        Setting { key: "command", about: "run this program (words) as the layer instead" },
    ],
    defaults: &[],
    unnamed: Unnamed::Ignored,
    words: None,
    make,
};

#[derive(Clone)]
struct Mock {
    value: f64,
    step: f64,
    times: f64,
    script: Script,
    pauses: bool,
    whole: f64,
    slow: Duration,
    lacks: String,
    fault: String,
    faulty: Faulty,
    command: Vec<String>,
}

/// How long a series takes by the layer's clock, the same in every run as on a simulated machine.
const ELAPSED_NS: u64 = 1000;

const FAULTS: &[&str] = &[
    "",
    "hang",
    "die",
    "flood",
    "garbage",
    "corrupt",
    "truncate",
    "clock",
    "silent",
    "panic",
    "fail",
    "liar",
    "hostile",
    "hostile-panic",
    "hostile-name",
    "hostile-type",
    "chatty",
    "stillborn",
];

fn make(settings: &Settings) -> Result<Box<dyn Layer>, SettingError> {
    let fault = settings.one_of("fault", FAULTS)?.unwrap_or_default().to_owned();
    Ok(Box::new(Mock {
        value: decimal(settings, "value", 100.0)?,
        step: decimal(settings, "step", 0.0)?,
        times: decimal(settings, "times", 1.0)?,
        script: settings.get("script").map(read_script).transpose()?.unwrap_or_default(),
        slow: Duration::from_millis(settings.number("slow", 0, 0, 60_000)?),
        whole: decimal(settings, "whole", 1.0)?,
        pauses: settings.one_of("pauses", &["no", "yes"])? == Some("yes"),
        lacks: settings.get("lacks").unwrap_or_default().to_owned(),
        fault,
        faulty: Faulty::read(settings.get("faulty"))?,
        command: settings.words("command"),
    }))
}

fn decimal(settings: &Settings, key: &str, default: f64) -> Result<f64, SettingError> {
    let Some(text) = settings.get(key) else { return Ok(default) };
    let number = text.parse().ok().filter(|number: &f64| number.is_finite());
    number.ok_or_else(|| SettingError(format!("{key}={text}: a number")))
}

impl Layer for Mock {
    fn check(&self, _host: &Host) -> Result<(), Unavailable> {
        Ok(())
    }

    fn whole_series(&self) -> Option<&'static str> {
        self.pauses.then_some("its script says so")
    }

    fn snapshot(&self, _host: &Host) -> Result<(), Unavailable> {
        let told = self.script.contains_key("restore/start");
        told.then_some(())
            .ok_or_else(|| Unavailable::new("its script says nothing of it", SAVED_KINDS))
    }

    fn launch(&self, _host: &Host, boot: &BootSpec) -> io::Result<Launch> {
        if let Some((program, args)) = self.command.split_first() {
            return Ok(Launch::Program(Program::new(program).args(args)));
        }
        let mut mock = self.clone();
        if !self.faulty.has(boot.number) {
            mock.fault.clear();
        }
        let number = boot.number as usize;
        let told = told(&mock.script, number);
        let converse: Conversation = Box::new(move |input, output| {
            let _ = mock.converse(number, input, output); // an error: the host has hung up
        });
        Ok(Launch::Script(converse, told))
    }
}

impl Mock {
    fn converse(
        &self,
        boot: usize,
        input: &mut dyn BufRead,
        output: &mut dyn Write,
    ) -> io::Result<()> {
        if self.fault == "silent" {
            return io::copy(input, &mut io::sink()).map(drop);
        }
        if self.fault == "stillborn" {
            return Err(io::ErrorKind::BrokenPipe.into());
        }
        match self.fault.as_str() {
            "chatty" => {
                let samples = vec![1.0 / 3.0; MAX_SAMPLES];
                say(output, &FromProbe::Series(Series { samples, ..Series::default() }))?;
            }
            "hostile" => say(output, &FromProbe::Hello(Box::new(hostile_greeting())))?,
            _ => say(output, &FromProbe::Hello(Box::new(greeting())))?,
        }
        let mut line = String::new();
        while input.read_line(&mut line)? > 0 {
            match decode::<ToProbe>(&line) {
                Ok(ToProbe::Quit) => return say(output, &FromProbe::Bye),
                Ok(ToProbe::Run(request)) => self.answer(boot, &request, input, output)?,
                Ok(ToProbe::Take { .. } | ToProbe::Drop { .. }) | Err(_) => {}
            }
            line.clear();
        }
        Ok(())
    }

    fn answer(
        &self,
        boot: usize,
        request: &Request,
        input: &mut dyn BufRead,
        output: &mut dyn Write,
    ) -> io::Result<()> {
        let id = request.id;
        say(output, &FromProbe::Begin { id })?;
        if request.bench == self.lacks {
            let why = if self.fault == "hostile" { HOSTILE } else { "the script says so" };
            return say(output, &FromProbe::Unavailable { id, why: why.into() });
        }
        let mut series = self.series(boot, request);
        if request.turns && !self.turns(&mut series, input, output)? {
            return say(output, &FromProbe::Failed { id, why: "given up by the host".into() });
        }
        if self.fault == "hostile-name" {
            series.counters.push(Counter::new(HOSTILE, 1.0));
        }
        let whole = encode(&FromProbe::Series(series));
        match self.fault.as_str() {
            "hang" => io::copy(input, &mut io::sink()).map(drop),
            "die" => Err(io::ErrorKind::BrokenPipe.into()),
            "flood" => loop {
                output.write_all(&[b'x'; 4096])?;
            },
            "garbage" => {
                output.write_all(b"\x1b[31m\xff\xfe not for you \x00\n")?;
                output.write_all(whole.as_bytes())
            }
            "corrupt" => output.write_all(whole.replace("\"ops\":1", "\"ops\":7").as_bytes()),
            "truncate" => output.write_all(format!("{}\n", &whole[..whole.len() / 2]).as_bytes()),
            "panic" => say(output, &FromProbe::Panic { message: "scripted".into() }),
            "hostile-panic" => say(output, &FromProbe::Panic { message: HOSTILE.repeat(50) }),
            "fail" => say(output, &FromProbe::Failed { id, why: "scripted".into() }),
            "hostile" => say(output, &FromProbe::Failed { id, why: HOSTILE.repeat(50) }),
            "hostile-type" => {
                output.write_all(encode(&json!({ "type": HOSTILE.repeat(1000) })).as_bytes())
            }
            "liar" => say(output, &FromProbe::Begin { id: id + 1 }),
            _ => output.write_all(whole.as_bytes()),
        }
    }

    /// Gives the samples of `series` away in the turns that the host grants; false when it grants none any more. A fault
    /// shows in the second turn.
    fn turns(
        &self,
        series: &mut Series,
        input: &mut dyn BufRead,
        output: &mut dyn Write,
    ) -> io::Result<bool> {
        let id = series.id;
        let mut left = series.samples.len() as u32;
        while left > 0 {
            thread::sleep(self.slow);
            say(output, &FromProbe::Waiting { id, sample_ns: 0 })?;
            let mut line = String::new();
            input.read_line(&mut line)?;
            let Ok(ToProbe::Take { samples, last, .. }) = decode::<ToProbe>(&line) else {
                return Ok(false);
            };
            let samples = samples.clamp(1, left);
            series.turns.push(Turn { samples, subtracted: 0.0 });
            left -= samples;
            if last {
                series.samples.truncate(series.samples.len() - left as usize);
                left = 0;
            }
            if !self.fault.is_empty() && series.turns.len() == 2 {
                series.turns.clear();
                return Ok(true);
            }
        }
        Ok(true)
    }

    fn series(&self, boot: usize, request: &Request) -> Series {
        let entry = self.script.get(&request.bench);
        let scripted = entry.and_then(|entry| entry.samples(boot));
        let counters = entry.map(script::Entry::counters).unwrap_or_default();
        let note = entry.map(script::Entry::note).unwrap_or_default();
        let value = self.value + self.step * boot as f64;
        let mut samples = scripted.unwrap_or_else(|| vec![value; request.samples as usize]);
        let times = if request.turns { self.times } else { self.times * self.whole };
        samples.iter_mut().for_each(|sample| *sample *= times);
        let mut elapsed_ns = ELAPSED_NS;
        if self.fault == "clock" {
            let started = std::time::Instant::now();
            thread::sleep(Duration::from_millis(60));
            // A clock that runs at a third of the host's.
            elapsed_ns = started.elapsed().as_nanos() as u64 / 3;
        }
        Series { id: request.id, samples, ops: 1, elapsed_ns, counters, note, ..Series::default() }
    }
}

fn say(output: &mut dyn Write, message: &FromProbe) -> io::Result<()> {
    output.write_all(encode(message).as_bytes())
}
