//! The server over real campaigns on disk: what it answers, and what it does not.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;
use std::time::Duration;
use tare_proto::{BenchInfo, Better, Unit};
use tare_store::{LayerRow, Plan, Recorded, Role, Store};
use tempfile::TempDir;

static STOP: AtomicBool = AtomicBool::new(false);

/// A server of its own over a folder of its own.
struct Server {
    folder: TempDir,
    address: SocketAddr,
    thread: Option<JoinHandle<()>>,
}

impl Server {
    fn new() -> Server {
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

    fn root(&self) -> std::path::PathBuf {
        self.folder.path().join("campaigns")
    }

    /// A request as it stands, and the whole answer.
    fn raw(&self, request: &str) -> String {
        let mut stream = TcpStream::connect(self.address).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(30))).unwrap();
        stream.write_all(request.as_bytes()).unwrap();
        let mut answer = Vec::new();
        stream.read_to_end(&mut answer).unwrap();
        String::from_utf8_lossy(&answer).into_owned()
    }

    fn get(&self, path: &str) -> String {
        self.raw(&format!(
            "GET {path} HTTP/1.1\r\nHost: {}\r\nConnection: close\r\n\r\n",
            self.address
        ))
    }

    /// The identity of the campaign whose name ends so.
    fn id(&self, name: &str) -> String {
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

/// Layers of a campaign and whether it ends.
fn campaign(directory: &Path, layer: &str, finish: bool) -> Store {
    let plan = Plan {
        machine: tare_proto::Machine::Real,
        seed: 1,
        baseline: "native".into(),
        budget_s: None,
        blocks: Some(3),
        width: 0.01,
        cpus: vec![],
        batch_ns: 1,
        series_ms: 1,
        counting: tare_store::Counting::Off,
        events: false,
        cache_bytes: 0,
        boot_s: 1.0,
        margin: 0.02,
        created: "2026-01-01T00:00:00Z".into(),
        tare_version: "0.1.0".into(),
        probe_sha256: "00".into(),
        command: "tare run".into(),
    };
    let row = |name: &str| LayerRow {
        name: name.into(),
        kind: "mock".into(),
        settings: String::new(),
        unavailable: None,
        artifacts: vec![],
    };
    let bench = BenchInfo {
        name: "mock/steady".into(),
        about: "steady".into(),
        unit: Unit::Nanoseconds,
        better: Better::Lower,
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

#[test]
fn campaigns_are_listed_opened_compared_and_put_in_order() {
    let server = Server::new();
    for name in ["before", "after"] {
        campaign(&server.root().join(name), "runc", true).close().unwrap();
    }
    let index = server.get("/");
    assert!(index.starts_with("HTTP/1.1 200"), "{index}");
    assert!(index.contains("campaigns/before") && index.contains("campaigns/after"), "{index}");
    let (before, after) = (server.id("before"), server.id("after"));
    assert_ne!(before, after);
    let report = server.get(&format!("/c/{before}"));
    assert!(
        report.contains("mock/steady") && report.contains("Content-Security-Policy"),
        "{report}"
    );
    let compared = server.get(&format!("/compare?a={before}&b={after}"));
    assert!(
        compared.contains("After against before") && compared.contains("mock/steady"),
        "{compared}"
    );
    assert!(server.get("/history").contains("over 2 campaigns"));
}

#[test]
fn nothing_outside_the_folders_is_reached() {
    let server = Server::new();
    let outside = server.folder.path().join("outside");
    campaign(&outside, "secret", true).close().unwrap();
    std::os::unix::fs::symlink(&outside, server.root().join("link")).unwrap();
    assert!(!server.get("/").contains("secret") && !server.get("/").contains("campaigns/link"));
    for path in [
        "/c/../outside",
        "/c/..%2foutside",
        "/c/%2e%2e%2foutside/campaign.db",
        "/../outside/campaign.db",
        "/etc/passwd",
        "/c/",
        "/compare",
        "/compare?a=..&b=/etc",
    ] {
        let answer = server.get(path);
        assert!(
            answer.starts_with("HTTP/1.1 404") || answer.starts_with("HTTP/1.1 400"),
            "{path}: {answer}"
        );
        assert!(!answer.contains("secret") && !answer.contains("root:x:"), "{path}");
    }
}

#[test]
fn other_names_and_other_methods_are_refused() {
    let server = Server::new();
    for host in ["evil.example", "127.0.0.1:1", "localhost.evil.example"] {
        let answer =
            server.raw(&format!("GET / HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n"));
        assert!(answer.starts_with("HTTP/1.1 421"), "{host}: {answer}");
    }
    for method in ["POST", "PUT", "DELETE", "OPTIONS"] {
        let line = format!(
            "{method} / HTTP/1.1\r\nHost: {}\r\nContent-Length: 0\r\nConnection: close\r\n\r\n",
            server.address
        );
        assert!(server.raw(&line).starts_with("HTTP/1.1 405"), "{method}");
    }
    let head = server
        .raw(&format!("HEAD / HTTP/1.1\r\nHost: {}\r\nConnection: close\r\n\r\n", server.address));
    assert!(head.starts_with("HTTP/1.1 200") && head.ends_with("\r\n\r\n"), "{head}");
}

#[test]
fn names_are_inert_and_damage_is_said() {
    let server = Server::new();
    let name = "<script>alert(1)</script>";
    campaign(&server.root().join("hostile"), name, true).close().unwrap();
    let damaged = server.root().join("damaged");
    std::fs::create_dir(&damaged).unwrap();
    std::fs::write(damaged.join("campaign.db"), "this is no database").unwrap();
    let index = server.get("/");
    assert!(!index.contains("<script>alert") && index.contains("cannot be read"), "{index}");
    let report = server.get(&format!("/c/{}", server.id("hostile")));
    assert!(!report.contains("<script>alert") && report.contains("&lt;script&gt;"));
}

#[test]
fn a_running_campaign_is_followed_to_its_end() {
    let server = Server::new();
    let mut store = campaign(&server.root().join("run"), "runc", false);
    let id = server.id("run");
    assert!(
        server.get(&format!("/c/{id}/live")).contains(&format!("data-live=\"/c/{id}/events\""))
    );
    let mut stream = TcpStream::connect(server.address).unwrap();
    stream.set_read_timeout(Some(Duration::from_secs(30))).unwrap();
    write!(stream, "GET /c/{id}/events HTTP/1.1\r\nHost: {}\r\n\r\n", server.address).unwrap();
    let mut seen = String::new();
    let mut read_until = |word: &str| {
        let mut part = [0; 4096];
        while !seen.contains(word) {
            let n = stream.read(&mut part).expect("an event in time");
            assert!(n > 0, "the stream ended: {seen}");
            seen.push_str(&String::from_utf8_lossy(&part[..n]));
        }
    };
    read_until("\"boots\":6");
    let boot = store.begin_boot(3, 0, "runc", Role::Weigh, 1, "2026-01-01T00:00:00Z").unwrap();
    read_until("\"now\":\"runc, block 4\"");
    store.end_boot(boot, 1.0, None).unwrap();
    store.set_state("finished").unwrap();
    store.close().unwrap();
    read_until("\"ended\":true");
}

#[test]
fn it_ends_when_it_is_asked_to() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    tare_serve::serve(listener, vec![], || true).unwrap();
}

#[test]
fn a_connection_that_never_says_what_it_wants_is_closed() {
    let server = Server::new();
    for beginning in ["", "GET / HTTP/1.1\r\nHost: x\r\n"] {
        let answer = server.raw(beginning); // reads to the end: fails when nobody ends it
        assert!(!answer.contains("200 OK"), "{answer}");
    }
    assert!(server.get("/").contains("200 OK"));
}
