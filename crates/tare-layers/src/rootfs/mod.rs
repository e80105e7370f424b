//! Roots for programs, made once for a recipe and kept in the cache: a tree of files and, for guests, an image of it.

mod archive;
mod debian;
mod error;
mod image;
mod inside;
mod kept;
mod oci;
mod recipe;
mod room;

pub use kept::{HeldRoot, KeptRoot, clear, hold_again, list};
pub use recipe::RootRecipe;

use crate::files::bounded;
use crate::files::work::Work;
use crate::{Keeper, Unavailable};
use error::RootError;
use nix::fcntl::Flock;
use nix::unistd::geteuid;
use room::Room;
use sha2::{Digest, Sha256};
use std::fs::{self, File, Permissions};
use std::io;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use tare_keeper::cache;

/// Where the tree of a kept root is, and its image; what it is made of, for people and for the record.
const TREE: &str = "tree";
const IMAGE: &str = "image.erofs";
pub(crate) const MADE_OF: &str = "made-of";

/// The folder of all roots in the cache.
const ROOTS: &str = "roots";

/// What is left to do where images cannot be made.
const IMAGELESS: &str =
    "make room in tare's cache, update erofs-utils, or leave out the layers that take an image";

/// A root that is ready. It stays in the cache while this lives.
#[derive(Debug)]
pub struct ReadyRoot {
    /// The folder of its files.
    pub tree: PathBuf,
    /// The image of them, or why it could not be made; `None` if nobody asked for one.
    pub image: Option<Result<PathBuf, Unavailable>>,
    _used: Flock<File>,
}

/// Who makes a root, and where.
pub struct Maker<'a> {
    /// tare's cache.
    pub cache: &'a Path,
    /// Keeps what is started for it.
    pub keeper: &'a Keeper,
    /// Whether somebody has asked tare to end.
    pub interrupted: fn() -> bool,
}

/// Whether an image of the root that `recipe` describes can be had: it is in `cache`, or there is a program that makes images.
///
/// # Errors
/// How to get that program.
pub fn check_image(recipe: &RootRecipe, cache: &Path) -> Result<(), Unavailable> {
    let Err(no) = image::program() else { return Ok(()) };
    let is_kept = |key: String| cache.join(ROOTS).join(key).join(IMAGE).is_file();
    if recipe.key().is_ok_and(is_kept) { Ok(()) } else { Err(no) }
}

/// Makes the root that `recipe` describes, or finds it in the cache; with an `image` for guests.
///
/// # Errors
/// What is missing or wrong with the recipe, and what to do about it.
pub fn ready(recipe: &RootRecipe, image: bool, by: &Maker) -> Result<ReadyRoot, Unavailable> {
    if matches!(recipe, RootRecipe::Debian { .. }) && !geteuid().is_root() {
        let why =
            "packages are installed with files of many owners, which an ordinary user may not make";
        let remedy = "run tare as root, or give an archive of a root (--root FILE.tar)";
        return Err(Unavailable::new(why, remedy));
    }
    let failed =
        |why: RootError| Unavailable::new(format!("no root of {recipe}: {why}"), recipe.remedy());
    let folder = by.cache.join(ROOTS);
    own_folder(&folder).map_err(|why| failed(why.into()))?;
    let key = recipe.key().map_err(failed)?;
    let place = folder.join(&key);
    if !place.is_dir() {
        kept::make_room(&folder).map_err(|why| failed(why.into()))?;
        make(recipe, &folder, &place, by).map_err(failed)?;
    }
    let used = kept::hold(&place).map_err(|why| failed(why.into()))?;
    let tree = match recipe {
        RootRecipe::Folder(folder) => folder.clone(),
        _ => place.join(TREE),
    };
    let imaged = || {
        let made = place.join(IMAGE);
        if !made.is_file() {
            image::make(&image::program()?, &tree, &made, by.interrupted).map_err(|why| {
                Unavailable::new(format!("no image of the root {recipe}: {why}"), IMAGELESS)
            })?;
        }
        Ok(made)
    };
    let image = image.then(imaged);
    Ok(ReadyRoot { tree, image, _used: used })
}

/// The folder of all roots, which nobody else may enter: what is unpacked may hold programs that run as their owner.
fn own_folder(folder: &Path) -> io::Result<()> {
    cache::make(folder)?;
    fs::set_permissions(folder, Permissions::from_mode(0o700))
}

/// Makes a root beside where it is to be, and moves it there whole.
fn make(recipe: &RootRecipe, folder: &Path, place: &Path, by: &Maker) -> Result<(), RootError> {
    let text = RootError::file(folder);
    let work = Work::new_in(folder).map_err(text)?;
    let tree = work.path().join(TREE);
    let mut room = Room::new(by.interrupted);
    let made_of = match recipe {
        RootRecipe::Folder(_) => recipe.to_string(),
        RootRecipe::Archive(file) => {
            fs::create_dir(&tree).map_err(text)?;
            archive::unpack(file, &tree, false, &mut room)?;
            format!("{recipe}\nsha256 {}", hash_of(file)?)
        }
        RootRecipe::OciLayout(layout) => oci::unpack_layout(layout, &tree, &mut room)?,
        RootRecipe::DockerArchive(file) => oci::unpack_docker(file, work.path(), &tree, &mut room)?,
        RootRecipe::Debian { suite, packages, commands } => {
            debian::build(suite, packages, commands, &tree, by)?
        }
    };
    fs::write(work.path().join(MADE_OF), format!("{made_of}\n")).map_err(text)?;
    fs::write(work.path().join(kept::RECIPE), recipe.to_string()).map_err(text)?;
    work.move_to(place).map_err(text)
}

/// The SHA-256 of a regular file.
fn hash_of(file: &Path) -> Result<String, RootError> {
    let named = RootError::file(file);
    let mut hash = Sha256::new();
    io::copy(&mut bounded::open(file, room::BYTES).map_err(named)?, &mut hash).map_err(named)?;
    Ok(format!("{:x}", hash.finalize()))
}
