//! A visitor votes with the keyboard, in a window as wide as a phone.

use e2e::eventually;
use fantoccini::Locator;
use fantoccini::key::Key;

use crate::browser::Browser;

/// Enough votes to use each key.
const VOTES: usize = 4;
/// More than the number of elements on a page that the keyboard can reach.
const MOST_STEPS: usize = 100;

/// Votes with the keyboard. The arrow keys need the script of the page.
pub(crate) async fn vote_by_keyboard(browser: &Browser, has_javascript: bool) {
    browser.show_as(360, "light").await;
    // A new fleet has sorted its listings after some seconds.
    eventually("a pair of games", async || {
        browser.open("/vote").await;
        let found = browser.client.find(Locator::Css("button[name='pick']"));
        found.await.ok().map(drop)
    })
    .await;
    for vote in 1..=VOTES {
        match vote {
            // The left arrow votes for the first listing, the right arrow for the second.
            2 if has_javascript => press(browser, Key::Left).await,
            4 if has_javascript => press(browser, Key::Right).await,
            _ => {
                focus(browser, "pick").await;
                press(browser, Key::Enter).await;
            }
        }
        let said = browser.text("main p.notice[role='status']").await;
        assert!(!said.is_empty(), "vote {vote}");
        let path = browser.client.current_url().await.unwrap();
        assert_eq!(path.query(), Some("done=voted"), "vote {vote}: {said}");
        // Open a new page for the next vote, so that its notice cannot be taken from this page.
        browser.open("/vote").await;
    }
    eventually("the board has a game with votes", async || {
        browser.open("/rankings/games/week").await;
        let row = Locator::Css("main a[href^='/games/']");
        browser.client.find(row).await.ok().map(drop)
    })
    .await;
    browser.show_as(1_280, "light").await;
}

/// Moves the focus to the next element with this name.
async fn focus(browser: &Browser, name: &str) {
    for _ in 0..MOST_STEPS {
        press(browser, Key::Tab).await;
        let focused = browser.client.active_element().await.unwrap();
        if focused.attr("name").await.unwrap().as_deref() == Some(name) {
            return;
        }
    }
    panic!("the keyboard does not reach {name}");
}

async fn press(browser: &Browser, key: Key) {
    let focused = browser.client.active_element().await.unwrap();
    focused.send_keys(&key).await.unwrap();
}
