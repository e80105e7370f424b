//! A real Slurm for tests: munged, slurmctld and four slurmd on this machine, all in one folder, and all gone with it.
//!
//! These nodes do not exclude each other from the machine's CPUs, so what is measured here is plumbing, not cost.

use crate::common::{Bench, Done, done, wait_until};
use std::fs;
use std::net::TcpListener;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// The nodes. The last one is for reboots: Slurm looks only every 30 seconds whether a node is back.
pub const NODES: [&str; 4] = ["n1", "n2", "n3", "n4"];

pub struct Cluster {
    pub bench: Bench,
    daemons: Vec<(String, Child)>,
}

impl Cluster {
    /// Starts one and waits until all nodes are idle.
    pub fn new() -> Cluster {
        let bench = Bench::new();
        let mut cluster = Cluster { bench, daemons: Vec::new() };
        cluster.write_config();
        let folder = cluster.bench.path("");
        let munge = |name: &str| folder.join("munge").join(name).display().to_string();
        fs::create_dir(folder.join("munge")).unwrap();
        // Whoever runs jobs talks to munged, and nobody else can write to its folder.
        fs::set_permissions(folder.join("munge"), fs::Permissions::from_mode(0o755)).unwrap();
        fs::write(munge("key"), [7; 128]).unwrap();
        fs::set_permissions(munge("key"), fs::Permissions::from_mode(0o400)).unwrap();
        let mut munged = Command::new(program("munged"));
        munged.args(["--foreground", "--force", "--num-threads=2"]);
        for (option, file) in [
            ("key-file", "key"),
            ("socket", "socket"),
            ("pid-file", "pid"),
            ("seed-file", "seed"),
            ("log-file", "log"),
        ] {
            munged.arg(format!("--{option}={}", munge(file)));
        }
        cluster.daemon(munged, "munged");
        wait_until("munged's socket", || Path::new(&munge("socket")).exists());
        let mut controller = Command::new(program("slurmctld"));
        controller.args(["-D", "-c"]);
        cluster.daemon(controller, "slurmctld");
        NODES.iter().for_each(|node| cluster.node_up(node));
        wait_until("idle nodes", || cluster.states() == "idle idle idle idle");
        cluster
    }

    fn write_config(&self) {
        let folder = self.bench.path("");
        let place = folder.display();
        let listeners: Vec<TcpListener> =
            (0..=NODES.len()).map(|_| TcpListener::bind("127.0.0.1:0").unwrap()).collect();
        let port = |at: usize| listeners[at].local_addr().unwrap().port();
        for sub in ["state", "spool", "run"] {
            fs::create_dir(folder.join(sub)).unwrap();
        }
        let nodes: String = NODES
            .iter()
            .enumerate()
            .map(|(at, node)| {
                format!(
                    "NodeName={node} NodeHostname=localhost NodeAddr=127.0.0.1 Port={} CPUs=2\n",
                    port(at + 1)
                )
            })
            .collect();
        let config = format!(
            "ClusterName=test\nSlurmctldHost=localhost(127.0.0.1)\nSlurmctldPort={}\nSlurmUser=root\nSlurmdUser=root\n\
             AuthType=auth/munge\nAuthInfo=socket={place}/munge/socket\nCredType=cred/munge\n\
             StateSaveLocation={place}/state\nSlurmdSpoolDir={place}/spool/%n\nSlurmctldPidFile={place}/run/slurmctld.pid\n\
             SlurmdPidFile={place}/run/%n.pid\nSlurmctldLogFile={place}/slurmctld.log\nSlurmdLogFile={place}/%n.log\n\
             ProctrackType=proctrack/linuxproc\nTaskPlugin=task/none\nSlurmdParameters=config_overrides\nMpiDefault=none\n\
             SelectType=select/cons_tres\nSelectTypeParameters=CR_CPU\nSchedulerType=sched/builtin\n\
             SchedulerParameters=sched_interval=2,batch_sched_delay=0,sched_min_interval=1000\n\
             JobAcctGatherType=jobacct_gather/none\nAccountingStorageType=accounting_storage/none\n\
             ReturnToService=2\nSlurmdTimeout=300\nKillWait=5\nMinJobAge=300\nResumeTimeout=60\nBatchStartTimeout=60\n\
             RebootProgram={place}/reboot\n{nodes}\
             PartitionName=all Nodes=ALL Default=YES MaxTime=10 State=UP OverSubscribe=NO\n",
            port(0)
        );
        self.bench.write("slurm.conf", &config);
        // The stand-in of a reboot: slurmd ends, and comes back as one that was just booted. It must succeed.
        let reboot = self.bench.write(
            "reboot",
            &format!(
                "#!/bin/sh\npid=$PPID\n\
                 until grep -qx slurmd \"/proc/$pid/comm\"; do pid=$(sed -n 's/^PPid:\\t//p' \"/proc/$pid/status\"); done\n\
                 node=$(tr '\\0' '\\n' <\"/proc/$pid/cmdline\" | sed -n '/^-N$/{{n;p;}}')\n\
                 echo \"$node\" >>{place}/rebooted\n\
                 (sleep 0.2; kill \"$pid\"; sleep 1; exec setsid {slurmd} -D -b -N \"$node\") >/dev/null 2>&1 &\nexit 0\n",
                slurmd = program("slurmd").display()
            ),
        );
        fs::set_permissions(reboot, fs::Permissions::from_mode(0o755)).unwrap();
    }

