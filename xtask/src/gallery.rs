//! The gallery: campaigns of this project, measured here and shown in `docs/gallery`. `cargo xtask gallery` measures all of them
//! on a quiet machine, `cargo xtask gallery NAME...` some.

use crate::shell::root;
use crate::{go, packages, release};
use anyhow::{Context, Result, bail};
use std::fmt::Write;
use std::fs;

/// Where the pages are.
const FOLDER: &str = "docs/gallery";

/// What stands for gVisor's program in the commands below, and in the documentation.
const GVISOR: &str = "target/gvisor/runsc";

struct Exhibit {
    /// The name of its page and of its figures.
    name: &'static str,
    question: &'static str,
    flags: &'static str,
    /// What is drawn: a benchmark each; nothing: an overview of all.
    figures: &'static [&'static str],
    explained: Option<&'static str>,
    /// What it shows, without figures: those are tare's own words.
    shows: [&'static str; 3],
}

const EXHIBITS: &[Exhibit] = &[
    Exhibit {
        name: "five-layers",
        question: "What do a container, gVisor, User-Mode Linux and QEMU's emulator cost single kernel operations?",
        flags: "--layers native,runc,uml,qemu --layer name=gvisor,kind=runsc,runtime=target/gvisor/runsc --budget 5m",
        figures: &[],
        explained: None,
        shows: [
            "A container's operations are the host's own: the ratios lie within a few percent of 1, and most rows show that no \
             difference above 2% exists.",
            "gVisor and User-Mode Linux answer system calls in another process, so the emptiest calls suffer most, and calls that do \
             much (`fork_exec`) suffer less; memory (`mmap`, `page_fault`) is cheap in gVisor and the dearest of all in User-Mode Linux.",
            "QEMU's emulator slows every instruction down, so no row is spared; rows that change address spaces, such as the context \
             switches, suffer most, because it forgets then what it knew of memory.",
        ],
    },
    Exhibit {
        name: "curves",
        question: "What happens to a layer when several programs run in it at once?",
        flags: "--layers native,runc,uml --layer name=gvisor,kind=runsc,runtime=target/gvisor/runsc --bench aim7/mix \
                --bench unixbench/syscall --load 1,2,4 --pin 0,1 --budget 5m",
        figures: &["aim7/mix", "unixbench/syscall"],
        explained: None,
        shows: [
            "Throughput on the host and in a container rises with the number of CPUs, which are two here, and little beyond.",
            "User-Mode Linux has one CPU however many the host has, so its curves are flat from the beginning.",
            "gVisor's curves say how much of its own kernel can run in parallel: a curve that falls behind the host's as the load \
             grows is a cost that no single-threaded benchmark shows.",
        ],
    },
    Exhibit {
        name: "xen-pv",
        question: "What does a paravirtual kernel of Xen cost, in instructions, and where are they?",
        flags: "--machine sim --layers native,xen-pv --explain",
        figures: &[],
        explained: Some("lmbench/fork_exit"),
        shows: [
            "The machine is simulated and counts instructions, so these figures repeat to the last digit on any computer.",
            "A system call enters Xen before it reaches the kernel, and returns through it: an empty call costs three times as much, \
             and the more a call does, the less it shows.",
            "Page tables are changed by hypercalls, which `tare explain` names and counts; that is what creating processes and \
             touching new pages pays for, and it costs still more.",
        ],
    },
    Exhibit {
        name: "disk",
        question: "What does a layer's way to the disk cost?",
        flags: "--layers native,runc,uml,qemu --bench disk/randread_4k --bench disk/read_64k --load 1,16 --budget 5m",
        figures: &[],
        explained: None,
        shows: [
            "A container's disk is the host's: the same driver, the same queue.",
            "A guest's request goes through a driver in the guest and another program on the host; small requests pay for both, \
             large ones are dominated by the copying.",
            "User-Mode Linux has one thread for its disk and answers one request after the other, so more requests in flight gain \
             nothing.",
        ],
    },
    Exhibit {
        name: "sandbox",
        question: "How fast does a sandbox start, also when many start at once, and what does one more weigh?",
        flags: "--suite sandbox --layers native,runc,uml --layer name=gvisor,kind=runsc,runtime=target/gvisor/runsc --budget 6m",
        figures: &["start/warm"],
        explained: None,
        shows: [
            "A container starts in tens of milliseconds, gVisor in about a hundred; a guest with a kernel of its own takes a third of a \
             second (User-Mode Linux), nearly all of it that kernel's.",
            "More starts at once raise the rate only until the CPUs are busy.",
            "One more idle container takes 3 MiB of the host, a gVisor 19 and a User-Mode Linux 35, each known to a few percent.",
        ],
    },
];

