//! The page of a game over a slow line: what a first visit and a second one load, and when the page can be used.

use serde::Deserialize;
use serde_json::json;

use crate::browser::{Browser, Options};

/// "3G Slow" of `WebPageTest`: 400 kbit/s each way, and 400 ms to the server and back. `DevTools` gives the speed in bytes a second.
const DELAY: u32 = 400;
const SPEED: u32 = 400_000 / 8;

/// What the browser measured, without pictures.
const MEASURE: &str = "
    const [page] = performance.getEntriesByType('navigation');
    const resources = performance.getEntriesByType('resource').filter((entry) => entry.initiatorType !== 'img');
    const loaded = [page, ...resources].filter((entry) => entry.transferSize > 0);
    return {
        interactive: page.domContentLoadedEventEnd,
        requests: loaded.length,
        bytes: loaded.reduce((sum, entry) => sum + entry.transferSize, 0),
    };";

#[derive(Debug, Deserialize)]
struct Visit {
    /// Milliseconds until the page is read and its script has run.
    interactive: f64,
    /// Requests that the browser's cache did not answer.
    requests: u64,
    /// Bytes of their responses, with 300 for the headers of each.
    bytes: u64,
}

impl Visit {
    async fn of(browser: &Browser, path: &str) -> Self {
        browser.open(path).await;
        let figures = browser.client.execute(MEASURE, Vec::new()).await;
        serde_json::from_value(figures.unwrap()).unwrap()
    }
}

#[tokio::test]
#[ignore = "by hand: prints figures for the README of the tests"]
async fn by_hand_a_game_over_a_slow_line() {
    let browser = Browser::start(Options {
        has_javascript: true,
    })
    .await;
    let line = json!({
        "offline": false, "latency": DELAY, "downloadThroughput": SPEED, "uploadThroughput": SPEED,
    });
    browser
        .devtools("Network.emulateNetworkConditions", line)
        .await;
    let game = &browser.fleet.account("free").economy_game;
    let path = format!("/games/{game}");
    for visit in ["first", "second"] {
        let Visit {
            interactive,
            requests,
            bytes,
        } = Visit::of(&browser, &path).await;
        println!(
            "{visit} visit of {path}: interactive after {interactive:.0} ms, {requests} requests, {bytes} bytes without pictures"
        );
        browser.client.goto("about:blank").await.unwrap();
    }
    browser.close().await;
}
