//! A password is the same text from every keyboard: composed or decomposed letters, usual or no-break spaces.

use sqlx::PgPool;

use crate::browser::Page;
use crate::support::{ADA, Site};

/// As a phone, a Mac and a keyboard layout with a no-break space write it.
const SPELLINGS: [&str; 3] = [
    "\u{1ECC}\u{300}y\u{1ECD}\u{301} \u{144} l\u{1ECD} s\u{ED} \u{1ECD}j\u{E0} l\u{E1}n\u{E0}\u{E1}",
    "O\u{323}\u{300}yo\u{323}\u{301} n\u{301} lo\u{323} si\u{301} o\u{323}ja\u{300} la\u{301}na\u{300}a\u{301}",
    "\u{1ECC}\u{300}y\u{1ECD}\u{301}\u{A0}\u{144} l\u{1ECD}\u{A0}s\u{ED} \u{1ECD}j\u{E0} l\u{E1}n\u{E0}\u{E1}",
];
const NEXT: [&str; 2] = [
    "caf\u{E9} lorry teapot nine",
    "cafe\u{301} lorry\u{A0}teapot nine",
];

async fn sign_in(site: &Site, password: &str) -> Page {
    let fields = [("email", ADA), ("password", password)];
    site.browser().post("/sign-in", &fields).await
}

#[testing::database_test(web::MIGRATOR)]
async fn a_password_works_as_every_keyboard_writes_it(pool: PgPool) {
    let site = Site::new(pool).await;
    let mut browser = site.browser();
    browser.post("/sign-up", &[("email", ADA)]).await;
    let link = site.link(ADA).await;
    let fields = [("account_name", "Savanna"), ("password", SPELLINGS[1])];
    browser.post(&link, &fields).await.location();
    for spelling in SPELLINGS {
        sign_in(&site, spelling).await.location();
    }
    // Where a signed-in person confirms it, and where it is changed.
    let fields = [("current", SPELLINGS[2]), ("password", NEXT[1])];
    let changed = browser.post("/you/password", &fields).await;
    assert_eq!(changed.location(), "/you?done=password");
    for spelling in NEXT {
        sign_in(&site, spelling).await.location();
    }
    // Where it is set anew.
    browser.post("/reset", &[("email", ADA)]).await;
    let link = site.link(ADA).await;
    browser
        .post(&link, &[("password", SPELLINGS[0])])
        .await
        .location();
    for spelling in SPELLINGS {
        sign_in(&site, spelling).await.location();
    }
}
