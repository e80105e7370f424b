//! Which CPUs a process may run on, for hosts of any size: the C library's set is limited to 1,024.

use nix::errno::Errno;
use std::io;

/// CPUs in a word of a mask.
const WORD: usize = 64;

/// Words to begin with; the kernel refuses masks that are shorter than its own.
const FIRST: usize = 16;

/// Words that no kernel needs.
const MOST: usize = 4096;

/// The CPUs that this process may run on.
pub fn allowed() -> io::Result<Vec<u32>> {
    read(|mask| {
        let bytes = size_of_val(mask);
        // SAFETY: the pointer and the size are of the same mask, which the call may fill.
        let written =
            unsafe { libc::syscall(libc::SYS_sched_getaffinity, 0, bytes, mask.as_mut_ptr()) };
        Ok(Errno::result(written).map(drop)?)
    })
}

/// Lets this process, and what it starts, run on `cpus` alone.
///
/// # Errors
/// When none of them is a CPU that it may use.
pub fn pin(cpus: &[u32]) -> io::Result<()> {
    pin_thread(0, cpus)
}

/// Lets the thread `tid`, and what it starts from now on, run on `cpus` alone; 0 is this one.
///
/// # Errors
/// When none of them is a CPU that it may use, when it has ended, or belongs to another user.
pub fn pin_thread(tid: u32, cpus: &[u32]) -> io::Result<()> {
    let mask = mask(cpus);
    let bytes = size_of_val(&mask[..]);
    // SAFETY: the pointer and the size are of the same mask, which the call reads.
    let done = unsafe { libc::syscall(libc::SYS_sched_setaffinity, tid, bytes, mask.as_ptr()) };
    Ok(Errno::result(done).map(drop)?)
}

/// Asks `kernel` for its mask with ever longer ones, as long as it says that they are too short.
fn read(kernel: impl Fn(&mut [u64]) -> io::Result<()>) -> io::Result<Vec<u32>> {
    let mut mask = vec![0; FIRST];
    loop {
        match kernel(&mut mask) {
            Ok(()) => return Ok(cpus(&mask)),
            Err(short) if short.kind() == io::ErrorKind::InvalidInput && mask.len() < MOST => {
                mask = vec![0; 2 * mask.len()];
            }
            Err(error) => return Err(error),
        }
    }
}

fn cpus(mask: &[u64]) -> Vec<u32> {
    let has = |cpu: &usize| mask[cpu / WORD] >> (cpu % WORD) & 1 == 1;
    (0..mask.len() * WORD).filter(has).map(|cpu| cpu as u32).collect()
}

fn mask(cpus: &[u32]) -> Vec<u64> {
    let last = cpus.iter().max().map_or(0, |&cpu| cpu as usize);
    let mut mask = vec![0; (last / WORD + 1).max(FIRST)];
    for &cpu in cpus {
        mask[cpu as usize / WORD] |= 1 << (cpu as usize % WORD);
    }
    mask
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn masks_and_lists_say_the_same() {
        for list in [vec![0], vec![0, 1, 63, 64], vec![1023, 1024, 5000], Vec::new()] {
            assert_eq!(cpus(&mask(&list)), list);
        }
    }

    #[test]
    fn a_kernel_of_more_than_1024_cpus_is_asked_again() {
        let large = |mask: &mut [u64]| {
            if size_of_val(mask) < 1024 {
                return Err(io::Error::from_raw_os_error(libc::EINVAL));
            }
            mask[0] = 1;
            mask[127] = 1 << 63;
            Ok(())
        };
        assert_eq!(read(large).unwrap(), [0, 8191]);
        let never = |_: &mut [u64]| Err(io::Error::from_raw_os_error(libc::EINVAL));
        assert!(read(never).is_err(), "it ends");
    }

    #[test]
    fn this_host_says_and_takes_its_own_word() {
        let here = allowed().unwrap();
        assert!(!here.is_empty());
        pin(&here).unwrap();
        assert_eq!(allowed().unwrap(), here);
        assert!(pin(&[]).is_err());
    }
}
