//! What scripts add to pages that also work without them.

use e2e::eventually;
use serde_json::Value;

use crate::browser::Browser;
use crate::pages::sign_in;

/// Copies the secret of the key that the page shows. Rotates the key: the remaining time of the old secret counts down.
pub(crate) async fn copy_and_count_down(browser: &Browser) {
    browser.show_as(1_280, "light").await;
    let script = "
        const places = ['#secret', '[data-copy=secret]'].map((css) => document.querySelector(css).getBoundingClientRect());
        const [secret, button] = places;
        return button.left >= secret.right && button.top < secret.bottom;";
    assert!(browser.run::<bool>(script).await, "the button is next to the key");
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
    // Move the clock of the page, but not that of the service.
    let script = "const now = Date.now; Date.now = () => now() + 2 * 60 * 60 * 1000;";
    browser.client.execute(script, Vec::new()).await.unwrap();
    eventually("less time is left", async || {
        (browser.text("[data-left]").await != left).then_some(())
    })
    .await;
}

/// A game has at most three genres: while three are checked, the others are disabled.
pub(crate) async fn tick_at_most_three_genres(browser: &Browser, account: &str) {
    browser.show_as(1_280, "light").await;
    browser.open(&format!("{account}/listings/new/game")).await;
    let click = async |place: usize| {
        let css = format!("[data-most='3'] label:nth-of-type({place}) [name='genres']");
        browser.click(&css).await;
    };
    let disabled = async || {
        let script =
            "return [...document.querySelectorAll('[name=genres]')].map((box) => box.disabled)";
        browser.run::<Vec<bool>>(script).await
    };
    for place in 1..=3 {
        let found = disabled().await;
        assert!(found.len() > 3 && !found.contains(&true), "{found:?}");
        click(place).await;
    }
    let found = disabled().await;
    assert!(!found[..3].contains(&true), "{found:?}");
    assert!(!found[3..].contains(&false), "{found:?}");
    // Unchecking one enables the others again.
    click(2).await;
    let found = disabled().await;
    assert!(!found.contains(&true), "{found:?}");
}

/// Public pages are the same for everybody, but a script adds a link to the accounts if the visitor is signed in.
#[tokio::test]
async fn public_pages_lead_a_person_to_the_accounts() {
    let browser = Browser::start().await;
    browser.open("/games").await;
    assert_eq!(browser.text("[data-accounts]").await, "Sign in");
    sign_in(&browser).await;
    for path in ["/games", "/vote", "/docs"] {
        browser.open(path).await;
        let link = browser.text("[data-accounts][href='/accounts']").await;
        assert_eq!(link, "Accounts", "{path}");
    }
    browser.open("/you").await;
    browser.click("form[action='/sign-out'] button").await;
    browser.until("[data-accounts][href='/sign-in']").await;
    browser.close().await;
}

/// The browser does not report that the visitor pressed Stop, so the form is enabled again after some seconds.
#[tokio::test]
async fn a_form_can_be_sent_again_after_stop() {
    let browser = Browser::start().await;
    browser.open("/sign-in").await;
    browser.fill("email", "nobody@studio.example").await;
    browser.fill("password", "not a password of anybody").await;
    // Let the seconds pass at once.
    let script = "
        const later = window.setTimeout;
        window.setTimeout = (run) => later(run, 0);
        const form = document.querySelector('main form');
        form.requestSubmit();
        window.stop();
        return form.dataset.sent;";
    assert_eq!(browser.run::<String>(script).await, "yes");
    eventually("the form can be sent again", async || {
        let script = "return document.querySelector('main form').dataset.sent ?? null";
        browser.run::<Value>(script).await.is_null().then_some(())
    })
    .await;
    // The page is still the same: an answer would have no password.
    let script = "return document.querySelector('[name=password]').value !== ''";
    assert!(browser.run::<bool>(script).await);
    browser.click("main form button").await;
    browser.until("main [role='alert']").await;
    browser.close().await;
}
