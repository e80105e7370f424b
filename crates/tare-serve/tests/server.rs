//! The server over real campaigns on disk: what it answers, and what it does not.

mod common;

use common::{Server, campaign, campaign_of, merged};
use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::time::Duration;
use tare_store::Role;

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
    let table = compared.split("<table class=\"cards compared\"").nth(1).expect("a table");
    assert!(table.contains("<td class=\"plotted\"") && !compared.contains("<pre"), "{compared}");
    assert!(server.get("/history").contains("over 2 campaigns"));
}

#[test]
fn a_merged_result_is_listed_and_opened_and_no_campaign() {
    let server = Server::new();
    merged(&server.root().join("all"));
    let damaged = server.root().join("0-damaged");
    std::fs::create_dir(&damaged).unwrap();
    std::fs::write(damaged.join("merged.json"), "{}").unwrap();
    let index = server.get("/");
    let row = index.split("campaigns/all</bdi>").nth(1).expect("a line of it");
    assert!(row.contains("<td data-label=\"Hosts\">3</td>"), "{index}");
    assert!(index.contains("cannot be read: it is no merged result"), "{index}");
    let report = server.get(&format!("/c/{}", server.id("all")));
    assert!(report.contains(">n2</text>") && report.contains("Every host"), "{report}");
    assert!(report.contains("n4 is missing") && !report.contains("<b>full"), "{report}");
    assert!(server.get("/history").contains("over 0 campaigns"), "it is no campaign");
    let live = server.get(&format!("/c/{}/live", server.id("all")));
    assert!(live.starts_with("HTTP/1.1 422"), "nothing runs there: {live}");
}

#[test]
fn the_newest_campaign_stands_first_and_damage_last() {
    let server = Server::new();
    for (name, day) in [("a", 3), ("b", 5), ("c", 4)] {
        let created = format!("2026-01-{day:02}T00:00:00Z");
        campaign_of(&server.root().join(name), "runc", true, &created).close().unwrap();
    }
    let damaged = server.root().join("0-damaged");
    std::fs::create_dir(&damaged).unwrap();
    std::fs::write(damaged.join("campaign.db"), "this is no database").unwrap();
    let endless = server.root().join("0-endless");
    campaign(&endless, "runc", true).close().unwrap();
    let database = rusqlite::Connection::open(endless.join("campaign.db")).unwrap();
    let view = "DROP VIEW sample; DROP VIEW measurement; ALTER TABLE series RENAME TO old; CREATE VIEW series AS
        WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i FROM n) SELECT i AS id FROM n";
    database.execute_batch(view).unwrap();
    let index = server.get("/");
    let table = index.split("</table>").next().unwrap();
    let place = |name: &str| table.find(&format!("campaigns/{name}</bdi>")).expect(name);
    assert!(place("b") < place("c") && place("c") < place("a") && place("a") < place("0-damaged"));
    assert!(place("c") < place("0-endless") && table.contains("holds the view series"), "{table}");
    // To compare: the one before the newest with the newest.
    let chosen: Vec<&str> = index.split(" selected").skip(1).map(|rest| &rest[..40]).collect();
    assert!(chosen[0].contains("campaigns/c") && chosen[1].contains("campaigns/b"), "{chosen:?}");
}

#[test]
fn a_history_of_too_many_campaigns_is_that_of_the_newest() {
    let server = Server::new();
    let first = server.root().join("000");
    campaign_of(&first, "oldest", true, "2026-01-01T00:00:00Z").close().unwrap();
    let second = server.root().join("001");
    campaign_of(&second, "runc", true, "2026-01-02T00:00:00Z").close().unwrap();
    for at in 2..101 {
        let copy = server.root().join(format!("{at:03}"));
        std::fs::create_dir(&copy).unwrap();
        std::fs::copy(second.join("campaign.db"), copy.join("campaign.db")).unwrap();
    }
    let history = server.get("/history");
    assert!(history.contains("over 100 campaigns") && history.contains("runc"), "{history}");
    assert!(!history.contains("oldest"), "the first by path, and the oldest");
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
