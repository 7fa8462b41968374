//! A browser's measurements of the load of a page: no layout shift, and an early largest contentful paint.

use serde::Deserialize;

use crate::browser::{Browser, Options};

const WIDTHS: [u32; 2] = [1_280, 360];

/// The pages at which visits begin.
fn pages(browser: &Browser) -> Vec<String> {
    let game = &browser.fleet.account("free").economy_game;
    let mut pages = [
        "/",
        "/games",
        "/creators",
        "/events",
        "/countries/KE",
        "/rankings/games/week",
        "/search?q=puzzle",
        "/fr/games",
    ]
    .map(ToOwned::to_owned)
    .to_vec();
    pages.push(format!("/games/{game}"));
    pages
}

/// The figures of one load, from the browser's `PerformanceObserver`.
#[derive(Debug, Deserialize)]
struct Figures {
    /// The score of layout shifts (Core Web Vitals: CLS); 0 if nothing moved.
    shift: f64,
    /// Milliseconds until the largest contentful paint (LCP).
    largest_paint: f64,
    /// Bytes of the page and its resources, without headers.
    bytes: u64,
}

const OBSERVE: &str = "
    const done = arguments[arguments.length - 1];
    const entries = (type) => new Promise((resolve) => {
        new PerformanceObserver((list) => resolve(list.getEntries())).observe({ type, buffered: true });
        setTimeout(() => resolve([]), 500);
    });
    Promise.all([entries('layout-shift'), entries('largest-contentful-paint')]).then(([shifts, paints]) => {
        const loaded = [...performance.getEntriesByType('navigation'), ...performance.getEntriesByType('resource')];
        done({
            shift: shifts.reduce((sum, entry) => sum + entry.value, 0),
            largest_paint: paints.reduce((last, entry) => Math.max(last, entry.startTime), 0),
            bytes: loaded.reduce((sum, entry) => sum + entry.encodedBodySize, 0),
        });
    });";

impl Figures {
    async fn of(browser: &Browser, path: &str, width: u32) -> Self {
        browser.show_as(width, "light").await;
        browser.open(path).await;
        let figures = browser.client.execute_async(OBSERVE, Vec::new()).await;
        serde_json::from_value(figures.unwrap()).unwrap()
    }
}

#[tokio::test]
#[ignore = "long: loads pages over a slow line"]
async fn nothing_moves_while_a_page_loads() {
    let browser = Browser::start(Options {
        has_javascript: true,
    })
    .await;
    let mut moved = Vec::new();
    for path in pages(&browser) {
        for width in WIDTHS {
            let figures = Figures::of(&browser, &path, width).await;
            if figures.shift > 0.0 {
                moved.push(format!("{path}, {width}: {}", figures.shift));
            }
        }
    }
    assert_eq!(moved, Vec::<String>::new());
    browser.close().await;
}

#[tokio::test]
#[ignore = "by hand: prints figures for the README of the tests"]
async fn by_hand_figures() {
    let browser = Browser::start(Options {
        has_javascript: true,
    })
    .await;
    for path in pages(&browser) {
        for width in WIDTHS {
            let figures = Figures::of(&browser, &path, width).await;
            println!(
                "{path} at {width}: {:.0} ms until the largest paint, shift {}, {} bytes",
                figures.largest_paint, figures.shift, figures.bytes
            );
        }
    }
    browser.close().await;
}
