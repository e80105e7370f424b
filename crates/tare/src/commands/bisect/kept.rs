//! Where the campaign of a version lies. The end of its folder's name is a hash of everything that decides what is measured
//! there, so that versions whose names look alike, another layer or a rebuilt file never share one.

use crate::cli::RunArgs;
use crate::config::layers;
use crate::policy::Policy;
use crate::{host, interrupt};
use anyhow::Result;
use sha2::{Digest, Sha256};
use std::path::{Path, PathBuf};
use tare_layers::{Host, Keeper, Settings, fresh_id};
use tare_run::{Trials, identity};

/// Most characters of a version in a folder's name: those at its end.
const NAME: usize = 60;

/// Digits of the hash that stand in a folder's name.
const DIGITS: usize = 16;

pub struct Kept<'a> {
    below: &'a Path,
    host: Host,
    keeper: Keeper,
}

/// Where a version's campaign is, or is to be.
pub struct Place {
    pub dir: PathBuf,
    /// Whether a finished campaign is there, which measured just that.
    pub measured: bool,
}

impl<'a> Kept<'a> {
    pub fn below(below: &'a Path) -> Result<Kept<'a>> {
        Ok(Kept { below, host: host::host()?, keeper: host::keeper()? })
    }

    /// The place of the campaign that `run` makes of `version`, a value of its only layer. What an interrupt left is of no use,
    /// so that its place is passed over.
    pub fn place(&self, run: &RunArgs, version: &str) -> Result<Place> {
        let fine = |c: char| if c.is_ascii_alphanumeric() || "-_.+".contains(c) { c } else { '-' };
        let end: String = version.chars().map(fine).rev().take(NAME).collect();
        let name = format!("{}-{}", end.chars().rev().collect::<String>(), self.hash(run)?);
        let numbered = (2..).map(|n| format!("{name}-{n}"));
        let mut dirs = [name.clone()].into_iter().chain(numbered).map(|name| self.below.join(name));
        let usable = |dir: &PathBuf| {
            !dir.exists()
                || tare_store::load(dir).is_ok_and(|campaign| campaign.state == "finished")
        };
        let dir = dirs.find(usable).unwrap_or_default();
        Ok(Place { measured: dir.exists(), dir })
    }

    /// The hash of what `run` measures. Where nobody can say what a boot would use, it is another one each time.
    fn hash(&self, run: &RunArgs) -> Result<String> {
        let RunArgs { bench, load, blocks, seed, layer, .. } = run;
        let machine = run.machine.unwrap_or_default();
        let within = run.boot_limit.unwrap_or(Policy::for_machine(machine).boot_limit);
        let Kept { host, keeper, .. } = self;
        let trials =
            Trials { host, keeper, within, anew: false, interrupted: interrupt::interrupted };
        let asked: Vec<Settings> =
            layer.iter().map(|text| Settings::parse(text)).collect::<Result<_, _>>()?;
        let mut facts = vec![format!("{bench:?} {load:?} {blocks:?} {seed:?} {layer:?}")];
        for asked in layers(machine, &asked)? {
            facts.push(identity(&asked.candidate(machine), &trials).unwrap_or_else(|_| fresh_id()));
        }
        let hash = Sha256::digest(facts.join("\n"));
        Ok(format!("{hash:.DIGITS$x}"))
    }
}
