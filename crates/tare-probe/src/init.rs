//! The duties of PID 1: mount what the probe needs, find the control line, reap every orphan,
//! power off when done.

use crate::{balloon, facts, inner, interface, modules, process, serve, unknown};
use std::fs::{self, File, OpenOptions};
use std::io;
use std::os::fd::{AsRawFd, RawFd};
use std::os::unix::fs::OpenOptionsExt;
use std::thread;
use std::time::Duration;
use tare_proto::{FromProbe, SCRIPT};

/// How long a guest that is to end later (`tare.end=later`) waits for its line, which is drained when another domain may read
/// it: that domain's work would be measured with what follows, and what it has not read when the guest ends is lost. Xen's
/// console daemon reads at most 30 times in 200 ms.
const UNTIL_READ: Duration = Duration::from_secs(1);

/// Whether this process is PID 1: of a guest that tare booted, or of a container.
pub fn is_first() -> bool {
    std::process::id() == 1
}

/// PID 1 of a guest: never returns to the kernel before the machine is off. Its `arguments` are words of the kernel's command line.
pub fn main(arguments: &[&str]) -> i32 {
    unknown::keep(arguments);
    let inner = inner::read();
    mount_all();
    modules::load(inner.is_some());
    interface::loopback_up();
    interface::network_up();
    let code = match line_device() {
        Ok(line) => {
            let code = match inner {
                Some(inner) => match inner.and_then(|inner| inner::run(&inner, line)) {
                    Ok(()) => 0,
                    Err(why) => report(line, &why.to_string()),
                },
                None => match balloon::start() {
                    Ok(()) => {
                        let script = File::open(SCRIPT).ok();
                        let until_read = until_read();
                        supervise(line, move || {
                            exit_code(match script {
                                Some(script) => serve::on_script(script, line, until_read),
                                None => serve::serve(line, line, until_read),
                            })
                        })
                    }
                    Err(why) => report(line, &why),
                },
            };
            // SAFETY: tcdrain has no memory preconditions; the goodbye must leave before the power.
            unsafe { libc::tcdrain(line) };
            thread::sleep(until_read());
            code
        }
        Err(why) => {
            eprintln!("tare-probe: {why}");
            1
        }
    };
    power_off();
    code
}

/// Runs `work`; as PID 1 of a container it runs in a child, so that orphans are reaped.
pub fn supervised(work: impl FnOnce() -> i32) -> i32 {
    if !is_first() {
        return match interface::enter_namespace() {
            Ok(()) => work(),
            Err(why) => report(1, &format!("its network namespace: {why}")),
        };
    }
    interface::loopback_up();
    supervise(1, work)
}

/// Runs `work` in a child, reaps everything that ends, and tells the host on `line` if the child
/// dies of a signal.
fn supervise(line: RawFd, work: impl FnOnce() -> i32) -> i32 {
    let worker = match process::fork(work) {
        Ok(pid) => pid,
        Err(error) => return report(line, &format!("PID 1 cannot fork: {error}")),
    };
    match process::reap_until(worker) {
        Ok(status) if libc::WIFSIGNALED(status) => {
            let signal = libc::WTERMSIG(status);
            report(line, &format!("the probe was killed by signal {signal}"))
        }
        Ok(status) => libc::WEXITSTATUS(status),
        Err(error) => report(line, &format!("PID 1 cannot wait: {error}")),
    }
}

/// Tells the host what went wrong; the exit code that says so, too.
pub fn report(line: RawFd, message: &str) -> i32 {
    let _ = serve::say(line, &FromProbe::Panic { message: message.to_owned() });
    1
}

fn exit_code(served: io::Result<()>) -> i32 {
    i32::from(served.is_err())
}

/// Mounts the file systems of an otherwise empty guest. What fails shows as a missing fact or
/// scratch folder in the greeting.
fn mount_all() {
    let table = [
        (c"proc", c"/proc"),
        (c"sysfs", c"/sys"),
        (c"devtmpfs", c"/dev"),
        (c"tmpfs", c"/dev/shm"),
        (c"tmpfs", c"/tmp"),
    ];
    for (kind, place) in table {
        let _ = fs::create_dir_all(place.to_str().unwrap_or_default());
        let (kind, place) = (kind.as_ptr(), place.as_ptr());
        // SAFETY: all three strings are NUL-terminated constants; there is no data argument.
        unsafe { libc::mount(kind, place, kind, 0, std::ptr::null()) };
    }
}

/// Opens the device that `tare.line=` on the kernel's command line names, as a raw line.
fn line_device() -> Result<RawFd, String> {
    let arguments = facts::first_line("/proc/cmdline");
    let mut words = arguments.split_whitespace();
    let device = words
        .find_map(|word| word.strip_prefix("tare.line="))
        .ok_or("no tare.line=DEVICE on the kernel's command line")?;
    let opened =
        OpenOptions::new().read(true).write(true).custom_flags(libc::O_NOCTTY).open(device);
    let file = opened.map_err(|e| format!("cannot open {device}: {e}"))?;
    let line = file.as_raw_fd();
    make_raw(line);
    std::mem::forget(file); // open for the life of the guest
    Ok(line)
}

/// No echo, no line editing, no newline translation but one: Cloud Hypervisor hands a newline that it reads alone on as a carriage
/// return, which no message holds. Not a terminal: nothing to do.
fn make_raw(fd: RawFd) {
    let mut settings = std::mem::MaybeUninit::<libc::termios>::zeroed();
    // SAFETY: `settings` is a valid place to write to.
    if unsafe { libc::tcgetattr(fd, settings.as_mut_ptr()) } != 0 {
        return;
    }
    // SAFETY: tcgetattr has filled it.
    unsafe { libc::cfmakeraw(settings.as_mut_ptr()) };
    // SAFETY: as above.
    unsafe { settings.assume_init_mut() }.c_iflag |= libc::ICRNL;
    // SAFETY: as above.
    unsafe { libc::tcsetattr(fd, libc::TCSANOW, settings.as_ptr()) };
}

/// A machine that cannot be switched off says with `tare.end=reboot` that it ends when it is reset.
fn power_off() {
    // SAFETY: sync has no preconditions.
    unsafe { libc::sync() };
    let how = if end() == "reboot" { libc::RB_AUTOBOOT } else { libc::RB_POWER_OFF };
    // SAFETY: reboot has no memory preconditions; as PID 1 of a guest this is how it ends.
    unsafe { libc::reboot(how) };
}

/// How long what was said takes to be read.
fn until_read() -> Duration {
    if end() == "later" { UNTIL_READ } else { Duration::ZERO }
}

/// How the guest is to end: the last word `tare.end=HOW` on the kernel's command line, or nothing.
fn end() -> String {
    let arguments = facts::first_line("/proc/cmdline");
    let mut ends = arguments.split_whitespace().filter_map(|word| word.strip_prefix("tare.end="));
    ends.next_back().unwrap_or_default().to_owned()
}