    fn daemon(&mut self, mut command: Command, name: &str) {
        let log = fs::File::create(self.bench.path(&format!("{name}.out"))).unwrap();
        command.env("SLURM_CONF", self.bench.path("slurm.conf")).current_dir(self.bench.path(""));
        command.stdin(Stdio::null()).stdout(log.try_clone().unwrap()).stderr(log);
        let child = command.spawn().unwrap_or_else(|e| panic!("{name}: {e}"));
        self.daemons.push((name.into(), child));
    }

    fn node_up(&mut self, node: &str) {
        let mut slurmd = Command::new(program("slurmd"));
        slurmd.args(["-D", "-N", node]);
        self.daemon(slurmd, node);
    }

    /// A node's end: its slurmd answers no more, and Slurm is told so that nobody has to wait for that.
    pub fn node_dies(&mut self, node: &str) {
        let (_, slurmd) = self.daemons.iter_mut().find(|(name, _)| name == node).unwrap();
        slurmd.kill().unwrap();
        slurmd.wait().unwrap();
        let done = self.slurm(&format!("scontrol update NodeName={node} State=DOWN Reason=test"));
        assert_eq!(done.code, 0, "{}", done.err);
    }

    /// A program of Slurm's; what it prints.
    pub fn slurm(&self, line: &str) -> Done {
        let mut words = line.split_whitespace();
        let mut command = Command::new(program(words.next().unwrap()));
        done(self.with_slurm(command.args(words)).output().unwrap())
    }

    /// `tare`, which finds this Slurm. What a job of this fleet would leave on its node, it leaves in a folder here.
    pub fn tare(&self, fleet: &str, line: &str) -> Done {
        let nodes = self.bench.path(&format!("tmp-{fleet}"));
        let _ = fs::create_dir(&nodes);
        let mut command = self.bench.command(line);
        done(self.with_slurm(command.env("TMPDIR", nodes)).output().unwrap())
    }

