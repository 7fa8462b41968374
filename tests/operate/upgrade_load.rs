//! The callers of a fleet whose processes are replaced: no request may fail, and no read may be stale.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use e2e::{Client, Fleet};
use reqwest::Method;
use serde_json::{Value, json};
use tokio::task::JoinSet;

/// How long an idle connection is reused.
const KEEP_ALIVE: Duration = Duration::from_secs(30);
/// The creator of the games.
pub(crate) const STUDIO: &str = "upgrade-studio";
const PAGE: &str = "/games";

pub(crate) struct Load {
    http: reqwest::Client,
    /// Opens a new connection for each request.
    new_connections: reqwest::Client,
    base: String,
    key: String,
    /// The slugs of the games, with the number of changes of each.
    games: Vec<(String, tokio::sync::Mutex<u64>)>,
    failures: Mutex<Vec<String>>,
    requests: AtomicUsize,
}

impl Load {
    pub(crate) fn new(address: &str, key: String, slugs: Vec<String>) -> Self {
        let client = |idle| {
            let client = reqwest::Client::builder().pool_max_idle_per_host(idle);
            // Shorter than haproxy's, so that no request uses a connection that is being closed.
            client.pool_idle_timeout(KEEP_ALIVE).build().unwrap()
        };
        let games = slugs.into_iter().map(|slug| (slug, tokio::sync::Mutex::default()));
        Self {
            http: client(usize::MAX),
            new_connections: client(0),
            base: address.to_owned(),
            key,
            games: games.collect(),
            failures: Mutex::default(),
            requests: AtomicUsize::new(0),
        }
    }

    /// Asserts that no request failed and each game has its last change; returns the number of changes.
    pub(crate) async fn assert_all_seen(&self, fleet: &Fleet) -> usize {
        assert_eq!(*self.failures.lock().unwrap(), [""; 0]);
        let reader = Client::new(fleet, &self.key);
        let mut changes = 0;
        for (slug, count) in &self.games {
            let count = *count.lock().await;
            assert!(count > 0, "{slug} was never changed");
            let game = reader.get(&format!("/games/{slug}")).await;
            let tagline = game.data()["tagline"].as_str().unwrap();
            // The load may have ended during a change.
            let shown = [count, count + 1].map(|count| format!("Change {count}"));
            assert!(shown.iter().any(|shown| shown == tagline), "{slug}: {tagline}");
            changes += usize::try_from(count).unwrap();
        }
        changes
    }

    pub(crate) fn requests(&self) -> usize {
        self.requests.load(Ordering::Relaxed)
    }

    /// Sends a request; records a failure and returns `None`.
    async fn send(
        &self,
        client: &reqwest::Client,
        method: Method,
        path: &str,
        body: Option<Value>,
    ) -> Option<String> {
        let what = format!("{method} {path}");
        let mut request =
            client.request(method, format!("{}{path}", self.base)).bearer_auth(&self.key);
        if let Some(body) = body {
            request = request.json(&body);
        }
        let answer = async {
            let response = request.send().await?;
            let status = response.status();
            Ok::<_, reqwest::Error>((status, response.text().await?))
        };
        self.requests.fetch_add(1, Ordering::Relaxed);
        match answer.await {
            Ok((status, text)) if status == 200 => return Some(text),
            Ok((status, text)) => self.fail(format!("{what}: {status} {text}")),
            Err(error) => self.fail(format!("{what}: {error:?}")),
        }
        None
    }

    fn fail(&self, what: String) {
        self.failures.lock().unwrap().push(what);
    }

    async fn request(&self, number: usize) {
        let game = number / 8 % self.games.len();
        let (slug, changes) = &self.games[game];
        let list = format!("/v1/games?limit=20&creator={STUDIO}");
        match number % 8 {
            0 => self.change(slug, changes).await,
            1 | 2 => drop(self.send(&self.new_connections, Method::GET, &list, None).await),
            3 => drop(self.send(&self.http, Method::GET, PAGE, None).await),
            4 => {
                let search = format!("/v1/search?q={slug}");
                drop(self.send(&self.http, Method::GET, &search, None).await);
            }
            _ => drop(self.send(&self.http, Method::GET, &list, None).await),
        }
    }

    /// Changes a game; the next read must show the change.
    async fn change(&self, slug: &str, changes: &tokio::sync::Mutex<u64>) {
        let mut changes = changes.lock().await;
        let tagline = format!("Change {}", *changes + 1);
        let path = format!("/v1/games/{slug}");
        let body = json!({"tagline": tagline});
        let changed = self.send(&self.http, Method::PATCH, &path, Some(body)).await;
        if changed.is_none() {
            return;
        }
        *changes += 1;
        let Some(text) = self.send(&self.new_connections, Method::GET, &path, None).await else {
            return;
        };
        let body: Value = serde_json::from_str(&text).unwrap();
        if body["data"]["tagline"] != *tagline {
            self.fail(format!("a stale read of {slug} after {tagline}: {text}"));
        }
    }

    /// Sends `rate` requests per second, whether or not earlier ones are answered.
    pub(crate) async fn run(self: Arc<Self>, rate: u64) {
        let mut pace = tokio::time::interval(Duration::from_secs(1) / u32::try_from(rate).unwrap());
        let mut running = JoinSet::new();
        for number in 0.. {
            pace.tick().await;
            let load = Arc::clone(&self);
            running.spawn(async move { load.request(number).await });
            while let Some(ended) = running.try_join_next() {
                ended.unwrap();
            }
            let failures = self.failures.lock().unwrap();
            assert!(failures.is_empty(), "after {number} requests: {failures:#?}");
        }
    }
}
