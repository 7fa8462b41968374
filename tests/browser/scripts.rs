//! What scripts add to pages that work without them.

use e2e::eventually;
use fantoccini::Locator;
use fantoccini::key::Key;

use crate::browser::Browser;

/// The search shows its results while a visitor types, and none when the field is empty again.
pub(crate) async fn search_while_typing(browser: &Browser) {
    browser.open("/").await;
    let words = "puzz";
    browser.fill("q", words).await;
    browser.until("#results a[href^='/games/']").await;
    // The address can be shared.
    eventually("the address is that of the search", async || {
        let address = browser.client.current_url().await.unwrap();
        let is_search = address.path() == "/search" && address.query() == Some("q=puzz");
        is_search.then_some(())
    })
    .await;
    let field = browser.client.find(Locator::Css("[name='q']"));
    let field = field.await.unwrap();
    for _ in words.chars() {
        field.send_keys(&Key::Backspace).await.unwrap();
    }
    browser.until("#results:empty").await;
    assert_eq!(browser.path().await, "/");
}

/// The secret of the key that the page shows is copied; then the key is rotated, and the time that its old secret has left counts down.
pub(crate) async fn copy_and_count_down(browser: &Browser) {
    browser.click("button[data-copy='secret']").await;
    eventually("the page says what was copied", async || {
        let said = browser.text("button[data-copy='secret'] + .copied").await;
        (!said.is_empty()).then_some(())
    })
    .await;
    browser.click("nav.account a[href$='/keys']").await;
    browser.click("main td a[href*='/keys/']").await;
    browser.click("main form[action$='/rotate'] button").await;
    let left = browser.text("[data-left]").await;
    // The clock of the page moves, and not that of the service.
    let script = "const now = Date.now; Date.now = () => now() + 2 * 60 * 60 * 1000;";
    browser.client.execute(script, Vec::new()).await.unwrap();
    eventually("less time is left", async || {
        (browser.text("[data-left]").await != left).then_some(())
    })
    .await;
}
