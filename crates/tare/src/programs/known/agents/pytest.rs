//! A project's tests run.

use super::{Known, PLAIN};

pub const TASK: Known = Known {
    name: "pytest",
    about: "pytest of 40 files with ten tests each, which use temporary folders",
    packages: &["python3-pytest"],
    root_run: "mkdir /srv/tested; cd /srv/tested; i=0; while [ $i -lt 40 ]; do echo 'import pytest\n\
               @pytest.mark.parametrize(\"n\", range(10))\n\
               def test_it(n, tmp_path):\n    (tmp_path / \"a\").write_text(str(n))\n    assert (tmp_path / \"a\").read_text() == str(n)' \
               > test_$i.py; i=$((i + 1)); done",
    command: "cd /srv/tested && python3 -B -m pytest -q -p no:cacheprovider --basetemp /tmp/pytest",
    ..PLAIN
};
