//! Kernels and programs that run where they are linked, as in a machine whose kernel does not shuffle addresses: which function an address is of.

use crate::elf::Code;
use std::collections::HashMap;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::SystemTime;

/// What was read, by path and by when it was changed.
type Known = HashMap<(PathBuf, SystemTime), Arc<Code>>;

/// The functions of the images that one machine runs.
#[derive(Debug, Default)]
pub struct Linked(Vec<Arc<Code>>);

impl Linked {
    /// Of these files. One that is no image, has no symbols or may be loaded anywhere has no functions.
    pub fn of<P: AsRef<Path>>(files: impl IntoIterator<Item = P>) -> Linked {
        let all = files.into_iter().filter_map(|path| code(path.as_ref()));
        Linked(all.filter(|code| code.is_fixed).collect())
    }

    /// The function at `address`; `None` where nobody says it.
    pub fn function(&self, address: u64) -> Option<&str> {
        self.0.iter().find_map(|code| code.function_at(address))
    }
}

/// The functions of kernel modules, by the modules' names.
#[derive(Debug, Default)]
pub struct Modules(HashMap<String, Code>);

impl Modules {
    /// Of the files `NAME.ko` in `folder`. One that is no module has no functions.
    pub fn in_folder(folder: &Path) -> Modules {
        let files = fs::read_dir(folder).into_iter().flatten().flatten();
        let module = |path: PathBuf| {
            let name = path.file_name()?.to_str()?.strip_suffix(".ko")?.replace('-', "_");
            Some((name, File::open(&path).ok().and_then(|file| Code::of_module(file).ok())?))
        };
        Modules(files.filter_map(|file| module(file.path())).collect())
    }

    /// The names of all.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.0.keys().map(String::as_str)
    }

    /// The function so many bytes behind where the code of module `name` begins; `None` where nobody says it.
    pub fn function(&self, name: &str, offset: u64) -> Option<&str> {
        self.0.get(name)?.function_at(offset)
    }
}

/// The code in a file, read once.
fn code(path: &Path) -> Option<Arc<Code>> {
    static ALL: Mutex<Option<Known>> = Mutex::new(None);
    let key = (path.to_owned(), fs::metadata(path).and_then(|it| it.modified()).ok()?);
    let mut all = ALL.lock().unwrap_or_else(PoisonError::into_inner);
    let read = || {
        Arc::new(File::open(path).ok().and_then(|it| Code::of_kernel(it).ok()).unwrap_or_default())
    };
    Some(all.get_or_insert_default().entry(key).or_insert_with(read).clone())
}
