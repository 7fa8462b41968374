//! A visitor votes, goes from the start page to a first API call, and on to a verified webhook: with JavaScript and without.

use std::process::Command;

use e2e::{Receiver, SmallFleet, eventually, mails};
use fantoccini::Locator;
use testing::wait_until;

use crate::browser::Browser;
use crate::pages::problems;
use crate::scripts::copy_and_count_down;
use crate::vote::vote_by_keyboard;

const PASSWORD: &str = "baobab lorry teapot nine";
/// The most clicks from the start page to a first call that succeeds. The visitor pastes the call.
const FIRST_CALL: u32 = 6;
/// The most clicks from there to a webhook that arrives.
const WEBHOOK: u32 = 6;

/// A visitor, whose clicks are counted.
struct Visitor {
    browser: Browser,
    has_javascript: bool,
    clicks: u32,
    problems: Vec<String>,
}

impl Visitor {
    /// Checks the open page in both themes. The checks need JavaScript.
    async fn look(&mut self, page: &str) {
        if self.has_javascript {
            let found = problems(&self.browser, page).await;
            self.problems.extend(found);
        }
    }

    async fn click(&mut self, css: &str) {
        self.clicks += 1;
        self.browser.click(css).await;
    }

    /// Signs up with a new address and creates a test key; returns the call that the page of the key offers.
    async fn reach_the_first_call(&mut self) -> String {
        let address = format!("visitor-{}@studio.example", kit::ids::row_id());
        self.browser.open("/").await;
        self.click("a.button[href='/sign-up']").await;
        self.browser.fill("email", &address).await;
        self.click("main form button").await;
        let link = mails::link(&self.browser.fleet.mail_dir, &address).await;
        self.clicks += 1;
        self.browser.open(&link).await;
        self.browser.fill("account_name", "Savanna Studio").await;
        self.browser.fill("password", PASSWORD).await;
        self.click("main form button").await;
        self.click("main a.button[href$='/keys/new']").await;
        self.browser.fill("name", "first").await;
        self.click("main form button").await;
        self.look("/new-key").await;
        self.browser.text("#call").await
    }

    /// Adds the receiver as a webhook endpoint, gives it the secret that the page shows once, and sends a test event.
    async fn verify_a_webhook(&mut self, receiver: &Receiver) {
        let address = format!("http://{}/", receiver.address);
        self.click("nav.account a[href$='/webhooks']").await;
        self.click("main a.button[href$='/webhooks/new']").await;
        self.browser.fill("url", &address).await;
        self.click("[name='events']").await;
        self.click("main form button").await;
        let secret = self.browser.text("#secret").await;
        self.look("/new-webhook").await;
        receiver.expect(&secret);
        self.click("main form[action$='/test'] button").await;
        // The click returns before the page of the delivery is there.
        let delivery = eventually("the page of the delivery", async || {
            let path = self.browser.path().await;
            path.contains("/deliveries/").then_some(path)
        })
        .await;
        wait_until("the page shows that the receiver accepted it", async || {
            self.browser.open(&delivery).await;
            let good = Locator::Css("section.attempt span.good");
            self.browser.client.find(good).await.is_ok()
        })
        .await;
        self.look("/delivery").await;
        let (endpoint, _) = delivery.split_once("/deliveries").unwrap();
        self.browser.open(&format!("{endpoint}/deliveries")).await;
        self.look("/deliveries").await;
        self.clicks += 1;
        self.browser.open(endpoint).await;
        self.look("/webhook").await;
    }
}

async fn walk(has_javascript: bool) {
    let receiver = Receiver::start().await;
    let address = format!("http://{}", receiver.address);
    let mut small = SmallFleet::patient();
    small.set("WEBHOOK_ALLOW", &address);
    let fleet = small.up().await;
    let mut visitor = Visitor {
        browser: Browser::start_on(fleet, has_javascript).await,
        has_javascript,
        clicks: 0,
        problems: Vec::new(),
    };
    vote_by_keyboard(&visitor.browser, has_javascript).await;
    let call = visitor.reach_the_first_call().await;
    assert!(visitor.clicks <= FIRST_CALL, "{} clicks", visitor.clicks);
    let pasted = Command::new("sh").args(["-c", &format!("{call} --silent")]).output();
    let answer = String::from_utf8(pasted.unwrap().stdout).unwrap();
    let answer: serde_json::Value = serde_json::from_str(&answer).unwrap();
    assert_eq!(answer["success"], true, "{answer}");
    if has_javascript {
        copy_and_count_down(&visitor.browser).await;
        visitor.browser.open("/accounts").await;
        visitor.browser.click("main a[href^='/accounts/']").await;
    }

    visitor.clicks = 0;
    visitor.verify_a_webhook(&receiver).await;
    assert!(visitor.clicks <= WEBHOOK, "{} clicks", visitor.clicks);
    visitor.problems.extend(visitor.browser.log().await);
    assert_eq!(visitor.problems, Vec::<String>::new());
    visitor.browser.close().await;
}

/// Takes most of a minute: one browser goes from the start page to a webhook that arrives.
#[tokio::test]
async fn a_visitor_reaches_a_first_call_and_a_webhook_with_javascript() {
    walk(true).await;
}

#[tokio::test]
#[ignore = "long: the same way as with JavaScript, on a fleet of its own"]
async fn a_visitor_reaches_a_first_call_and_a_webhook_without_javascript() {
    walk(false).await;
}
