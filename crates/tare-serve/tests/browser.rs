//! Every page of the server in a real browser: silent, on a phone as on a desk. Screenshots stay in `target/tmp/`.

mod common;
#[path = "../../tare-report/tests/driver/mod.rs"]
mod driver;

use common::{Server, campaign, campaign_of, merged};
use driver::{BROKEN, Browser, visit};
use serde_json::json;

#[test]
fn every_page_reads_on_a_phone_and_on_a_desk() {
    let server = Server::new();
    for (name, layer, day) in [("first", "runc", 1), ("a-campaign-with-a-longer-name", "runc", 2)] {
        let created = format!("2026-01-{day:02}T17:05:00Z");
        campaign_of(&server.root().join(name), layer, true, &created).close().unwrap();
    }
    merged(&server.root().join("all"));
    let all = server.id("all");
    let running = campaign(&server.root().join("running"), "runsc-systrap", false);
    let [first, second, third] =
        ["first", "a-campaign-with-a-longer-name", "running"].map(|name| server.id(name));
    for (name, path) in [
        ("index", "/".to_owned()),
        ("compare", format!("/compare?a={first}&b={second}")),
        ("incomparable", format!("/compare?a={first}&b={third}")),
        ("history", "/history".into()),
        ("report", format!("/c/{first}")),
        ("merged", format!("/c/{all}")),
        ("live", format!("/c/{third}/live")),
        ("missing", "/nothing/here".into()),
    ] {
        let address = format!("http://{}{path}", server.address);
        visit(&address, async |browser: &mut Browser| {
            for (width, dark) in [(1280, false), (1280, true), (390, false)] {
                browser.screen(width, 900, dark).await;
                let shade = if dark { "-dark" } else { "" };
                browser.picture(&format!("serve-{name}-{width}{shade}")).await;
                let wide = "return document.documentElement.scrollWidth";
                assert_eq!(browser.run(wide).await, width, "{name} scrolls sideways");
                assert_eq!(browser.run(BROKEN).await, json!([]), "{name} at {width}");
            }
            if name == "missing" {
                browser.heard().await; // a browser reports the answer 404
            }
        });
    }
    running.close().unwrap();
}
