//! A system call of a traced thread, and what it does with names.

use super::ptrace::{components, path_at};
use super::sampled::{NO_MORE, Outcome};
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

    /// The descriptor that the path in the argument `place` begins at: the one before it.
    pub fn folder(&self, place: usize) -> Option<u64> {
        (place == 1).then_some(self.args[0])
    }

    /// An operation called `name` on the path in the argument `place`, which `tid` has made with this `result`.
    pub fn on_path(
        &self,
        tid: libc::pid_t,
        name: &'static str,
        place: usize,
        result: i64,
    ) -> Outcome {
        let path = path_at(tid, self.args[place]);
        match path.as_deref().map_or(1, components) {
            0 => [("descriptor", 1.0), NO_MORE], // an empty path: of the descriptor itself
            _ if result == -i64::from(libc::ENOENT) => [("lookup_miss", 1.0), NO_MORE],
            components => {
                let folder = self.folder(place);
                let is_tmpfs = path.is_some_and(|path| leads_to_tmpfs(tid, folder, &path));
                let of = |name| if is_tmpfs { in_tmpfs(name) } else { name };
                [(of(name), 1.0), (of("component"), (components - 1) as f64)]
            }
        }
    }
}