/// Measures what `args` name, or everything, and writes its pages.
pub fn gallery(args: &[String]) -> Result<()> {
    let known = |name: &String| EXHIBITS.iter().any(|exhibit| exhibit.name == name);
    if let Some(unknown) = args.iter().find(|name| !known(name)) {
        let names: Vec<&str> = EXHIBITS.iter().map(|exhibit| exhibit.name).collect();
        bail!("no exhibit '{unknown}'; there are: {}", names.join(", "));
    }
    packages::install()?;
    go::GVISOR.build()?;
    release::build()?;
    for exhibit in EXHIBITS {
        if args.is_empty() || args.iter().any(|name| name == exhibit.name) {
            eprintln!("{}", exhibit.name);
            exhibit.make().with_context(|| exhibit.name)?;
        }
    }
    let index = root().join(FOLDER).join("README.md");
    fs::write(&index, self::index()).with_context(|| index.display().to_string())
}

impl Exhibit {
    fn make(&self) -> Result<()> {
        let campaign = format!("target/gallery/{}", self.name);
        let _ = fs::remove_dir_all(root().join(&campaign));
        let program = go::GVISOR.program().display().to_string();
        let flags = self.flags.replace(GVISOR, &program);
        let words: Vec<&str> = flags.split_whitespace().collect();
        release::said(&[&["run", "--require", "--out", &campaign], &words[..]].concat())?;

        let mut figures = vec![(self.name.to_owned(), None)];
        if !self.figures.is_empty() {
            let name = |bench: &str| format!("{}-{}", self.name, bench.replace('/', "-"));
            figures = self.figures.iter().map(|bench| (name(bench), Some(*bench))).collect();
        }
        for (name, bench) in &figures {
            let file = format!("{FOLDER}/{name}.svg");
            let of = bench.map_or(Vec::new(), |bench| vec!["--bench", bench]);
            let words = ["report", &campaign, "--format", "svg", "--out", &file];
            release::said(&[&words[..], &of].concat())?;
        }
        let board = release::said(&["show", &campaign, "--short", "--color", "never"])?;
        let explained = self
            .explained
            .map(|row| release::said(&["explain", &campaign, row, "--color", "never"]));
        let page = self.page(&figures, &board, explained.transpose()?.as_deref());
        let page =
            page.replace(&program, GVISOR).replace(&release::tare().display().to_string(), "tare");
        let file = root().join(FOLDER).join(format!("{}.md", self.name));
        fs::write(&file, page).with_context(|| file.display().to_string())
    }

    fn page(
        &self,
        figures: &[(String, Option<&str>)],
        board: &str,
        explained: Option<&str>,
    ) -> String {
        let mut page = format!("# {}\n\n", self.question);
        for sentence in self.shows {
            let _ = writeln!(page, "- {sentence}");
        }
        let _ = writeln!(page, "\n<!-- not tested: cargo xtask gallery {} runs it -->", self.name);
        let _ = writeln!(page, "```sh\ntare run {}\n```\n", self.flags);
        for (file, bench) in figures {
            let _ =
                writeln!(page, "![{}]({file}.svg)\n", bench.unwrap_or("An overview of all rows"));
        }
        let _ = writeln!(page, "What tare says of it:\n\n```\n{}\n```", board.trim_end());
        if let (Some(row), Some(text)) = (self.explained, explained) {
            let _ = writeln!(page, "\n`tare explain DIR {row}`:\n\n```\n{}\n```", text.trim_end());
        }
        page
    }
}

/// The page that leads to the others.
fn index() -> String {
    let mut text = String::from(
        "# Gallery\n\nCampaigns of this project, each with its command, its figures and what it shows. `cargo xtask gallery` measures \
         them anew, on a machine that has nothing else to do.\n\n| question | page |\n|---|---|\n",
    );
    for exhibit in EXHIBITS {
        let _ = writeln!(text, "| {} | [{1}]({1}.md) |", exhibit.question, exhibit.name);
    }
    text
}
