//! `cargo xtask CHORE`: the chores of this repository, one file each.

mod apt;
mod bench;
mod calibrate;
mod complaints;
mod criu;
mod dist;
mod elsewhere;
mod fidelity;
mod figures;
mod gallery;
mod go;
mod hosts;
mod orders;
mod packages;
mod predict;
mod python;
mod release;
mod shell;
mod test;
mod test_programs;
mod tidy;
mod weigh;

use std::process::ExitCode;

/// A chore: its name, what it does, and how.
struct Chore {
    name: &'static str,
    about: &'static str,
    run: fn(&[String]) -> anyhow::Result<()>,
}

const CHORES: &[Chore] = &[
    Chore {
        name: "weigh",
        about: "install the layers, build tare, weigh them all",
        run: weigh::weigh,
    },
    Chore {
        name: "test",
        about: "install what the tests need and run all of them, or those programs whose names hold a word (WORD...)",
        run: test::test,
    },
    Chore {
        name: "calibrate",
        about: "prove the statistics by simulation: docs/calibration.md (--repeats N --seed S)",
        run: calibrate::calibrate,
    },
    Chore { name: "tidy", about: "check what the compiler does not", run: |_| tidy::tidy() },
    Chore {
        name: "bench",
        about: "measure the figures that the README quotes",
        run: |_| bench::bench(),
    },
    Chore {
        name: "dist",
        about: "build the release: archive, Debian package, licences, SBOM (--binary FILE --out DIR)",
        run: dist::dist,
    },
    Chore {
        name: "figures",
        about: "draw the documentation's figures from its recorded campaigns",
        run: |_| figures::figures(),
    },
    Chore {
        name: "gallery",
        about: "measure the campaigns of docs/gallery and write its pages (NAME...)",
        run: gallery::gallery,
    },
    Chore {
        name: "complaints",
        about: "measure the public complaints of docs/complaints.md anew (NAME...)",
        run: complaints::complaints,
    },
    Chore {
        name: "fidelity",
        about: "run the suites beside their originals and print the ratios (--rounds N, WORD...)",
        run: fidelity::fidelity,
    },
    Chore {
        name: "orders",
        about: "what turns gain, and that they shift nothing (--campaigns N, flags of tare run)",
        run: orders::orders,
    },
    Chore {
        name: "hosts",
        about: "what merging many hosts costs, with generated campaigns (--hosts N)",
        run: hosts::hosts,
    },
    Chore {
        name: "predict",
        about: "how good predictions are: docs/predict.md (flags of tare run)",
        run: predict::predict,
    },
    Chore {
        name: "packages",
        about: "install the layers' packages ('packages testing': what tests need, too)",
        run: packages::chore,
    },
];

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let chore = args.first().and_then(|name| CHORES.iter().find(|chore| chore.name == name));
    let Some(chore) = chore else {
        eprintln!("cargo xtask CHORE\n");
        for chore in CHORES {
            eprintln!("  {:10} {}", chore.name, chore.about);
        }
        return ExitCode::from(2);
    };
    match (chore.run)(&args[1..]) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("cargo xtask {}: {error:#}", chore.name);
            ExitCode::FAILURE
        }
    }
}
