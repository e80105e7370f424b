//! A fleet's folder, on a file system that all nodes share: the plan, tare itself, the scripts, and a folder a host.

use super::options::Options;
use crate::cli::{SubmitArgs, USAGE};
use crate::files;
use crate::usage::wrong_usage;
use anyhow::{Context, Result, bail};
use sha2::{Digest, Sha256};
use std::fmt::Write as _;
use std::fs::{self, Permissions};
use std::io::Write;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use tare_store::Campaign;

/// The scripts' names, and what they do below their first lines.
pub const HOST: (&str, &str) = ("host.sbatch", include_str!("host.sbatch"));
pub const MERGE: (&str, &str) = ("merge.sbatch", include_str!("merge.sbatch"));

/// The plan's name, and that of the file in a host's folder with the exit code of its tare.
pub const PLAN: &str = "plan.toml";
const STATUS: &str = "status";

/// How often a host that fails is submitted again if nothing is said.
const RETRIES: u32 = 1;

/// Digits of tare's hash in its copy's name.
const DIGITS: usize = 16;

pub struct Folder {
    /// Where it is, absolute.
    pub path: PathBuf,
    /// The hosts; a task's number is an index.
    pub nodes: Vec<String>,
    /// How often a host that fails is submitted again.
    pub retries: usize,
    /// Blocks on each host, if not the plan's.
    pub blocks: Option<u32>,
    /// Whether the node is rebooted before each block.
    pub reboot: bool,
}

impl Folder {
    /// Makes a new one for `nodes`: everything but the jobs.
    pub fn make(args: &SubmitArgs, out: &Path, nodes: Vec<String>) -> Result<Folder> {
        let path = std::path::absolute(out)?;
        let plain = |c: char| c.is_ascii_alphanumeric() || "/_.-+@".contains(c);
        if !path.to_string_lossy().chars().all(plain) {
            wrong_usage!("{} has characters that sbatch's options cannot hold", path.display());
        }
        for node in &nodes {
            if node.starts_with('.') || !node.chars().all(|c| plain(c) && c != '/') {
                wrong_usage!("'{node}' is not a valid name of a node");
            }
        }
        let options = Options::from_args(args)?;
        let made = || format!("cannot make {} (--out names a new directory)", path.display());
        fs::create_dir(&path).with_context(made)?;
        let folder = Folder {
            nodes,
            retries: args.retries.unwrap_or(RETRIES) as usize,
            blocks: args.blocks,
            reboot: args.reboot,
            path,
        };
        folder.fill(args, &options)?;
        Ok(folder)
    }

    fn fill(&self, args: &SubmitArgs, options: &Options) -> Result<()> {
        for part in ["hosts", "logs"] {
            fs::create_dir(self.path.join(part))?;
        }
        for node in &self.nodes {
            fs::create_dir(self.host(node))?;
        }
        let plan =
            fs::read(&args.plan).with_context(|| format!("cannot read {}", args.plan.display()))?;
        self.put(PLAN, &plan, 0o644)?;
        self.put("nodes", (self.nodes.join("\n") + "\n").as_bytes(), 0o644)?;
        let own = std::env::current_exe().context("cannot find tare's own program")?;
        let tare = fs::read(&own).with_context(|| format!("cannot read {}", own.display()))?;
        let name = format!("tare-{:.DIGITS$x}", Sha256::digest(&tare));
        self.put(&name, &tare, 0o755)?;
        self.put("settings", self.settings(&name).as_bytes(), 0o644)?;
        self.put(HOST.0, self.script(HOST.1, &options.host).as_bytes(), 0o755)?;
        // The merge runs anywhere: it measures nothing.
        self.put(MERGE.0, self.script(MERGE.1, &options.merge).as_bytes(), 0o755)
    }

    /// What the scripts read: words of the shell.
    fn settings(&self, tare: &str) -> String {
        let blocks = self.blocks.map(|blocks| blocks.to_string()).unwrap_or_default();
        let reboot = if self.reboot { "yes" } else { "" };
        format!(
            "# Read by the scripts, and by tare.\ntare=./{tare}\nretries={}\nblocks={blocks}\nreboot={reboot}\n",
            self.retries
        )
    }

    /// A script whose first lines are options for sbatch, so that it can also be submitted by hand.
    fn script(&self, body: &str, options: &[String]) -> String {
        let path = self.path.display();
        let mut head = format!(
            "#!/bin/sh\n#SBATCH --job-name=tare-fleet\n#SBATCH --chdir={path}\n#SBATCH --output={path}/logs/%A-%a.txt\n\
             #SBATCH --nodes=1\n#SBATCH --ntasks=1\n"
        );
        for option in options {
            let _ = writeln!(head, "#SBATCH {option}");
        }
        head + body
    }

    fn put(&self, name: &str, content: &[u8], mode: u32) -> Result<()> {
        let path = self.path.join(name);
        files::put(&path, |file| Ok(file.write_all(content)?))?;
        Ok(fs::set_permissions(path, Permissions::from_mode(mode))?)
    }

    pub fn open(path: &Path) -> Result<Folder> {
        let named = || format!("{} is no fleet's directory", path.display());
        let read = |name: &str| fs::read_to_string(path.join(name)).with_context(named);
        let nodes = read("nodes")?;
        let settings = read("settings")?;
        let setting = |key: &str| {
            let mut pairs = settings.lines().filter_map(|line| line.split_once('='));
            pairs.find(|(own, _)| *own == key).map_or("", |(_, value)| value.trim())
        };
        Ok(Folder {
            path: std::path::absolute(path)?,
            nodes: nodes.lines().map(str::to_owned).collect(),
            retries: setting("retries").parse().with_context(named)?,
            blocks: match setting("blocks") {
                "" => None,
                blocks => Some(blocks.parse().with_context(named)?),
            },
            reboot: !setting("reboot").is_empty(),
        })
    }

    pub fn host(&self, node: &str) -> PathBuf {
        self.path.join("hosts").join(node)
    }

    /// What a host has measured so far.
    pub fn campaign(&self, node: &str) -> Option<Campaign> {
        tare_store::load(&self.host(node)).ok()
    }

    /// Whether a host has measured everything that it was to.
    pub fn is_done(&self, node: &str) -> bool {
        let enough = |campaign: &Campaign| {
            let whole = tare_run::History::of(campaign).whole();
            self.blocks.is_none_or(|blocks| whole >= blocks)
        };
        self.campaign(node).is_some_and(|c| c.state == "finished" && enough(&c))
    }

    /// Whether tare said on a host that what it was asked for is wrong, which it will be the next time.
    pub fn is_wrong_there(&self, node: &str) -> bool {
        let said = fs::read_to_string(self.host(node).join(STATUS));
        said.is_ok_and(|said| said.trim() == USAGE.to_string())
    }

    /// Remembers why a host failed; what it says itself stays unless Slurm `knows_better`.
    pub fn blame(&self, node: &str, why: &str, knows_better: bool) -> Result<()> {
        let path = self.host(node).join(crate::commands::merge::FAILURE);
        if path.exists() && !knows_better {
            return Ok(());
        }
        if !self.host(node).is_dir() {
            bail!("{} no longer exists", self.host(node).display());
        }
        files::put(&path, |file| Ok(writeln!(file, "{why}")?))
    }
}
