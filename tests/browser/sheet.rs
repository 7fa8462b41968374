//! Sheets of the most used pages, to look at: wide and narrow, light and dark.

use std::fmt::Write as _;
use std::path::Path;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use e2e::Fleet;
use serde_json::{Value, json};

use crate::browser::{Browser, Options};
use crate::pages::listing_pages;

/// The pages besides those of listings.
const PAGES: [&str; 16] = [
    "/",
    "/games",
    "/games?genre=puzzle",
    "/creators",
    "/events",
    "/countries",
    "/countries/KE",
    "/search?q=lagos",
    "/rankings",
    "/rankings/games/week",
    "/vote",
    "/economy",
    "/docs",
    "/docs/first-call",
    "/sign-up",
    "/fr/games",
];
/// The width of a sheet.
const WIDTH: u32 = 2_000;
const STYLE: &str = "<meta charset=\"utf-8\"><style>
    body { margin: 0; padding: 8px; background: #888; display: grid; gap: 8px; font: 14px sans-serif; }
    body.w1280 { grid-template-columns: repeat(5, 1fr); }
    body.w360 { grid-template-columns: repeat(10, 1fr); }
    figure { margin: 0; }
    img { display: block; width: 100%; }
    </style>";

async fn twenty_pages(fleet: &Fleet) -> Vec<String> {
    let [game, _, _, creator, event, city] = listing_pages(fleet).await;
    let pages = PAGES.map(ToOwned::to_owned).into_iter();
    pages.chain([game, creator, event, city]).collect()
}

/// A picture of what the browser shows, in Base64.
async fn picture(browser: &Browser, options: Value) -> String {
    let taken = browser.devtools("Page.captureScreenshot", options).await;
    taken["data"].as_str().unwrap().to_owned()
}

/// Shows the sheet and takes its picture.
async fn save(browser: &Browser, sheet: &str, file: &Path) {
    let folder = tempfile::tempdir().unwrap();
    let page = folder.path().join("sheet.html");
    std::fs::write(&page, sheet).unwrap();
    browser.show_as(WIDTH, "light").await;
    let address = format!("file://{}", page.display());
    browser.client.goto(&address).await.unwrap();
    let script = "return document.documentElement.scrollHeight";
    let height = browser.client.execute(script, Vec::new()).await.unwrap();
    let options = json!({
        "format": "webp",
        "quality": 60,
        "captureBeyondViewport": true,
        "clip": { "x": 0, "y": 0, "width": WIDTH, "height": height, "scale": 1 },
    });
    let bytes = STANDARD.decode(picture(browser, options).await);
    std::fs::write(file, bytes.unwrap()).unwrap();
}

#[tokio::test]
#[ignore = "by hand: makes gateway/web/screenshots/sheet-WIDTH-THEME.webp, for people to look at"]
async fn by_hand_contact_sheet() {
    let browser = Browser::start(Options {
        has_javascript: true,
    })
    .await;
    let pages = twenty_pages(&browser.fleet).await;
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../gateway/web/screenshots");
    for (width, theme) in [
        (1_280, "light"),
        (1_280, "dark"),
        (360, "light"),
        (360, "dark"),
    ] {
        let mut sheet = format!("{STYLE}<body class=\"w{width}\">");
        for page in &pages {
            browser.show_as(width, theme).await;
            browser.open(page).await;
            let data = picture(&browser, json!({ "format": "jpeg", "quality": 80 })).await;
            write!(
                sheet,
                "<figure><img src=\"data:image/jpeg;base64,{data}\"><figcaption>{page}</figcaption></figure>"
            )
            .unwrap();
        }
        let file = folder.join(format!("sheet-{width}-{theme}.webp"));
        save(&browser, &sheet, &file).await;
    }
    browser.close().await;
}
