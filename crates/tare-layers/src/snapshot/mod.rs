//! Why a layer cannot be saved here.

pub(crate) mod criu;

use crate::Unavailable;

/// What is attached to a layer is no part of its image.
pub(crate) fn attached() -> Unavailable {
    Unavailable::new(
        "a layer with a disk, a network or a root of programs is not saved: its image would lack what these hold",
        "leave the disk=, net= and root= of the layer away",
    )
}
