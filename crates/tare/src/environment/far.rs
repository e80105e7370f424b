//! What disturbs on the host of a layer that is behind a daemon or on another host, as far as its probe's greeting says.

use super::{Answer, State};
use serde_json::{Value, json};
use tare_layers::Settings;
use tare_proto::Hello;

/// A row of the table.
struct FarCheck {
    /// A name for programs and people.
    name: &'static str,
    /// What to do about it.
    remedy: &'static str,
    look: fn(&Hello) -> Answer,
}

const CHECKS: &[FarCheck] = &[
    FarCheck {
        name: "facts",
        remedy: "",
        look: |hello| {
            let known =
                [&hello.cpu_model, &hello.machine].into_iter().find(|text| !text.is_empty());
            let model = known.map_or("an unknown processor", String::as_str);
            Answer::new(
                State::Fine,
                format!("{model}, {} CPUs, kernel {}", hello.cpus, hello.kernel),
            )
        },
    },
    // There is no second look at its CPUs' times, so the average alone decides.
    FarCheck {
        name: "load",
        remedy: "end other work there, or choose another host",
        look: |hello| {
            if hello.load_average < 0.0 {
                return Answer::new(State::Unknown, "its load is not known");
            }
            let busy = 2.0 * hello.load_average > f64::from(hello.cpus);
            let text = format!("load average {:.2} on {} CPUs", hello.load_average, hello.cpus);
            Answer::new(State::worst_of(busy, false), text)
        },
    },
    FarCheck {
        name: "memory",
        remedy: "end what takes the memory there, or choose another host",
        look: |hello| {
            let free = hello.memory_available_kib >> 10;
            let all = hello.memory_kib >> 10;
            if free == 0 || all == 0 {
                return Answer::new(State::Unknown, "its free memory is not known");
            }
            let text = format!("{free} of {all} MiB of memory are available");
            Answer::new(State::worst_of(free < all / 10, false), text)
        },
    },
    FarCheck {
        name: "governor",
        remedy: "cpupower frequency-set --governor performance, there",
        look: |hello| match hello.governor.as_str() {
            "" => Answer::new(State::Unknown, "no frequency scaling visible"),
            "performance" => Answer::new(State::Fine, "the frequency governor is performance"),
            slow => Answer::new(State::Warning, format!("the frequency governor is {slow}")),
        },
    },
];

/// Whether nothing on this host says how busy the layer's own host is.
pub fn is_far(settings: &Settings) -> bool {
    let here = settings.get("pids").or(settings.get("cgroup")).is_some();
    settings.get("processes") == Some("elsewhere") && !here
}

fn look(hello: &Hello) -> impl Iterator<Item = (&'static FarCheck, Answer)> {
    CHECKS.iter().map(|check| (check, (check.look)(hello)))
}

/// The findings as comments on a scoreboard: one for each warning, and one for the rest.
pub fn comments(hello: &Hello) -> Vec<String> {
    let (bad, rest): (Vec<_>, Vec<_>) =
        look(hello).partition(|(_, answer)| answer.state == State::Warning);
    let bad = bad.iter().map(|(check, answer)| {
        format!("on its own host, at the start: {}; remedy: {}", answer.text, check.remedy)
    });
    let known = rest.iter().filter(|(_, answer)| answer.state != State::Unknown);
    let known: Vec<&str> = known.map(|(_, answer)| answer.text.as_str()).collect();
    bad.chain([format!("its own host: {}", known.join("; "))]).collect()
}

/// The findings for machines.
pub fn for_machines(hello: &Hello) -> Value {
    let one = |(check, Answer { state, text }): (&FarCheck, Answer)| json!({ "check": check.name, "state": state.word(), "found": text, "remedy": check.remedy });
    look(hello).map(one).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_busy_host_is_said_to_be_one() {
        let quiet = Hello {
            cpu_model: "Example 9".into(),
            kernel: "6.1".into(),
            cpus: 4,
            memory_kib: 8 << 20,
            memory_available_kib: 4 << 20,
            load_average: 0.25,
            ..Hello::default()
        };
        let facts = "its own host: Example 9, 4 CPUs, kernel 6.1; load average 0.25 on 4 CPUs; \
                     4096 of 8192 MiB of memory are available";
        assert_eq!(comments(&quiet), [facts]);
        let busy = Hello {
            load_average: 3.0,
            memory_available_kib: 100 << 10,
            governor: "powersave".into(),
            ..quiet.clone()
        };
        let said = comments(&busy);
        assert_eq!(said.len(), 4, "{said:?}");
        for part in ["load average 3.00", "100 of 8192 MiB", "powersave"] {
            assert!(said[..3].iter().any(|text| text.contains(part)), "{part}: {said:?}");
        }
        let states = |hello: &Hello| {
            let all = for_machines(hello);
            all.as_array().unwrap().iter().map(|it| it["state"].clone()).collect::<Vec<_>>()
        };
        assert_eq!(states(&busy), ["fine", "warning", "warning", "warning"]);
        let unknown = Hello { load_average: -1.0, memory_available_kib: 0, ..quiet };
        assert_eq!(states(&unknown), ["fine", "unknown", "unknown", "unknown"]);
    }

    #[test]
    fn a_layer_whose_processes_are_named_is_on_this_host() {
        let far = |text: &str| is_far(&Settings::parse(text).unwrap());
        assert!(far("x,processes=elsewhere") && !far("x,processes=below") && !far("x"));
        assert!(!far("x,processes=elsewhere,cgroup=y") && !far("x,processes=elsewhere,pids=y"));
    }
}
