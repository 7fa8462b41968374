//! The mail about a removal from a team, and its opt-out.

use sqlx::PgPool;
use web::domain::role::Role;

use crate::support::{ADA, BOB, Site};

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
