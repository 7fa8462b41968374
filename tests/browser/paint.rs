//! Layout shifts while a page loads, as the browser measures them.

use crate::browser::Browser;

const WIDTHS: [u32; 2] = [1_280, 360];

/// The pages on which visits begin.
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

/// The cumulative layout shift (Core Web Vitals: CLS) from the browser's `PerformanceObserver`; 0 if nothing moved.
const OBSERVE: &str = "
    const done = arguments[arguments.length - 1];
    const entries = new Promise((resolve) => {
        new PerformanceObserver((list) => resolve(list.getEntries())).observe({ type: 'layout-shift', buffered: true });
        setTimeout(() => resolve([]), 500);
    });
    entries.then((shifts) => done(shifts.reduce((sum, entry) => sum + entry.value, 0)));";

/// The same without a race: how much lower the page is without the buttons that the script shows. A browser may show the page before
/// the script runs.
const WITHOUT_BUTTONS: &str = "
    const height = document.body.offsetHeight;
    for (const button of document.querySelectorAll('[data-copy]')) button.hidden = true;
    return height - document.body.offsetHeight;";

async fn shift(browser: &Browser, path: &str, width: u32) -> f64 {
    browser.show_as(width, "light").await;
    browser.open(path).await;
    let score = browser.client.execute_async(OBSERVE, Vec::new()).await;
    let lower = browser.client.execute(WITHOUT_BUTTONS, Vec::new()).await;
    score.unwrap().as_f64().unwrap() + lower.unwrap().as_f64().unwrap()
}

#[tokio::test]
#[ignore = "long: loads pages in two widths"]
async fn nothing_moves_while_a_page_loads() {
    let browser = Browser::start().await;
    let mut moved = Vec::new();
    for path in pages(&browser) {
        for width in WIDTHS {
            let shift = shift(&browser, &path, width).await;
            if shift > 0.0 {
                moved.push(format!("{path}, {width}: {shift}"));
            }
        }
    }
    assert_eq!(moved, Vec::<String>::new());
    browser.close().await;
}
