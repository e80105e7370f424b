//! A headless Chromium behind its own driver, one for each test, ended with it.

#![allow(dead_code)] // not every test file uses all of it

use fantoccini::actions::{InputSource, MOUSE_BUTTON_LEFT, MouseActions, PointerAction};
use fantoccini::wd::WebDriverCompatibleCommand;
use fantoccini::{Client, ClientBuilder, Locator};
use serde_json::{Value, json};
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::Mutex;
use tempfile::TempDir;

/// A script that finds the words that a line's end breaks apart.
pub const BROKEN: &str = "const broken = []; \
    const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT); \
    while (texts.nextNode()) { const text = texts.currentNode; \
        if (text.parentElement.closest('svg, script, style, pre')) continue; \
        for (const word of text.data.matchAll(/[A-Za-z]{2,14}/g)) { const range = document.createRange(); \
            range.setStart(text, word.index); range.setEnd(text, word.index + word[0].length); \
            if (new Set([...range.getClientRects()].map(box => Math.round(box.top))).size > 1) broken.push(word[0]); } } \
    return broken";

/// Texts of figures that reach beyond the figure (a line is a little higher than its letters).
pub const CUT: &str = "return [...document.querySelectorAll('svg text')].filter(text => { \
    const box = text.getBoundingClientRect(), whole = text.ownerSVGElement.getBoundingClientRect(); \
    return box.width && (box.left < whole.left - 0.5 || box.right > whole.right + 0.5 || \
    box.top < whole.top - 3 || box.bottom > whole.bottom + 3) }).map(text => text.textContent)";

/// A script that finds what somebody without a mouse or without eyes could not use.
pub const FAULTS: &str = "const faults = []; \
    for (const t of document.querySelectorAll('table')) if (!t.caption) faults.push('no caption'); \
    for (const th of document.querySelectorAll('th')) if (!th.scope) faults.push('no scope: ' + th.textContent); \
    for (const s of document.querySelectorAll('svg')) if (!s.closest('[aria-hidden], [role=img]')) faults.push('unnamed svg'); \
    for (const c of document.querySelectorAll('input, select')) if (!c.labels.length) faults.push('no label'); \
    for (const w of document.querySelectorAll('.wide')) if (w.tabIndex !== 0) faults.push('unreachable'); \
    return faults";

/// One browser at a time: they are large.
static ALONE: Mutex<()> = Mutex::new(());

pub struct Browser {
    client: Client,
}

/// Opens `html` as a file and lets `test` at it.
pub fn page(name: &str, html: &str, test: impl AsyncFnOnce(&mut Browser)) {
    let _alone = ALONE.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
    let folder = tempfile::tempdir().expect("a temporary folder");
    let file = folder.path().join(format!("{name}.html"));
    std::fs::write(&file, html).expect("the page can be written");
    visit(&format!("file://{}", file.display()), test);
}

/// Opens an address and lets `test` at it.
pub fn visit(address: &str, test: impl AsyncFnOnce(&mut Browser)) {
    let driver = Driver::start();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        let client = driver.connect().await;
        client.goto(address).await.expect("the page opens");
        let mut browser = Browser { client: client.clone() };
        test(&mut browser).await;
        // A script that throws, or a browser that refuses something, fails every test.
        assert_eq!(browser.heard().await.0, Vec::<String>::new(), "said on the console");
        let _ = client.close().await;
    });
}

/// `chromedriver`, ended when dropped, with a profile of its own.
struct Driver {
    child: Child,
    port: u16,
    profile: TempDir,
}

impl Driver {
    fn start() -> Driver {
        let profile = tempfile::tempdir().expect("a temporary folder");
        let mut command = Command::new("chromedriver");
        // What the browser leaves in the folder for temporary files goes with its profile.
        command.env("TMPDIR", profile.path());
        command.arg("--port=0").stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut child = command.spawn().expect(
            "chromedriver does not start; 'cargo xtask test' installs it (Debian: chromium chromium-driver)",
        );
        let lines = BufReader::new(child.stdout.take().expect("piped")).lines();
        let port = lines.map_while(Result::ok).find_map(|line| {
            let digits = line.split("on port ").nth(1)?.trim_end_matches('.').parse().ok();
            digits.filter(|port| *port > 0)
        });
        Driver { child, port: port.expect("chromedriver says its port"), profile }
    }

    async fn connect(&self) -> Client {
        let profile = format!("--user-data-dir={}", self.profile.path().display());
        let capabilities = json!({
            "goog:chromeOptions": { "args": [
                "--headless", "--no-sandbox", "--disable-gpu", "--no-first-run", "--hide-scrollbars",
                "--disable-background-networking", "--disable-component-update", "--disable-sync",
                "--window-size=1280,1000", profile,
            ] },
            "goog:loggingPrefs": { "browser": "ALL", "performance": "ALL" },
        });
        let capabilities = capabilities.as_object().expect("an object").clone();
        let mut builder =
            ClientBuilder::new(hyper_util::client::legacy::connect::HttpConnector::new());
        builder.capabilities(capabilities);
        let address = format!("http://127.0.0.1:{}", self.port);
        builder.connect(&address).await.expect("chromium starts")
    }
}

