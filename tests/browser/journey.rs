//! From the start page to a first call that answers, and to a verified webhook: with JavaScript, and without.

use std::process::Command;

use e2e::mails;

use crate::browser::{Browser, Options};

const PASSWORD: &str = "baobab lorry teapot nine";
/// The most clicks from the start page to a call that answers; the call is pasted.
const FIRST_CALL: u32 = 6;

/// A visitor, who clicks.
struct Visitor {
    browser: Browser,
    clicks: u32,
}

impl Visitor {
    async fn click(&mut self, css: &str) {
        self.clicks += 1;
        self.browser.click(css).await;
    }

    /// Signs up with a new address, makes a test key, and returns the call that its page offers.
    async fn reach_the_first_call(&mut self) -> String {
        let address = format!("visitor-{}@studio.example", kit::ids::row_id());
        self.browser.open("/").await;
        self.click("a.button[href='/sign-up']").await;
        self.browser.fill("email", &address).await;
        self.click("main button").await;
        let link = mails::link(&self.browser.fleet.mail_dir, &address).await;
        self.clicks += 1;
        self.browser.open(&link).await;
        self.browser.fill("account_name", "Savanna Studio").await;
        self.browser.fill("password", PASSWORD).await;
        self.click("main button").await;
        self.click("main a.button").await;
        self.browser.fill("name", "first").await;
        self.click("main button").await;
        self.browser.text("#call").await
    }
}

async fn walk(options: Options) {
    let mut visitor = Visitor {
        browser: Browser::start(options).await,
        clicks: 0,
    };
    let call = visitor.reach_the_first_call().await;
    assert!(visitor.clicks <= FIRST_CALL, "{} clicks", visitor.clicks);
    let pasted = Command::new("sh").args(["-c", &format!("{call} --silent")]).output();
    let answer = String::from_utf8(pasted.unwrap().stdout).unwrap();
    let answer: serde_json::Value = serde_json::from_str(&answer).unwrap();
    assert_eq!(answer["success"], true, "{answer}");
    assert_eq!(visitor.browser.log().await, Vec::<String>::new());
    visitor.browser.close().await;
}

#[tokio::test]
async fn with_javascript() {
    walk(Options {
        has_javascript: true,
    })
    .await;
}

#[tokio::test]
async fn without_javascript() {
    walk(Options {
        has_javascript: false,
    })
    .await;
}
