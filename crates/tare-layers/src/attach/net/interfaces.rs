//! Interfaces of the host's and a network of theirs that nobody else uses: the commands that make and remove them.

use super::Link;
use crate::Step;
use std::fs;
use std::net::Ipv4Addr;
use std::path::PathBuf;
use tare_keeper::programs;

/// Addresses that are set aside for measuring networks (RFC 2544), and their mask: 198.18.0.0/15.
const MEASURING: u32 = 0xc612_0000;
const MEASURING_MASK: u32 = 0xfffe_0000;

/// Networks of four addresses in it, and the mask of one: /30.
const NETWORKS: u64 = 1 << 15;
const NETWORK_MASK: u32 = !3;

/// The host's routes, one a line.
const ROUTES: &str = "/proc/net/route";

/// The capability to make interfaces, as a bit of `CapEff`.
const CAP_NET_ADMIN: u64 = 1 << 12;

/// Steps that make a network, what the layer needs of it, and the host's address there.
#[derive(Default)]
pub(super) struct Made {
    pub(super) setup: Vec<Step>,
    pub(super) link: Link,
    pub(super) address: Option<Ipv4Addr>,
}

/// A name, a network and two addresses of it that no other boot has.
pub(super) struct Interfaces {
    ip: String,
    name: String,
    network: Ipv4Addr,
    host: Ipv4Addr,
    layer: Ipv4Addr,
}

/// Names and addresses for interfaces, if this user may make any.
pub(super) fn interfaces(number: u64) -> Result<Interfaces, String> {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let rights = status.lines().find_map(|line| line.strip_prefix("CapEff:"));
    let rights = rights.and_then(|text| u64::from_str_radix(text.trim(), 16).ok()).unwrap_or(0);
    if rights & CAP_NET_ADMIN == 0 {
        return Err("making its network interfaces needs root (CAP_NET_ADMIN)".into());
    }
    let ip = programs::find("ip").map_err(|missing| missing.to_string())?;
    let network = free_network(number, &fs::read_to_string(ROUTES).unwrap_or_default())
        .ok_or("every network of 198.18.0.0/15 is in use on this host")?;
    let [network, host, layer] = [0, 1, 2].map(|at| Ipv4Addr::from(network + at));
    let name = interface(number);
    Ok(Interfaces { ip: ip.to_string_lossy().into_owned(), name, network, host, layer })
}

/// A network that none of `routes` is about; a route to more than all of them (a default one, a tunnel's) is about none.
/// Where another boot takes it at the same time, only one of them can make its route to it.
fn free_network(number: u64, routes: &str) -> Option<u32> {
    let used: Vec<(u32, u32)> = routes.lines().filter_map(route).collect();
    let used: Vec<_> = used.into_iter().filter(|(_, mask)| *mask >= MEASURING_MASK).collect();
    let drawn = (0..NETWORKS).map(|n| MEASURING + (number.wrapping_add(n) % NETWORKS) as u32 * 4);
    let about = |network: u32, (other, mask): (u32, u32)| {
        let mask = mask & NETWORK_MASK;
        network & mask == other & mask
    };
    drawn.into_iter().find(|network| !used.iter().any(|route| about(*network, *route)))
}

/// Where a line of [`ROUTES`] leads: an address and a mask, as they lie in memory.
fn route(line: &str) -> Option<(u32, u32)> {
    let fields: Vec<&str> = line.split_whitespace().collect();
    let number = |at: usize| u32::from_str_radix(fields.get(at)?, 16).ok().map(u32::from_be);
    number(1).zip(number(7))
}

/// An interface's name, as long as the kernel allows: what has it was made by this boot.
fn interface(number: u64) -> String {
    let digits = (0..11).scan(number, |rest, _| {
        let digit = char::from_digit((*rest % 36) as u32, 36);
        *rest /= 36;
        digit
    });
    "tare".chars().chain(digits).collect()
}

impl Interfaces {
    fn command(&self, words: &str) -> Vec<String> {
        let words = words.split(' ').map(str::to_owned);
        [self.ip.clone()].into_iter().chain(words).collect()
    }

    /// The host's address, and the route to the network: by itself, since then it fails where there is one already.
    fn address(&self) -> (String, String) {
        let Interfaces { name, host, .. } = self;
        (format!("addr add {host}/30 dev {name} noprefixroute"), String::new())
    }

    fn route(&self) -> (String, String) {
        let Interfaces { name, network, host, .. } = self;
        (format!("route add {network}/30 dev {name} src {host}"), String::new())
    }

    /// One interface for the host, the other, `eth0`, in a namespace called `id`.
    pub(super) fn veth(self, id: &str) -> Made {
        let Interfaces { name, layer, .. } = &self;
        let setup = [
            (format!("netns add {id}"), format!("netns del {id}")),
            (
                format!("link add {name} type veth peer name eth0 netns {id}"),
                format!("link del {name}"),
            ),
            self.address(),
            (format!("link set {name} up"), String::new()),
            self.route(),
            (format!("-n {id} addr add {layer}/30 dev eth0"), String::new()),
            (format!("-n {id} link set eth0 up"), String::new()),
            (format!("-n {id} link set lo up"), String::new()),
        ];
        let namespace = Some(PathBuf::from("/run/netns").join(id));
        self.made(&setup, Link { namespace, ..Link::default() })
    }