impl Drop for Driver {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[derive(Debug)]
struct Own(&'static str, Value);

impl WebDriverCompatibleCommand for Own {
    fn endpoint(
        &self,
        base: &url::Url,
        session: Option<&str>,
    ) -> Result<url::Url, url::ParseError> {
        base.join(&format!("session/{}/{}", session.unwrap_or_default(), self.0))
    }

    fn method_and_body(&self, _: &url::Url) -> (http::Method, Option<String>) {
        (http::Method::POST, Some(self.1.to_string()))
    }
}

impl Browser {
    /// Runs a script and gives back what it returns.
    pub async fn run(&mut self, script: &str) -> Value {
        self.client.execute(script, vec![]).await.expect(script)
    }

    /// The same for one that calls its last argument.
    pub async fn run_async(&mut self, script: &str) -> Value {
        self.client.execute_async(script, vec![]).await.expect(script)
    }

    pub async fn click(&mut self, what: &str) {
        let element = self.client.find(Locator::Css(what)).await.expect(what);
        element.click().await.expect(what);
    }

    /// Moves the mouse over an element, to shares of its width from its left edge; pressed down after the first.
    pub async fn drag(&mut self, what: &str, shares: &[f64]) {
        let element = self.client.find(Locator::Css(what)).await.expect(what);
        let width = element.rectangle().await.expect(what).2;
        let mut mouse = MouseActions::new("mouse".into());
        for (at, share) in shares.iter().enumerate() {
            let (x, y) = ((share - 0.5) * width, 0.0);
            let (element, duration) = (element.clone(), None);
            mouse = mouse.then(PointerAction::MoveToElement { element, duration, x, y });
            if at == 0 && shares.len() > 1 {
                mouse = mouse.then(PointerAction::Down { button: MOUSE_BUTTON_LEFT });
            }
        }
        if shares.len() > 1 {
            mouse = mouse.then(PointerAction::Up { button: MOUSE_BUTTON_LEFT });
        }
        self.client.perform_actions(mouse).await.expect(what);
    }

    pub async fn click_all(&mut self, what: &str) {
        self.run(&format!("document.querySelectorAll('{what}').forEach(e => e.click())")).await;
    }

    pub async fn type_in(&mut self, what: &str, text: &str) {
        let set = format!(
            "const e = document.querySelector('{what}'); e.value = '{text}'; e.dispatchEvent(new Event('input'))"
        );
        self.run(&set).await;
    }

    pub async fn choose(&mut self, what: &str, value: &str) {
        let set = format!(
            "const e = document.querySelector('{what}'); e.value = '{value}'; e.dispatchEvent(new Event('change'))"
        );
        self.run(&set).await;
    }

    async fn own(&mut self, endpoint: &'static str, body: Value) -> Value {
        self.client.issue_cmd(Own(endpoint, body)).await.expect(endpoint)
    }

    async fn devtools(&mut self, command: &str, parameters: Value) -> Value {
        self.own("goog/cdp/execute", json!({ "cmd": command, "params": parameters })).await
    }

    /// What the console said (warnings and errors), and the addresses that were asked for.
    pub async fn heard(&mut self) -> (Vec<String>, Vec<String>) {
        let console = self.own("se/log", json!({ "type": "browser" })).await;
        let network = self.own("se/log", json!({ "type": "performance" })).await;
        let texts = |log: &Value| -> Vec<String> {
            let entries = log.as_array().into_iter().flatten();
            entries.filter_map(|entry| Some(entry["message"].as_str()?.to_owned())).collect()
        };
        let asked = |message: &String| {
            let event: Value = serde_json::from_str(message).ok()?;
            let event = &event["message"];
            let url = event["params"]["request"]["url"].as_str()?;
            // The browser's own empty tab, which it shows first, loads parts of the browser.
            let of_tab = event["params"]["documentURL"].as_str()?.starts_with("chrome:");
            let sent = event["method"] == "Network.requestWillBeSent" && !of_tab;
            sent.then(|| url.to_owned())
        };
        (texts(&console), texts(&network).iter().filter_map(asked).collect())
    }

    /// A screen of this size that prefers dark or light.
    pub async fn screen(&mut self, width: u32, height: u32, dark: bool) {
        let size = json!({ "width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 500 });
        self.devtools("Emulation.setDeviceMetricsOverride", size).await;
        let value = if dark { "dark" } else { "light" };
        let media = json!({ "features": [{ "name": "prefers-color-scheme", "value": value }] });
        self.devtools("Emulation.setEmulatedMedia", media).await;
    }

    /// Keeps a picture of the whole page.
    pub async fn picture(&mut self, name: &str) -> PathBuf {
        let shot = self.client.screenshot().await.expect("a screenshot");
        let file = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("{name}.png"));
        std::fs::write(&file, shot).expect("the screenshot can be kept");
        file
    }
}
