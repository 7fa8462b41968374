//! A Chromium for one test, driven through chromedriver.

use std::net::TcpListener;
use std::process::Stdio;
use std::time::Duration;

use e2e::{Fleet, eventually};
use fantoccini::elements::Element;
use fantoccini::wd::{Capabilities, WebDriverCompatibleCommand};
use fantoccini::{Client, ClientBuilder, Locator};
use hyper_util::client::legacy::connect::HttpConnector;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use tempfile::TempDir;
use tokio::process::{Child, Command};
use url::{ParseError, Url};

/// Timeout for a page that hangs. No test requires this speed.
const PATIENCE: Duration = Duration::from_mins(3);

/// The browser ends with the test, even if the test panics or is killed: the kernel ends chromedriver with the thread that started it, and Chromium
/// ends when its pipe to chromedriver closes.
pub(crate) struct Browser {
    pub(crate) client: Client,
    pub(crate) fleet: Fleet,
    _driver: Child,
    _profile: TempDir,
}

impl Browser {
    /// Starts a browser on the fleet that the tests share.
    pub(crate) async fn start() -> Self {
        Self::start_on(Fleet::shared(), true).await
    }

    pub(crate) async fn start_on(fleet: Fleet, has_javascript: bool) -> Self {
        let profile = tempfile::tempdir().unwrap();
        let (driver, address) = start_driver().await;
        let connector = ClientBuilder::new(HttpConnector::new())
            .capabilities(capabilities(has_javascript, &profile))
            .connect(&address)
            .await;
        let browser =
            Self { client: connector.unwrap(), fleet, _driver: driver, _profile: profile };
        // Limits count per client address. The fleet trusts the tests as a proxy, so this header gives each browser another address.
        let random = kit::ids::row_id().as_u128();
        let address = format!("2001:db8:{:x}:{:x}::1", random & 0xffff, random >> 16 & 0xffff);
        browser.devtools("Network.enable", json!({})).await;
        let headers = json!({ "headers": { "X-Forwarded-For": address } });
        browser.devtools("Network.setExtraHTTPHeaders", headers).await;
        browser
    }

    pub(crate) async fn devtools(&self, command: &str, parameters: Value) -> Value {
        let body = json!({ "cmd": command, "params": parameters });
        let command = ChromeCommand { path: "goog/cdp/execute", body };
        self.client.issue_cmd(command).await.unwrap()
    }

    /// Sets the width of the window in CSS pixels, and the preferred color scheme.
    pub(crate) async fn show_as(&self, width: u32, theme: &str) {
        let metrics =
            json!({ "width": width, "height": 900, "deviceScaleFactor": 1, "mobile": false });
        self.devtools("Emulation.setDeviceMetricsOverride", metrics).await;
        let media = json!({ "features": [{ "name": "prefers-color-scheme", "value": theme }] });
        self.devtools("Emulation.setEmulatedMedia", media).await;
    }

    /// Opens a path of the dashboard.
    pub(crate) async fn open(&self, path: &str) {
        let base = self.fleet.dashboard_url.trim_end_matches('/');
        self.client.goto(&format!("{base}{path}")).await.unwrap();
    }

    pub(crate) async fn path(&self) -> String {
        self.client.current_url().await.unwrap().path().to_owned()
    }

    /// The first element that matches the selector; waits until there is one.
    async fn find(&self, css: &str) -> Element {
        let found = self.client.wait().at_most(PATIENCE).for_element(Locator::Css(css)).await;
        found.unwrap_or_else(|error| panic!("{css}: {error}"))
    }

    pub(crate) async fn click(&self, css: &str) {
        self.find(css).await.click().await.unwrap();
    }

    pub(crate) async fn fill(&self, name: &str, text: &str) {
        let field = self.find(&format!("[name='{name}']")).await;
        field.clear().await.unwrap();
        field.send_keys(text).await.unwrap();
    }

    pub(crate) async fn text(&self, css: &str) -> String {
        self.find(css).await.text().await.unwrap()
    }

    pub(crate) async fn until(&self, css: &str) {
        self.find(css).await;
    }

    pub(crate) async fn run<T: DeserializeOwned>(&self, script: &str) -> T {
        let found = self.client.execute(script, Vec::new()).await.unwrap();
        serde_json::from_value(found).unwrap()
    }

    /// The lines in the console since the last call: errors of scripts, resources that failed to load, and violations of the content security policy.
    pub(crate) async fn log(&self) -> Vec<String> {
        let command = ChromeCommand { path: "se/log", body: json!({ "type": "browser" }) };
        let entries = self.client.issue_cmd(command).await.unwrap();
        let entries = entries.as_array().unwrap().iter();
        entries.map(|entry| entry["message"].to_string()).collect()
    }

    /// Ends the session. A test that panics ends it as well.
    pub(crate) async fn close(self) {
        self.client.close().await.unwrap();
    }
}

/// A command of chromedriver that is not in the `WebDriver` standard.
#[derive(Debug)]
struct ChromeCommand {
    path: &'static str,
    body: Value,
}

impl WebDriverCompatibleCommand for ChromeCommand {
    fn endpoint(&self, base: &Url, session: Option<&str>) -> Result<Url, ParseError> {
        let session = session.unwrap_or_default();
        base.join(&format!("session/{session}/{}", self.path))
    }

    fn method_and_body(&self, _url: &Url) -> (http::Method, Option<String>) {
        (http::Method::POST, Some(self.body.to_string()))
    }
}

async fn start_driver() -> (Child, String) {
    let (mut driver, mut address) = spawn_driver();
    eventually("chromedriver answers", async || {
        if driver.try_wait().unwrap().is_some() {
            // Another program has taken the port first.
            (driver, address) = spawn_driver();
        }
        let answer = reqwest::get(format!("{address}/status")).await.ok()?;
        answer.status().is_success().then_some(())
    })
    .await;
    (driver, address)
}

/// Starts chromedriver on a port that was free a moment ago.
fn spawn_driver() -> (Child, String) {
    let port = {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        listener.local_addr().unwrap().port()
    };
    let driver = Command::new("setpriv")
        .args(["--pdeathsig", "KILL", "chromedriver"])
        .arg(format!("--port={port}"))
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .kill_on_drop(true)
        .spawn();
    (driver.unwrap(), format!("http://127.0.0.1:{port}"))
}

fn capabilities(has_javascript: bool, profile: &TempDir) -> Capabilities {
    let mut args = vec![
        "--headless=new".to_owned(),
        "--disable-gpu".to_owned(),
        // `/dev/shm` is small in containers.
        "--disable-dev-shm-usage".to_owned(),
        "--remote-debugging-pipe".to_owned(),
        "--hide-scrollbars".to_owned(),
        format!("--user-data-dir={}", profile.path().display()),
    ];
    if nix::unistd::geteuid().is_root() {
        args.push("--no-sandbox".to_owned());
    }
    let mut chrome = json!({ "args": args });
    if !has_javascript {
        chrome["prefs"] = json!({ "profile.managed_default_content_settings.javascript": 2 });
    }
    let capabilities = json!({
        "goog:chromeOptions": chrome,
        "goog:loggingPrefs": { "browser": "ALL" },
    });
    let Value::Object(capabilities) = capabilities else { unreachable!() };
    capabilities
}
