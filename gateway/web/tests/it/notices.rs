//! Mails about a removal from a team and a sign-in in a new browser, and their opt-out.

use sqlx::PgPool;
use time::Duration;
use web::domain::role::Role;

use crate::browser::Browser;
use crate::second_factor::turn_on;
use crate::support::{ADA, BOB, PASSWORD, Site};

const REMOVED: &str = "You are no longer in a team";

async fn count(site: &Site, subject: &str) -> usize {
    let mails = site.mails().await;
    mails.iter().filter(|mail| mail.1 == subject).count()
}

#[testing::database_test(web::MIGRATOR)]
async fn a_removed_member_gets_a_mail_unless_opted_out(pool: PgPool) {
    let site = Site::new(pool).await;
    let (ada, bob) = (site.person(ADA).await, site.person(BOB).await);
    let account = site.account(ada, Role::Owner).await;
    let mut owner = site.signed_in(ADA).await;
    let remove = format!("/accounts/{account}/team/{bob}/remove");
    site.join(account, bob, Role::Editor).await;
    owner.post(&remove, &[]).await.location();
    let mails = site.mails().await;
    let [(to, subject, body)] = &mails[..] else {
        panic!("{mails:?}");
    };
    assert_eq!((to.as_str(), subject.as_str()), (BOB, REMOVED));
    for part in [ADA, "https://mchezo.example/accounts", "/you#settings"] {
        assert!(body.contains(part), "{part}: {body}");
    }
    // A member who leaves, or who has opted out, gets no mail.
    site.join(account, bob, Role::Editor).await;
    let mut member = site.signed_in(BOB).await;
    let leave = format!("/accounts/{account}/team/leave");
    member.post(&leave, &[]).await.location();
    site.join(account, bob, Role::Editor).await;
    let settings = [("language", "en")];
    member.post("/you/settings", &settings).await.location();
    owner.post(&remove, &[]).await.location();
    assert_eq!(count(&site, REMOVED).await, 1);
}

const NEW_BROWSER: &str = "A sign-in in a new browser";

#[testing::database_test(web::MIGRATOR)]
async fn a_sign_in_in_a_new_browser_is_mailed_once(pool: PgPool) {
    let site = Site::new(pool).await;
    site.person(ADA).await;
    let fields = [("email", ADA), ("password", PASSWORD)];
    let sign_in = async |mut browser: Browser| {
        browser.post("/sign-in", &fields).await.location();
        browser
    };
    let new = |last| Browser::at(&site.router, last);
    // The browser of the sign-up is not new.
    sign_in(site.known_browser(ADA).await).await;
    assert_eq!(count(&site, NEW_BROWSER).await, 0);
    let mut browser = sign_in(new(8)).await;
    assert_eq!(count(&site, NEW_BROWSER).await, 1);
    // Nor is one in which the person was signed in, at another address too.
    browser.address = new(9).address;
    let mut browser = sign_in(browser).await;
    assert_eq!(count(&site, NEW_BROWSER).await, 1);
    let (_, _, body) = site.mails().await.remove(0);
    for part in ["203.0.113.8", "/you/password", "/you#settings"] {
        assert!(body.contains(part), "{part}: {body}");
    }
    // With a second factor, the sign-in ends with the code.
    let (secret, _) = turn_on(&site, &mut browser).await;
    site.clock.advance(Duration::minutes(1));
    let mut half = sign_in(new(9)).await;
    assert_eq!(count(&site, NEW_BROWSER).await, 1);
    let code = secret.code(site.clock.now());
    let code = [("code", code.as_str())];
    half.post("/sign-in/code", &code).await.location();
    assert_eq!(count(&site, NEW_BROWSER).await, 2);
    // Five a day, and none for a person who has opted out.
    site.clock.advance(Duration::DAY);
    let mut networks = 10..;
    for (settings, mails) in [(&[("notices", "yes")][..], 7), (&[], 7)] {
        let mut browser = half.clone();
        browser.post("/you/settings", settings).await.location();
        for _ in 0..6 {
            let mut half = sign_in(new(networks.next().unwrap())).await;
            site.clock.advance(Duration::minutes(2));
            let code = secret.code(site.clock.now());
            let code = [("code", code.as_str())];
            half.post("/sign-in/code", &code).await.location();
        }
        assert_eq!(count(&site, NEW_BROWSER).await, mails);
        site.clock.advance(Duration::DAY);
    }
}