    fn with_slurm<'a>(&self, command: &'a mut Command) -> &'a mut Command {
        command.env("SLURM_CONF", self.bench.path("slurm.conf"))
    }

    /// The nodes' states in their order, without marks.
    pub fn states(&self) -> String {
        let said = self.slurm("sinfo --noheader --Node --format=%N|%T").out;
        let mut lines: Vec<&str> = said.lines().collect();
        lines.sort_unstable();
        let states = lines.iter().filter_map(|line| line.trim().split('|').nth(1));
        let plain = |state: &str| state.trim_end_matches(|c: char| !c.is_alphabetic()).to_owned();
        states.map(plain).collect::<Vec<_>>().join(" ")
    }

    /// Waits until no job of a fleet waits or runs.
    pub fn wait_for_jobs(&self, fleet: &str) {
        let deadline = Instant::now() + Duration::from_secs(120);
        loop {
            // The merge may have submitted more.
            let jobs = fs::read_to_string(self.bench.path(fleet).join("jobs")).unwrap();
            let jobs = jobs.split_whitespace().collect::<Vec<_>>().join(",");
            let left = self.slurm(&format!("squeue --noheader --jobs={jobs} --format=%i|%T|%r|%N"));
            if left.code == 0 && left.out.trim().is_empty() {
                return;
            }
            if Instant::now() > deadline {
                panic!("jobs go on:\n{}{}\n{}", left.out, self.states(), self.logs(fleet));
            }
            std::thread::sleep(Duration::from_millis(200));
        }
    }

    /// What jobs of a fleet have left in their nodes' folder for temporary files.
    pub fn left(&self, fleet: &str) -> Vec<PathBuf> {
        let entries = fs::read_dir(self.bench.path(&format!("tmp-{fleet}"))).unwrap();
        entries.map(|entry| entry.unwrap().path()).collect()
    }

    pub fn logs(&self, fleet: &str) -> String {
        let mut text = String::new();
        let folder = self.bench.path(fleet).join("logs");
        let jobs = fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path());
        let own =
            NODES.iter().chain(&["slurmctld"]).map(|name| self.bench.path(&format!("{name}.log")));
        for path in jobs.chain(own) {
            let log = fs::read_to_string(&path).unwrap_or_default();
            let tail: Vec<&str> = log.lines().rev().take(25).collect();
            text += &format!("--- {}\n", path.display());
            tail.iter().rev().for_each(|line| text += &format!("{line}\n"));
        }
        text
    }
}

/// Ends every process whose configuration is this folder's, those of jobs and of rebooted nodes too.
impl Drop for Cluster {
    fn drop(&mut self) {
        let _ = self.slurm("scancel --state=PENDING --me");
        let _ = self.slurm("scancel --me");
        let own = format!("SLURM_CONF={}", self.bench.path("slurm.conf").display());
        for round in 0..50 {
            let left = processes_with(&own);
            if left.is_empty() {
                break;
            }
            // munged first would leave the others without an answer: all at once, and by force in the end.
            let signal =
                if round < 20 { nix::sys::signal::SIGTERM } else { nix::sys::signal::SIGKILL };
            for pid in left {
                let _ = nix::sys::signal::kill(nix::unistd::Pid::from_raw(pid), signal);
            }
            self.daemons.iter_mut().for_each(|(_, daemon)| drop(daemon.try_wait()));
            std::thread::sleep(Duration::from_millis(100));
        }
        self.daemons.iter_mut().for_each(|(_, daemon)| drop(daemon.wait()));
    }
}

/// The processes that have this in their environment, but for this one.
fn processes_with(variable: &str) -> Vec<i32> {
    let entries = fs::read_dir("/proc").unwrap().flatten();
    let pids = entries.filter_map(|entry| entry.file_name().to_str()?.parse::<i32>().ok());
    let has = |pid: &i32| {
        let environment = fs::read(format!("/proc/{pid}/environ")).unwrap_or_default();
        *pid != std::process::id() as i32
            && environment.split(|byte| *byte == 0).any(|word| word == variable.as_bytes())
    };
    pids.filter(has).collect()
}

/// A program that may be in a folder for administrators.
fn program(name: &str) -> PathBuf {
    let folders = ["/usr/sbin", "/usr/bin", "/sbin", "/bin"].map(Path::new);
    let found = folders.iter().map(|folder| folder.join(name)).find(|path| path.is_file());
    found.unwrap_or_else(|| panic!("there is no {name}: cargo xtask packages testing"))
}
