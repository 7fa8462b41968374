//! The layout of pages: on a phone the essentials come first, and pictures keep their shape.

use serde_json::json;

use crate::browser::Browser;

/// How many pixels of a phone the header and the links of an account may take.
const MOST_HEADER: f64 = 200.0;

/// On a phone, the header leaves room for the page of an account.
pub(crate) async fn assert_small_header(browser: &Browser) {
    browser.show_as(360, "light").await;
    let script = "return document.querySelector('nav.account').getBoundingClientRect().bottom";
    let pixels: f64 = browser.run(script).await;
    assert!(pixels <= MOST_HEADER, "{pixels} pixels of header");
}

/// On a phone, the header of a public page leaves room for its content: name, search and sections take three rows.
pub(crate) async fn assert_small_header_of_site(browser: &Browser) {
    browser.show_as(390, "light").await;
    for path in ["/games", "/fr/games", "/docs"] {
        browser.open(path).await;
        let script = "return document.querySelector('header').getBoundingClientRect().bottom";
        let pixels: f64 = browser.run(script).await;
        assert!(pixels <= 170.0, "{path}: {pixels} pixels of header");
    }
}

/// On a phone, the most important cell of a table is visible without scrolling.
pub(crate) async fn assert_tables_start_with_their_point(browser: &Browser, account: &str) {
    browser.show_as(360, "light").await;
    // A change, so that the activity has a row.
    browser.open(&format!("{account}/settings")).await;
    browser.fill("name", "A renamed account").await;
    browser.click("main form button").await;
    for (page, part) in
        [("economy", "main tbody td:last-child .state"), ("activity", "main tbody td")]
    {
        browser.open(&format!("{account}/{page}")).await;
        browser.until(part).await;
        let script = "return document.querySelector(arguments[0]).getBoundingClientRect().right";
        let right = browser.client.execute(script, vec![json!(part)]);
        let pixels = right.await.unwrap().as_f64().unwrap();
        assert!(pixels <= 360.0, "{page}: {pixels}");
    }
    browser.open(&format!("{account}/usage")).await;
    // An account without calls has no table.
    let script = "
        const words = document.createRange();
        words.selectNodeContents(document.querySelector('main caption') ?? document.querySelector('h1'));
        return words.getBoundingClientRect().right";
    let pixels: f64 = browser.run(script).await;
    assert!(pixels <= 360.0, "the caption of usage: {pixels}");
}

/// In a wide window, the button of the filters is in one row with them and with the link to the whole list.
pub(crate) async fn assert_filters_in_a_row(browser: &Browser, prefix: &str) {
    browser.show_as(1_280, "light").await;
    let filtered = "games?genre=puzzle&platform=android&country=CF&stage=early_access";
    browser.open(&format!("{prefix}/{filtered}")).await;
    let script = "return [...document.querySelectorAll('form.filters :is(select, button, a)')]
        .map((part) => part.getBoundingClientRect()).map((box) => (box.top + box.bottom) / 2)";
    let middles: Vec<f64> = browser.run(script).await;
    assert_eq!(middles.len(), 6, "four filters, the button and the link");
    let far = middles.iter().find(|middle| (*middle - middles[0]).abs() > 8.0);
    assert!(far.is_none(), "{middles:?}");
}

/// A picture keeps its shape, even if it is larger than its container.
pub(crate) async fn assert_pictures_keep_their_shape(browser: &Browser, account: &str) {
    let game = &browser.fleet.account("free").economy_game;
    let path = format!("{account}/listings/game/{game}/pictures");
    for width in [1_280, 360] {
        browser.open(&path).await;
        browser.show_as(width, "light").await;
        let script = "
            const [done] = arguments;
            const file = '<img id=file src=\"/pictures/drawn/2/games/NG/okoto.svg\" width=1200 height=675 alt=\"\">';
            document.querySelector('main').innerHTML = `<figure class=picture>${file}</figure>`;
            const picture = document.querySelector('#file');
            picture.decode().then(() => {
                const box = picture.getBoundingClientRect();
                done(box.width / box.height);
            });";
        let shape =
            browser.client.execute_async(script, Vec::new()).await.unwrap().as_f64().unwrap();
        assert!((shape - 16.0 / 9.0).abs() < 0.05, "at {width}: {shape}");
    }
}
