//! A headless Chromium behind its own driver, one for each test, ended with it.

use fantoccini::wd::WebDriverCompatibleCommand;
use fantoccini::{Client, ClientBuilder, Locator};
use serde_json::{Value, json};
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::Mutex;
use tempfile::TempDir;

/// One browser at a time: they are large.
static ALONE: Mutex<()> = Mutex::new(());

/// A page in a browser.
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
        let mut command = Command::new("chromedriver");
        command.arg("--port=0").stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut child = command.spawn().expect(
            "chromedriver does not start; 'cargo xtask test' installs it (Debian: chromium chromium-driver)",
        );
        let lines = BufReader::new(child.stdout.take().expect("piped")).lines();
        let port = lines.map_while(Result::ok).find_map(|line| {
            let digits = line.split("on port ").nth(1)?.trim_end_matches('.').parse().ok();
            digits.filter(|port| *port > 0)
        });
        let profile = tempfile::tempdir().expect("a temporary folder");
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

/// A command of Chromium's own.
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

    /// Clicks everything that matches.
    pub async fn click_all(&mut self, what: &str) {
        self.run(&format!("document.querySelectorAll('{what}').forEach(e => e.click())")).await;
    }

    /// Replaces what stands in a field.
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
