//! Network interfaces of a layer whose network is its own.

use std::fs::File;
use std::io;
use std::mem::MaybeUninit;
use std::os::fd::AsRawFd;
use tare_proto::{NET_NAMESPACE, NET_OWN};

/// Whether this process was given a network namespace of its own, natively.
pub fn has_namespace() -> bool {
    std::env::var_os(NET_NAMESPACE).is_some()
}

/// Enters the network namespace that `TARE_NET_NAMESPACE` names, if any.
pub fn enter_namespace() -> io::Result<()> {
    let Some(path) = std::env::var_os(NET_NAMESPACE) else { return Ok(()) };
    let file = File::open(path)?;
    // SAFETY: setns takes two numbers.
    match unsafe { libc::setns(file.as_raw_fd(), libc::CLONE_NEWNET) } {
        0 => Ok(()),
        _ => Err(io::Error::last_os_error()),
    }
}

/// Gives the interface that `TARE_NET_OWN=NAME:ADDRESS/PREFIX` names its address and brings it up.
/// Benchmarks that need it say so when this fails.
pub fn network_up() {
    let text = std::env::var(NET_OWN).unwrap_or_default();
    let parts = text.split_once(':').and_then(|(name, rest)| {
        let (address, prefix) = rest.split_once('/')?;
        let address: std::net::Ipv4Addr = address.parse().ok()?;
        let mask = u32::MAX.checked_shl(32 - prefix.parse::<u32>().ok()?)?;
        Some((name, u32::from(address), mask))
    });
    let Some((name, address, mask)) = parts else { return };
    set(name, libc::SIOCSIFADDR, |request| request.ifr_ifru.ifru_addr = internet(address));
    set(name, libc::SIOCSIFNETMASK, |request| request.ifr_ifru.ifru_netmask = internet(mask));
    set(name, libc::SIOCSIFFLAGS, |request| {
        request.ifr_ifru.ifru_flags = libc::IFF_UP as libc::c_short;
    });
}

fn internet(address: u32) -> libc::sockaddr {
    let mut found =
        libc::sockaddr { sa_family: libc::AF_INET as libc::sa_family_t, sa_data: [0; 14] };
    let bytes = address.to_be_bytes().map(|byte| byte as libc::c_char);
    found.sa_data[2..6].copy_from_slice(&bytes); // after the port
    found
}

/// Brings the loopback interface up, which an empty guest and a bare network namespace leave down.
/// A benchmark that needs it says so when this fails.
pub fn loopback_up() {
    set("lo", libc::SIOCSIFFLAGS, |request| {
        request.ifr_ifru.ifru_flags = libc::IFF_UP as libc::c_short;
    });
}

/// Sets one property of the interface `name`.
fn set(name: &str, what: impl Into<u64>, fill: impl FnOnce(&mut libc::ifreq)) {
    // SAFETY: socket has no memory preconditions.
    let socket = unsafe { libc::socket(libc::AF_INET, libc::SOCK_DGRAM | libc::SOCK_CLOEXEC, 0) };
    if socket < 0 {
        return;
    }
    let mut request = MaybeUninit::<libc::ifreq>::zeroed();
    // SAFETY: all zeros is a valid request.
    let request = unsafe { request.assume_init_mut() };
    let places = request.ifr_name.iter_mut().take(libc::IFNAMSIZ - 1);
    places.zip(name.bytes()).for_each(|(place, byte)| *place = byte as libc::c_char);
    fill(request);
    // SAFETY: the request is whole and names the interface.
    unsafe { libc::ioctl(socket, what.into() as _, &raw mut *request) };
    // SAFETY: the socket is this function's own.
    unsafe { libc::close(socket) };
}
