//! A guest inside of the guest (KVM on the machine's emulated SVM): its addresses look like its
//! host's, so what runs between an exit and the next entry is told apart by these two.

use crate::counts::{self, COUNT, Event, Snapshot};
use crate::place::Place;

#[derive(Default)]
pub struct Guest {
    /// Between an entry and the next exit.
    pub inside: bool,
    since: Option<Box<Snapshot>>,
    /// What hosts have executed between exits and entries.
    pub host: Option<Box<Snapshot>>,
}

impl Guest {
    /// Whether a host executes, between an exit and the next entry.
    #[inline(always)]
    pub fn is_host(&self) -> bool {
        self.since.is_some()
    }

    pub fn enter(&mut self) {
        self.inside = true;
        if let Some(since) = self.since.take() {
            let now = counts::snapshot();
            let host = self.host.get_or_insert_with(|| Box::new([0; COUNT]));
            for at in 0..COUNT {
                host[at] += now[at] - since[at];
            }
        }
    }

    pub fn exit(&mut self) {
        counts::bump(counts::vm_exits());
        self.inside = false;
        self.since = Some(Box::new(counts::snapshot()));
    }
}

/// Whose that is which a host executes at an address of `place`: the hypervisor's. Another domain's kernel stays its own.
pub fn place_in_host(place: Place) -> Place {
    if place == Place::Dom0 { Place::Dom0 } else { Place::Hypervisor }
}

/// Moves what the `host` has executed out of `counted` and to its own place.
pub fn take_apart(counted: &mut Snapshot, host: &Snapshot) {
    for place in Place::ALL {
        for (event, _) in Event::ALL {
            let at = counts::index(place, event);
            counted[at] -= host[at];
            counted[counts::index(place_in_host(place), event)] += host[at];
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    use crate::counts::index;

    #[test]
    fn what_a_host_executes_is_the_hypervisors() {
        let (mut counted, mut host) = ([0; COUNT], [0; COUNT]);
        let at = |place| index(place, Event::Instructions);
        counted[at(Place::Kernel)] = 100;
        counted[at(Place::User)] = 50;
        counted[at(Place::Dom0)] = 7;
        host[at(Place::Kernel)] = 30;
        host[at(Place::User)] = 20;
        host[at(Place::Dom0)] = 7;
        take_apart(&mut counted, &host);
        assert_eq!(
            [Place::User, Place::Kernel, Place::Hypervisor, Place::Dom0]
                .map(|place| counted[at(place)]),
            [30, 70, 50, 7]
        );
    }
}
