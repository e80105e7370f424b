//! A program in Go is built again after an edit.

use super::{Known, PLAIN};

pub const TASK: Known = Known {
    name: "go",
    about: "go build of a web server after an edit of its own code: the compiler and the linker",
    packages: &["golang-go"],
    root_run: "mkdir -p /srv/go; cd /srv/go; echo 'module tried\ngo 1.19' > go.mod; echo 'package main; const edit = 0' > edit.go; \
               echo 'package main\nimport (\n\t\"encoding/json\"\n\t\"net/http\"\n)\nfunc main() {\n\t\
               http.HandleFunc(\"/\", func(w http.ResponseWriter, r *http.Request) { json.NewEncoder(w).Encode(edit) })\n\t\
               http.ListenAndServe(\":8080\", nil)\n}' > main.go; GOCACHE=/srv/go/cache go build -o /tmp/served",
    prepare: "echo \"package main; const edit = $(date +%N | sed s/^0*//)\" > /srv/go/edit.go",
    command: "cd /srv/go && GOCACHE=/srv/go/cache GOFLAGS=-buildvcs=false exec go build -o /tmp/served",
    ..PLAIN
};
