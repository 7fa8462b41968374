//! The team of an account.

use sqlx::PgPool;
use web::domain::role::Role;

use crate::browser::{Browser, Page};
use crate::support::{ADA, BOB, PASSWORD, Site};

const CAROL: &str = "carol@new.example";

/// Sends the form of an invitation, as the page has it.
async fn invite(owner: &mut Browser, team: &str, email: &str, role: &str) -> Page {
    let form = owner.get(team).await.hidden()["form"].clone();
    let fields = [("form", form.as_str()), ("email", email), ("role", role)];
    owner.post(&format!("{team}/invite"), &fields).await
}

#[testing::database_test(web::MIGRATOR)]
async fn people_are_invited_by_mail(pool: PgPool) {
    let site = Site::new(pool).await;
    let ada = site.person(ADA).await;
    site.person(BOB).await;
    let account = site.account(ada, Role::Owner).await;
    let team = format!("/accounts/{account}/team");
    let mut owner = site.signed_in(ADA).await;
    for (email, role) in [(BOB, "editor"), (CAROL, "developer")] {
        invite(&mut owner, &team, email, role).await.location();
    }
    owner.get(&team).await.assert(200, CAROL);
    // Bob has a password: he signs in, and presses the button. Nobody else can.
    let link = site.link(BOB).await;
    owner.get(&link).await.assert(403, "For another person");
    owner
        .post(&link, &[])
        .await
        .assert(403, "For another person");
    assert!(
        site.browser()
            .get(&link)
            .await
            .location()
            .starts_with("/sign-in?next=%2Flink")
    );
    let mut bob = site.signed_in(BOB).await;
    bob.get(&link).await.assert(200, "Join Savanna");
    bob.get(&team).await.assert(404, "");
    assert_eq!(
        bob.post(&link, &[]).await.location(),
        format!("/accounts/{account}")
    );
    bob.get(&team).await.assert(200, "editor");
    // Carol is new: the link gives her a password.
    let link = site.link(CAROL).await;
    let mut carol = site.browser();
    carol.get(&link).await.assert(200, "Join Savanna");
    let joined = carol.post(&link, &[("password", PASSWORD)]).await;
    assert_eq!(joined.location(), format!("/accounts/{account}"));
    carol
        .get(&format!("/accounts/{account}/keys/new"))
        .await
        .assert(200, "Make a key");
    invite(&mut owner, &team, BOB, "owner")
        .await
        .assert(422, "in the team already");
    invite(&mut owner, &team, "x", "king")
        .await
        .assert(422, "Choose a role");
}

#[testing::database_test(web::MIGRATOR)]
async fn an_invitation_is_withdrawn(pool: PgPool) {
    let site = Site::new(pool).await;
    let ada = site.person(ADA).await;
    let account = site.account(ada, Role::Owner).await;
    let team = format!("/accounts/{account}/team");
    let mut owner = site.signed_in(ADA).await;
    invite(&mut owner, &team, CAROL, "editor").await.location();
    let page = owner.get(&team).await;
    let (_, rest) = page.text.split_once(&format!("{team}/invites/")).unwrap();
    let id = rest.split('/').next().unwrap();
    owner
        .post(&format!("{team}/invites/{id}/withdraw"), &[])
        .await
        .location();
    let link = site.link(CAROL).await;
    site.browser().get(&link).await.assert(410, "");
}

#[testing::database_test(web::MIGRATOR)]
async fn the_last_owner_stays(pool: PgPool) {
    let site = Site::new(pool).await;
    let (ada, bob) = (site.person(ADA).await, site.person(BOB).await);
    let account = site.account(ada, Role::Owner).await;
    site.join(account, bob, Role::Owner).await;
    let team = format!("/accounts/{account}/team");
    let (mut one, mut two) = (site.signed_in(ADA).await, site.signed_in(BOB).await);
    // Each removes the other at once: one succeeds.
    let (of_bob, of_ada) = (
        format!("{team}/{bob}/remove"),
        format!("{team}/{ada}/remove"),
    );
    let (first, second) = futures::join!(one.post(&of_bob, &[]), two.post(&of_ada, &[]));
    let count = sqlx::query_scalar!(r#"select count(*) as "count!" from web.member"#);
    assert_eq!(
        count.fetch_one(&site.pool).await.unwrap(),
        1,
        "{first:?} {second:?}"
    );
    let left = sqlx::query_scalar!("select person_id from web.member");
    let left = left.fetch_one(&site.pool).await.unwrap();
    let mut last = site.signed_in(if left == ada { ADA } else { BOB }).await;
    let role = format!("{team}/{left}/role");
    last.post(&role, &[("role", "editor")])
        .await
        .assert(422, "at least one owner");
    last.post(&format!("{team}/leave"), &[])
        .await
        .assert(422, "at least one owner");
    last.post(&role, &[("role", "owner")]).await.location();
}

#[testing::database_test(web::MIGRATOR)]
async fn an_owner_who_is_removed_leaves_no_invitation_to_come_back_by(pool: PgPool) {
    let site = Site::new(pool).await;
    let (ada, bob) = (site.person(ADA).await, site.person(BOB).await);
    let account = site.account(ada, Role::Owner).await;
    site.join(account, bob, Role::Owner).await;
    let team = format!("/accounts/{account}/team");
    let mut removed = site.signed_in(BOB).await;
    invite(&mut removed, &team, CAROL, "owner").await.location();
    let link = site.link(CAROL).await;
    let mut owner = site.signed_in(ADA).await;
    owner
        .post(&format!("{team}/{bob}/remove"), &[])
        .await
        .location();
    site.browser().get(&link).await.assert(410, "");
}

#[testing::database_test(web::MIGRATOR)]
async fn a_removed_member_is_out_at_once(pool: PgPool) {
    let site = Site::new(pool).await;
    let (ada, bob) = (site.person(ADA).await, site.person(BOB).await);
    let account = site.account(ada, Role::Owner).await;
    site.join(account, bob, Role::Developer).await;
    let team = format!("/accounts/{account}/team");
    let mut owner = site.signed_in(ADA).await;
    let mut developer = site.signed_in(BOB).await;
    let new = format!("/accounts/{account}/keys/new");
    developer.get(&new).await.assert(200, "");
    owner
        .post(&format!("{team}/{bob}/role"), &[("role", "editor")])
        .await
        .location();
    developer.get(&new).await.assert(403, "");
    owner
        .post(&format!("{team}/{bob}/remove"), &[])
        .await
        .location();
    developer.get(&new).await.assert(404, "");
    owner
        .get(&format!("/accounts/{account}/activity"))
        .await
        .assert(200, "removed bob@games.example");
}
