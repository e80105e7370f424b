//! A server over campaigns on disk, made by hand.

#![allow(dead_code)] // not every test file uses all of it

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;
use std::time::Duration;
use tare_proto::BenchInfo;
use tare_store::{LayerRow, Plan, Recorded, Role, Store};
use tempfile::TempDir;

static STOP: AtomicBool = AtomicBool::new(false);

/// A server of its own over a folder of its own.
pub struct Server {
    pub folder: TempDir,
    pub address: SocketAddr,
    thread: Option<JoinHandle<()>>,
}

impl Server {
    pub fn new() -> Server {
        let folder = tempfile::tempdir().unwrap();
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let root = vec![folder.path().join("campaigns")];
        std::fs::create_dir(&root[0]).unwrap();
        let serve = move || {
            tare_serve::serve(listener, root, || STOP.load(Ordering::Relaxed)).unwrap();
        };
        Server { folder, address, thread: Some(std::thread::spawn(serve)) }
    }

    pub fn root(&self) -> std::path::PathBuf {
        self.folder.path().join("campaigns")
    }

    /// A request as it stands, and the whole answer.
    pub fn raw(&self, request: &str) -> String {
        let mut stream = TcpStream::connect(self.address).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(30))).unwrap();
        stream.write_all(request.as_bytes()).unwrap();
        let mut answer = Vec::new();
        stream.read_to_end(&mut answer).unwrap();
        String::from_utf8_lossy(&answer).into_owned()
    }

    pub fn get(&self, path: &str) -> String {
        self.raw(&format!(
            "GET {path} HTTP/1.1\r\nHost: {}\r\nConnection: close\r\n\r\n",
            self.address
        ))
    }

    /// The identity of the campaign whose name ends so.
    pub fn id(&self, name: &str) -> String {
        let index = self.get("/");
        let before = index.split(&format!("campaigns/{name}</bdi>")).next().unwrap();
        before.rsplit("href=\"/c/").next().unwrap().split('"').next().unwrap().to_owned()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // Detached: other tests' servers share the flag; the last one's end is tested by itself.
        drop(self.thread.take());
    }
}

/// A campaign with one layer beside native; whether it ends.
pub fn campaign(directory: &Path, layer: &str, finish: bool) -> Store {
    campaign_of(directory, layer, finish, "2026-01-01T00:00:00Z")
}

/// [`campaign`], made at a time.
pub fn campaign_of(directory: &Path, layer: &str, finish: bool, created: &str) -> Store {
    let plan = Plan {
        baseline: "native".into(),
        blocks: Some(3),
        width: 0.01,
        margin: 0.02,
        created: created.into(),
        command: "tare run".into(),
        ..Plan::default()
    };
    let row =
        |name: &str| LayerRow { name: name.into(), kind: "mock".into(), ..LayerRow::default() };
    let bench = BenchInfo {
        name: "mock/steady".into(),
        about: "steady".into(),
        suite: "mock".into(),
        estimator: "mean".into(),
        samples: 3,
        ..BenchInfo::default()
    };
    let mut store =
        Store::create(directory, &plan, &[row("native"), row(layer)], &[bench]).unwrap();
    for block in 0..3 {
        for (slot, name) in ["native", layer].into_iter().enumerate() {
            let boot = store
                .begin_boot(block, slot as u32, name, Role::Weigh, 1, "2026-01-01T00:00:00Z")
                .unwrap();
            let value = 100.0 * (1 + slot) as f64 + f64::from(block);
            store.record(boot, &Recorded::by_host("mock/steady", vec![value; 3])).unwrap();
            store.end_boot(boot, 1.0, None).unwrap();
        }
    }
    if finish {
        store.set_state("finished").unwrap();
    }
    store
}

/// The merged result of three such campaigns, one of a host that has failed beside them.
pub fn merged(directory: &Path) {
    let mut merger = tare_board::Merger::new(None);
    let hosts = tempfile::tempdir().unwrap();
    for (at, host) in ["n1", "n2", "n3"].into_iter().enumerate() {
        let folder = hosts.path().join(host);
        let created = format!("2026-01-01T00:00:0{at}Z");
        campaign_of(&folder, "runc", true, &created).close().unwrap();
        let read = tare_store::load(&folder).unwrap();
        merger.add(host, tare_board::Reduced::of(&read, None)).unwrap();
    }
    merger.miss("n4", "its disk is <b>full</b>").unwrap();
    std::fs::create_dir_all(directory).unwrap();
    let text = merger.finish().unwrap().to_json();
    std::fs::write(directory.join(tare_store::MERGED), text).unwrap();
}
