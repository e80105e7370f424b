//! Roots for programs, made once for a recipe and kept in the cache: a tree of files and, for guests, an image of it.

mod archive;
mod debian;
mod image;
mod inside;
mod kept;
mod oci;
mod recipe;

pub use kept::{HeldRoot, KeptRoot, clear, hold_again, list};
pub use recipe::RootRecipe;

use crate::{Unavailable, cache};
use nix::fcntl::Flock;
use nix::unistd::geteuid;
use sha2::{Digest, Sha256};
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

/// Where the tree of a kept root is, and its image; what it is made of, for people and for the record.
const TREE: &str = "tree";
const IMAGE: &str = "image.erofs";
pub(crate) const MADE_OF: &str = "made-of";

/// A root that is ready. It stays in the cache while this lives.
#[derive(Debug)]
pub struct ReadyRoot {
    /// The folder of its files.
    pub tree: PathBuf,
    /// The image of them, if it was asked for.
    pub image: Option<PathBuf>,
    _used: Flock<File>,
}

/// Makes the root that `recipe` describes, or finds it in `cache`; with an `image` for guests.
///
/// # Errors
/// What is missing or wrong with the recipe, and what to do about it.
pub fn ready(recipe: &RootRecipe, cache: &Path, image: bool) -> Result<ReadyRoot, Unavailable> {
    if matches!(recipe, RootRecipe::Debian { .. }) && !geteuid().is_root() {
        let why =
            "packages are installed with files of many owners, which an ordinary user may not make";
        let remedy = "run tare as root, or give an archive of a root (--root FILE.tar)";
        return Err(Unavailable::new(why, remedy));
    }
    let failed =
        |why: String| Unavailable::new(format!("no root of {recipe}: {why}"), recipe.remedy());
    let folder = cache.join("roots");
    cache::make(&folder).map_err(|why| failed(why.to_string()))?;
    let key = recipe.key().map_err(failed)?;
    let place = folder.join(&key);
    if !place.is_dir() {
        kept::make_room(&folder).map_err(|why| failed(why.to_string()))?;
        make(recipe, &folder, &place).map_err(failed)?;
    }
    let used = kept::hold(&place).map_err(|why| failed(why.to_string()))?;
    let tree = match recipe {
        RootRecipe::Folder(folder) => folder.clone(),
        _ => place.join(TREE),
    };
    let made = place.join(IMAGE);
    if image && !made.is_file() {
        image::make(&tree, &made).map_err(failed)?;
    }
    Ok(ReadyRoot { tree, image: image.then_some(made), _used: used })
}

/// Makes a root beside where it is to be, and moves it there whole.
fn make(recipe: &RootRecipe, folder: &Path, place: &Path) -> Result<(), String> {
    let text = |e: io::Error| format!("{}: {e}", folder.display());
    let work = tempfile::Builder::new().prefix(".making-").tempdir_in(folder).map_err(text)?;
    let tree = work.path().join(TREE);
    let made_of = match recipe {
        RootRecipe::Folder(_) => recipe.to_string(),
        RootRecipe::Archive(file) => {
            fs::create_dir(&tree).map_err(text)?;
            archive::unpack(file, &tree, false)?;
            format!("{recipe}\nsha256 {}", hash_of(file)?)
        }
        RootRecipe::OciLayout(layout) => oci::unpack_layout(layout, &tree)?,
        RootRecipe::DockerArchive(file) => oci::unpack_docker(file, work.path(), &tree)?,
        RootRecipe::Debian { suite, packages, commands } => {
            debian::build(suite, packages, commands, &tree)?
        }
    };
    fs::write(work.path().join(MADE_OF), format!("{made_of}\n")).map_err(text)?;
    fs::write(work.path().join(kept::RECIPE), recipe.to_string()).map_err(text)?;
    let open = std::os::unix::fs::PermissionsExt::from_mode(0o755);
    fs::set_permissions(work.path(), open).map_err(text)?;
    match fs::rename(work.path(), place) {
        Err(_) if place.is_dir() => Ok(()), // another tare was faster
        done => done.map_err(text),
    }
}

/// The SHA-256 of a file.
fn hash_of(file: &Path) -> Result<String, String> {
    let named = |e: io::Error| format!("{}: {e}", file.display());
    let mut hash = Sha256::new();
    io::copy(&mut File::open(file).map_err(named)?, &mut hash).map_err(named)?;
    Ok(format!("{:x}", hash.finalize()))
}
