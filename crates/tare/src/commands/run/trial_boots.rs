//! Where layers are booted before there is a campaign: for trials, searches and rehearsals.

use crate::interrupt;
use crate::loads::find_all;
use crate::progress::Progress;
use anyhow::{Result, bail};
use std::time::Duration;
use tare_layers::{Host, Keeper};
use tare_proto::{BenchInfo, Machine};
use tare_run::{CampaignLayer, Event, FoundLoads, Observer, Search, Trials};

pub struct TrialBoots<'a> {
    pub host: &'a Host,
    pub keeper: &'a Keeper,
    pub machine: Machine,
    /// CPUs that layers are pinned to.
    pub cpus: &'a [u32],
    /// Time that a layer may take to greet.
    pub boot: Duration,
}

impl<'a> TrialBoots<'a> {
    pub fn trials(&self) -> Trials<'a> {
        Trials {
            host: self.host,
            keeper: self.keeper,
            within: self.boot,
            anew: false,
            interrupted: interrupt::interrupted,
        }
    }

    /// What is to be found out by boots of `layer`.
    pub fn search(&self, layer: &'a CampaignLayer) -> Search<'a> {
        let TrialBoots { host, keeper, machine, cpus, boot } = *self;
        Search {
            name: &layer.name,
            layer: &*layer.layer,
            host,
            keeper,
            machine,
            cpus,
            batch_ns: tare_run::BATCH_NS,
            boot,
            interrupted: interrupt::interrupted,
        }
    }

    /// The loads of every one of `benches`, as they are found on `layer`; what an interrupt cut short is left out.
    pub fn search_loads(
        &self,
        benches: Vec<&BenchInfo>,
        layer: &'a CampaignLayer,
        progress: &mut Progress,
    ) -> Result<Vec<FoundLoads>> {
        let search = self.search(layer);
        let name = &layer.name;
        find_all(benches, |bench| match search.loads(bench, progress) {
            Ok(found) => {
                progress.event(Event::Loads(&found));
                Ok(Some(found))
            }
            Err(_) if interrupt::interrupted() => Ok(None),
            Err(error) => {
                let bench = &bench.name;
                bail!(
                    "no loads for {bench}: {name} failed ({error}); list some: --load {bench}=1,2,4"
                )
            }
        })
    }
}
