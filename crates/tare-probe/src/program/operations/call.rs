//! A system call of a traced thread, and what it does with names.

use super::held::Through;
use super::ptrace::{components, path_at};
use super::sampled::{NO_MORE, Outcome, one};
use crate::program::filter::APART;
use crate::program::place::{in_tmpfs, leads_to_tmpfs};
use tare_proto::CallClass;

#[derive(Clone, Copy)]
pub struct Call {
    pub number: u64,
    pub args: [u64; 6],
}

impl Call {
    /// Whether it makes the file that it opens, if it is not there.
    pub fn makes(&self, class: CallClass) -> bool {
        matches!(class, CallClass::Open(1)) && self.args[2] as libc::c_int & libc::O_CREAT != 0
    }

    /// Whether the kernel counts it, where it can.
    pub fn is_counted_apart(&self) -> bool {
        APART.contains(&(self.number as libc::c_long))
    }

    /// The descriptor that the path in the argument `place` begins at: the one before it.
    pub fn folder(&self, place: usize) -> Option<u64> {
        (place == 1).then_some(self.args[0])
    }

    /// An operation called `name` on the path in the argument `place`, which `tid` has made with this `result`; `through` tells what
    /// a path leads through that begins at a descriptor, if it begins at no root.
    pub fn on_path(
        &self,
        tid: libc::pid_t,
        name: &'static str,
        place: usize,
        result: i64,
        through: impl FnOnce(Option<u64>, &[u8]) -> Through,
    ) -> Outcome {
        let path = path_at(tid, self.args[place]);
        match path.as_deref() {
            None => one(name),
            Some([]) => one("descriptor"), // of the descriptor itself
            _ if result == -i64::from(libc::ENOENT) => one("lookup_miss"),
            // A program does not ask again where there are no attributes, so its path is in the price of the question.
            _ if name == "xattr" => one(name),
            Some(path) if leads_to_tmpfs(tid, self.folder(place), path) => {
                let further = (components(path) - 1) as f64;
                [(in_tmpfs(name), 1.0), (in_tmpfs("component"), further), NO_MORE]
            }
            Some(path) => {
                let Through { held, others } = through(self.folder(place), path);
                [(name, 1.0), ("component", others), ("component_held", held)]
            }
        }
    }
}
