//! The network between a layer and the host, and the peer at its other end: made by the keeper before the
//! layer starts, removed with the boot.

mod interfaces;

use crate::{BootSpec, Host, Program, Setting, SettingError, Settings, suggestion};
use interfaces::{Made, interfaces};
use std::fs::File;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io::{self, Read};
use std::net::{Ipv4Addr, SocketAddrV4, TcpListener};
use std::path::PathBuf;
use tare_keeper::Helper;
use tare_proto::{NET, Peer};

/// The setting of every kind that can give a network.
pub(crate) const SETTING: Setting = Setting {
    key: "net",
    about: "a network to the host: none (default), host (native), veth (native, containers), user or tap (qemu), \
            tap (uml); veth and tap need root",
};

/// Ports that are neither well-known nor given out by the kernel.
const PORTS: std::ops::Range<u16> = 20_000..30_000;

/// Where QEMU's user network shows the host's loopback interface, and what it calls the guest.
const USER_HOST: Ipv4Addr = Ipv4Addr::new(10, 0, 2, 2);
const USER_GUEST: &str = "10.0.2.15/24";

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Net {
    /// The host's own loopback interface.
    Host,
    /// A pair of interfaces, one in a network namespace.
    Veth,
    /// QEMU's user network (slirp).
    User,
    /// An interface of the host that the layer reads and writes.
    Tap,
    /// The same for a layer that cannot take segments larger than its interface's packets.
    PlainTap,
}

const KINDS: &[(&str, Net)] = &[
    ("host", Net::Host),
    ("veth", Net::Veth),
    ("user", Net::User),
    ("tap", Net::Tap),
    ("tap", Net::PlainTap),
];

/// A network as a layer starts with it.
#[derive(Default)]
pub(crate) struct Link {
    /// What [`NET`] is to say.
    pub told: String,
    /// The layer's own address with its prefix, if it has to set that itself.
    pub own: Option<String>,
    pub interface: Option<String>,
    /// The network namespace that the layer is to be in.
    pub namespace: Option<PathBuf>,
}

/// The network that a layer of `kind` gets when a benchmark needs one and nothing is set.
pub(crate) fn usual(kind: &str) -> &'static str {
    match kind {
        "native" => "host",
        "runc" | "crun" | "runsc" => "veth",
        "qemu" | "kvm" => "user",
        "uml" => "tap",
        _ => "none",
    }
}

/// The network that a layer of `kind` gets when its service is to be asked from the host. Natively it is a namespace of its own, since two
/// boots of the host are alive at once and their servers want the same port.
pub(crate) fn reachable(kind: &str) -> &'static str {
    match kind {
        "native" => "veth",
        "qemu" | "kvm" => "tap",
        kind => usual(kind),
    }
}

impl Net {
    /// Reads the setting of a kind that has `possible` networks.
    pub fn read(settings: &Settings, possible: &[Net]) -> Result<Option<Net>, SettingError> {
        let Some(text) = settings.get(SETTING.key).filter(|text| *text != "none") else {
            return Ok(None);
        };
        let kinds = || KINDS.iter().filter(|(_, net)| possible.contains(net));
        let known: Vec<&str> = kinds().map(|(name, _)| *name).chain(["none"]).collect();
        let found = kinds().find(|(name, _)| *name == text).map(|(_, net)| *net);
        let refused = || SettingError(format!("net={text}; {}", suggestion(text, &known)));
        found.ok_or_else(refused).map(Some)
    }

    /// Adds the network and its peer to `program`. Without the rights for it the layer is told so.
    pub fn attach(self, host: &Host, boot: &BootSpec, program: &mut Program) -> io::Result<Link> {
        let mut hash = DefaultHasher::new();
        boot.id.hash(&mut hash);
        let number = hash.finish();
        let made = match self {
            Net::Host | Net::User => Ok(Made::default()),
            Net::Veth => interfaces(number).map(|it| it.veth(boot.id)),
            Net::Tap => interfaces(number).map(|it| it.tap("")),
            Net::PlainTap => interfaces(number).map(|it| it.tap(" gso_max_segs 1")),
        };
        let Made { setup, link, address } = match made {
            Ok(made) => made,
            Err(why) => return Ok(Link { told: format!("none: {why}"), ..Link::default() }),
        };
        let ip = address.unwrap_or(Ipv4Addr::LOCALHOST);
        let peer = Peer { address: SocketAddrV4::new(ip, free_port(number)?), cookie: cookie()? };
        program.setup.extend(setup);
        program.helpers.push(Helper {
            what: "the other end of the network".into(),
            program: host.probe.clone(),
            args: vec!["peer".into()],
            env: vec![(NET.into(), peer.to_string())],
        });
        if self == Net::User {
            let address = SocketAddrV4::new(USER_HOST, peer.address.port());
            let told = Peer { address, ..peer }.to_string();
            return Ok(Link { told, own: Some(USER_GUEST.into()), ..link });
        }
        Ok(Link { told: peer.to_string(), ..link })
    }
}

/// A port that nobody listens at.
fn free_port(number: u64) -> io::Result<u16> {
    let count = u64::from(PORTS.end - PORTS.start);
    let ports = (0..count).map(|n| PORTS.start + ((number + n) % count) as u16);
    let free = |port: &u16| TcpListener::bind((Ipv4Addr::UNSPECIFIED, *port)).is_ok();
    ports.take(100).find(free).ok_or_else(|| io::Error::other("no free port for the peer"))
}

fn cookie() -> io::Result<u64> {
    let mut bytes = [0; 8];
    File::open("/dev/urandom")?.read_exact(&mut bytes)?;
    Ok(u64::from_le_bytes(bytes))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_kind_has_its_networks_and_no_other() {
        let read = |text: &str, possible: &[Net]| {
            Net::read(&Settings::parse(&format!("x,net={text}")).unwrap(), possible)
        };
        assert_eq!(read("none", &[]).unwrap(), None);
        assert_eq!(read("tap", &[Net::User, Net::Tap]).unwrap(), Some(Net::Tap));
        let refused = read("veth", &[Net::User, Net::Tap]).unwrap_err().to_string();
        assert!(refused.contains("net=veth") && refused.contains("user"), "{refused}");
    }
}
