//! Python packages are installed from a folder.

use super::{Known, PLAIN};

pub const TASK: Known = Known {
    name: "pip",
    about: "pip installs setuptools and wheel from a folder of wheels",
    packages: &["python3-pip", "python3-pip-whl", "python3-setuptools-whl", "python3-wheel-whl"],
    prepare: "rm -rf /tmp/site",
    command: "pip3 install --quiet --no-index --no-cache-dir --disable-pip-version-check --root-user-action ignore \
              --find-links /usr/share/python-wheels --target /tmp/site setuptools wheel",
    ..PLAIN
};
