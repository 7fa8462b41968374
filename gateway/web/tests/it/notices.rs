//! Mails that people may switch off: a removal from a team, and a sign-in from a new network.

use sqlx::PgPool;
use web::domain::role::Role;

use crate::browser::Browser;
use crate::support::{ADA, BOB, PASSWORD, Site};

const REMOVED: &str = "You are no longer in a team";
const NEW_NETWORK: &str = "A sign-in from a new network";

async fn count(site: &Site, subject: &str) -> usize {
    let mails = site.mails().await;
    mails.iter().filter(|mail| mail.1 == subject).count()
}

#[testing::database_test(web::MIGRATOR)]
async fn who_is_removed_from_a_team_gets_a_mail(pool: PgPool) {
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
    // Who leaves knows it, and so does who has switched the mail off.
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

#[testing::database_test(web::MIGRATOR)]
async fn a_sign_in_from_a_new_network_is_mailed_once(pool: PgPool) {
    let site = Site::new(pool).await;
    site.person(ADA).await;
    let fields = [("email", ADA), ("password", PASSWORD)];
    let sign_in = async |last| {
        let mut browser = Browser::at(&site.router, last);
        browser.post("/sign-in", &fields).await.location();
        browser
    };
    // The first network of a person is not new.
    sign_in(7).await;
    assert_eq!(count(&site, NEW_NETWORK).await, 0);
    sign_in(8).await;
    sign_in(8).await;
    let mut browser = sign_in(7).await;
    assert_eq!(count(&site, NEW_NETWORK).await, 1);
    let (_, _, body) = site.mails().await.remove(0);
    assert!(body.contains("203.0.113.8"), "{body}");
    let settings = [("language", "en")];
    browser.post("/you/settings", &settings).await.location();
    browser
        .get("/you")
        .await
        .assert(200, "name=\"notices\" value=\"on\"> ");
    sign_in(9).await;
    assert_eq!(count(&site, NEW_NETWORK).await, 1);
}