    /// An interface whose other side is a file, with more `options`.
    pub(super) fn tap(self, options: &str) -> Made {
        let Interfaces { name, layer, .. } = &self;
        let setup = [
            (format!("tuntap add dev {name} mode tap"), format!("link del {name}")),
            self.address(),
            (format!("link set {name} up{options}"), String::new()),
            self.route(),
        ];
        let own = Some(format!("{layer}/30"));
        let interface = Some(name.clone());
        self.made(&setup, Link { own, interface, ..Link::default() })
    }

    /// Pairs of what makes something and what removes it.
    fn made(&self, setup: &[(String, String)], link: Link) -> Made {
        let words = |line: &String| if line.is_empty() { Vec::new() } else { self.command(line) };
        let step = |(make, undo): &(String, String)| Step {
            make: words(make),
            undo: words(undo),
            seconds: None,
        };
        let setup = setup.iter().map(step).collect();
        Made { setup, link, address: Some(self.host) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::process::Command;

    /// What boot `number` gets when the first network is free.
    fn made(number: u64) -> Interfaces {
        let [network, host, layer] = [0, 1, 2].map(|at| Ipv4Addr::new(198, 18, 0, at));
        Interfaces { ip: "ip".into(), name: interface(number), network, host, layer }
    }

    #[test]
    fn a_network_that_is_in_use_is_not_drawn() {
        let line = |destination: [u8; 4], mask: [u8; 4]| {
            let [to, mask] = [destination, mask].map(u32::from_ne_bytes);
            format!("eth0\t{to:08X}\t00000000\t0001\t0\t0\t0\t{mask:08X}\t0\t0\t0")
        };
        let head =
            "Iface Destination Gateway Flags RefCnt Use Metric Mask MTU Window IRTT".to_owned();
        let free = |number: u64, routes: &[String]| {
            let routes = [[head.clone()].as_slice(), routes].concat().join("\n");
            free_network(number, &routes).map(|network| Ipv4Addr::from(network).to_string())
        };
        let first = line([198, 18, 0, 0], [255, 255, 255, 252]);
        let one_address = line([198, 18, 0, 6], [255, 255, 255, 255]);
        let everything = line([0, 0, 0, 0], [0, 0, 0, 0]);
        let half = line([128, 0, 0, 0], [128, 0, 0, 0]);
        assert_eq!(free(0, &[everything, half]).as_deref(), Some("198.18.0.0"));
        assert_eq!(free(0, std::slice::from_ref(&first)).as_deref(), Some("198.18.0.4"));
        assert_eq!(free(0, &[first, one_address]).as_deref(), Some("198.18.0.8"));
        let lower = line([198, 18, 0, 0], [255, 255, 0, 0]);
        assert_eq!(free(5, &[lower]).as_deref(), Some("198.19.0.0"));
        let all = line([198, 18, 0, 0], [255, 254, 0, 0]);
        assert_eq!(free(5, &[all]), None);
        assert_eq!(
            free(NETWORKS - 1, &[line([198, 19, 255, 252], [255, 255, 255, 252])]).as_deref(),
            Some("198.18.0.0")
        );
    }

    /// In a network namespace of its own: nothing of it reaches the host.
    #[test]
    fn two_boots_that_drew_the_same_network_do_not_both_get_it() {
        let script = |boot: u64| -> Vec<String> {
            made(boot).tap("").setup.iter().map(|step| step.make.join(" ")).collect()
        };
        let run = |lines: &[String]| {
            let all = lines.join(" && ");
            Command::new("unshare").args(["-rn", "sh", "-c", &all]).output().unwrap()
        };
        let one = script(1);
        let other = script(2);
        let alone = run(&one);
        assert!(alone.status.success(), "{}", String::from_utf8_lossy(&alone.stderr));
        let both = run(&[one, other].concat());
        let said = String::from_utf8_lossy(&both.stderr).into_owned();
        assert!(!both.status.success() && said.contains("File exists"), "{said}");
    }

    #[test]
    fn every_interface_has_a_name_that_fits_and_is_removed() {
        let it = || made(u64::MAX);
        assert!(it().name.len() < 16, "longer than the kernel's names");
        let undone = |made: &Made| {
            let steps = made.setup.iter().filter(|step| !step.undo.is_empty());
            steps.map(|step| step.undo.clone()).collect::<Vec<_>>().into_iter()
        };
        let veth = it().veth("tare-1-0");
        let tap = it().tap("");
        for made in [&veth, &tap] {
            let name = interface(u64::MAX);
            let removed = undone(made).any(|words| words[1..] == ["link", "del", &name]);
            assert!(removed, "{:?}", made.setup);
        }
        assert!(undone(&veth).any(|words| words[1..] == ["netns", "del", "tare-1-0"]));
        assert_ne!(interface(1), interface(1 << 40));
        assert_eq!(tap.link.own.as_deref(), Some("198.18.0.2/30"));
    }
}
