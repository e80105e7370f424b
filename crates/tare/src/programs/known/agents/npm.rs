//! A project's packages of Node are installed by its lockfile.

use super::{Known, PLAIN};

pub const TASK: Known = Known {
    name: "npm",
    about: "npm ci of a lockfile of 100 packages from a folder",
    packages: &["npm"],
    // Debian's own packages of Node, packed as a registry has them. What they ask for in turn is not among them, so they ask for nothing.
    root_run: "mkdir -p /srv/npm/packed; cd /srv/npm; export HOME=/tmp; node -e '\
               const fs = require(\"fs\"), from = \"/usr/share/nodejs/\", dependencies = {};\n\
               const names = fs.readdirSync(from).sort().filter((it) => fs.existsSync(from + it + \"/package.json\"));\n\
               for (const name of names.slice(0, 100)) {\n\
                 const { version } = JSON.parse(fs.readFileSync(from + name + \"/package.json\"));\n\
                 fs.cpSync(from + name, \"package\", { recursive: true, dereference: true });\n\
                 fs.writeFileSync(\"package/package.json\", JSON.stringify({ name, version }));\n\
                 require(\"child_process\").execFileSync(\"tar\", [\"--sort=name\", \"--mtime=@0\", \"-czf\", \"packed/\" + name + \".tgz\", \"package\"]);\n\
                 fs.rmSync(\"package\", { recursive: true });\n\
                 dependencies[name] = \"file:packed/\" + name + \".tgz\";\n\
               }\n\
               fs.writeFileSync(\"package.json\", JSON.stringify({ name: \"tried\", version: \"1.0.0\", dependencies }));'; \
               npm install --offline --package-lock-only --no-audit --no-fund",
    prepare: "rm -rf /srv/npm/node_modules",
    command: "cd /srv/npm && HOME=/tmp exec npm ci --offline --no-audit --no-fund",
    ..PLAIN
};
