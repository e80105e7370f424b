//! Why a layer cannot be saved here.

pub(crate) mod criu;

use crate::Unavailable;

pub use criu::said_by_criu;

/// The devices of a layer are no part of its image.
pub(crate) fn attached() -> Unavailable {
    Unavailable::new(
        "a layer with a disk, a network or a balloon is not saved: its image would lack what these hold",
        "leave the disk=, net= and balloon= of the layer away",
    )
}
