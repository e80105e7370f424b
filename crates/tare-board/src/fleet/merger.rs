//! Puts what was kept of many hosts together, one by one.

use super::merged::{HostEffect, Merged, MergedCell, MergedHost, MissingHost};
use super::reduce::Reduced;
use super::refuse::{MergeError, same_plan};
use tare_stats::Estimator;

/// Merges campaigns as they come.
#[derive(Debug, Default)]
pub struct Merger {
    estimator: Option<Estimator>,
    merged: Option<Merged>,
    missing: Vec<MissingHost>,
    /// What tells campaigns apart: each host's name, and what was measured there.
    seen: Vec<(String, u64)>,
}

impl Merger {
    /// No campaign yet. All were reduced with `estimator`.
    #[must_use]
    pub fn new(estimator: Option<Estimator>) -> Merger {
        Merger { estimator, ..Merger::default() }
    }

    /// Adds the campaign of a host. One without a single figure is a host that is missing.
    ///
    /// # Errors
    /// What makes its figures say nothing together with those of the others.
    pub fn add(&mut self, name: &str, reduced: Reduced) -> Result<(), MergeError> {
        self.is_new(name)?;
        if let Some(merged) = &self.merged {
            same_plan(name, &reduced, merged)?;
        }
        let Reduced { plan, layers, benchmarks, host, found, fingerprint } = reduced;
        if found.iter().all(|(_, effect)| effect.is_none()) {
            let why = format!("its campaign is {} and has no figure", host.state);
            return self.miss(name, &why);
        }
        self.keep(name, fingerprint)?;
        let merged = self.merged.get_or_insert_with(|| {
            let estimator = self.estimator.map(|estimator| estimator.to_string());
            Merged { layers, benchmarks, ..Merged::of(plan, estimator) }
        });
        let at = merged.hosts.len();
        merged.hosts.push(MergedHost { name: name.into(), ..host });
        for (subject, effect) in found {
            let Some(effect) = effect else { continue };
            let effect = HostEffect { host: at, ..effect };
            match merged.cells.iter_mut().find(|cell| cell.subject == subject) {
                Some(cell) => cell.effects.push(effect),
                None => merged.cells.push(MergedCell { subject, effects: vec![effect] }),
            }
        }
        Ok(())
    }

    /// Names a host that has no figures, and why.
    ///
    /// # Errors
    /// When another one has that name.
    pub fn miss(&mut self, name: &str, why: &str) -> Result<(), MergeError> {
        self.is_new(name)?;
        self.missing.push(MissingHost { name: name.into(), why: why.into() });
        Ok(())
    }

    /// Everything that was added.
    ///
    /// # Errors
    /// When no host has a figure.
    pub fn finish(self) -> Result<Merged, MergeError> {
        let merged = self.merged.ok_or(MergeError::Nothing)?;
        Ok(Merged { missing: self.missing, ..merged })
    }

    fn is_new(&self, name: &str) -> Result<(), MergeError> {
        let measured = self.seen.iter().map(|(known, _)| known.as_str());
        let mut known = measured.chain(self.missing.iter().map(|host| host.name.raw()));
        if known.any(|known| known == name) {
            Err(MergeError::SameName(name.into()))
        } else {
            Ok(())
        }
    }

    /// Remembers the campaign, unless it is one that was added already.
    fn keep(&mut self, name: &str, own: u64) -> Result<(), MergeError> {
        if let Some((other, _)) = self.seen.iter().find(|(_, seen)| *seen == own) {
            return Err(MergeError::SameCampaign(other.clone(), name.into()));
        }
        self.seen.push((name.into(), own));
        Ok(())
    }
}
