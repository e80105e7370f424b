//! Where a layer's image is, and why a layer cannot be saved here.

pub(crate) mod criu;

use crate::Unavailable;

/// The folder or file of a layer's image, in the folder that it shares with those that are restored from it.
pub(crate) const IMAGE: &str = "image";

/// The devices of a layer are no part of its image.
pub(crate) fn attached() -> Unavailable {
    Unavailable::new(
        "a layer with a disk, a network or a balloon, or whose programs write to a disk, is not saved: its image would lack what these hold",
        "leave the disk=, net=, balloon= and scratch= of the layer away, and --scratch",
    )
}
