//! Links of mails that are used twice, too late, by another person, or opened by a scanner. Every kind of link is tried.

use axum::body::Body;
use http::{Method, Request, StatusCode};
use sqlx::PgPool;
use time::Duration;
use web::domain::link::Purpose;
use web::domain::role::Role;

use crate::browser::Browser;
use crate::full_account::rows;
use crate::support::{ADA, BOB, PASSWORD, Site};

const NEW: &str = "another lorry teapot nine";
const CAROL: &str = "carol@new.example";
const MOVED: &str = "ada@moved.example";

/// A link, the browser that may use it, and the fields of its form.
struct Mailed {
    path: String,
    holder: Browser,
    fields: Vec<(&'static str, &'static str)>,
}

/// A link, mailed to ADA or somebody new. The account belongs to BOB.
async fn mail(site: &Site, purpose: Purpose) -> Mailed {
    site.person(ADA).await;
    let bob = site.person(BOB).await;
    let account = site.account(bob, Role::Owner).await;
    let new = vec![("account_name", "Dunes"), ("password", NEW)];
    let mut stranger = site.browser();
    let (to, holder, fields) = match purpose {
        Purpose::SignUp => {
            stranger.post("/sign-up", &[("email", CAROL)]).await;
            (CAROL, stranger, new)
        }
        Purpose::Reset => {
            stranger.post("/reset", &[("email", ADA)]).await;
            (ADA, stranger, vec![("password", NEW)])
        }
        Purpose::Email => {
            let mut ada = site.signed_in(ADA).await;
            let fields = [("email", MOVED), ("password", PASSWORD)];
            ada.post("/you/email", &fields).await.location();
            (MOVED, ada, Vec::new())
        }
        Purpose::Invite => {
            let mut owner = site.signed_in(BOB).await;
            let team = format!("/accounts/{account}/team");
            let form = owner.get(&team).await.hidden()["form"].clone();
            let fields = [("form", form.as_str()), ("email", ADA), ("role", "editor")];
            owner
                .post(&format!("{team}/invite"), &fields)
                .await
                .location();
            (ADA, site.signed_in(ADA).await, Vec::new())
        }
    };
    Mailed {
        path: site.link(to).await,
        holder,
        fields,
    }
}

/// Everything that a link could have changed.
async fn state(site: &Site) -> String {
    let mut state = format!("{:?}", site.gateway.accounts);
    for table in ["web.person", "web.member", "web.link"] {
        state.push_str(&rows(&site.pool, table).await);
    }
    state
}

async fn scan(site: &Site, path: &str) -> StatusCode {
    let mut status = StatusCode::OK;
    for method in [
        Method::HEAD,
        Method::GET,
        Method::HEAD,
        Method::GET,
        Method::OPTIONS,
    ] {
        let request = Request::builder().method(method.clone()).uri(path);
        let page = site
            .browser()
            .send(request.body(Body::empty()).unwrap())
            .await;
        if method == Method::GET {
            status = page.status;
        }
    }
    status
}

async fn opened_by_a_scanner(pool: PgPool, purpose: Purpose) {
    let site = Site::new(pool).await;
    let mut link = mail(&site, purpose).await;
    let before = state(&site).await;
    let seen = scan(&site, &link.path).await;
    // Some scanners have the cookies of the reader.
    let request = Request::head(&link.path).body(Body::empty()).unwrap();
    assert_eq!(link.holder.send(request).await.status, StatusCode::OK);
    link.holder.get(&link.path).await.assert(200, "<form");
    assert!(matches!(seen.as_u16(), 200 | 303), "{seen}");
    assert_eq!(state(&site).await, before, "{purpose:?}");
    let used = link.holder.post(&link.path, &link.fields).await;
    used.location();
    assert_ne!(state(&site).await, before, "{purpose:?}");
    // A second time, by the same and by another browser.
    let after = state(&site).await;
    let again = link.holder.post(&link.path, &link.fields).await;
    again.assert(410, "does not work any more");
    link.holder.get(&link.path).await.assert(410, "");
    let elsewhere = site.browser().post(&link.path, &link.fields).await;
    elsewhere.assert(410, "does not work any more");
    assert_eq!(state(&site).await, after, "{purpose:?}");
}

async fn used_late(pool: PgPool, purpose: Purpose) {
    let site = Site::new(pool).await;
    let mut link = mail(&site, purpose).await;
    let before = state(&site).await;
    site.clock
        .advance(purpose.lifetime() - Duration::seconds(1));
    link.holder.get(&link.path).await.assert(200, "<form");
    site.clock.advance(Duration::seconds(1));
    link.holder.get(&link.path).await.assert(410, "");
    let late = link.holder.post(&link.path, &link.fields).await;
    late.assert(410, "does not work any more");
    assert_eq!(state(&site).await, before, "{purpose:?}");
}

async fn used_twice_at_once(pool: PgPool, purpose: Purpose) {
    let site = Site::new(pool).await;
    let mut link = mail(&site, purpose).await;
    let mut copy = link.holder.clone();
    let (one, two) = futures::join!(
        link.holder.post(&link.path, &link.fields),
        copy.post(&link.path, &link.fields)
    );
    let mut statuses = [one.status, two.status].map(|it| it.as_u16());
    statuses.sort_unstable();
    assert_eq!(statuses, [303, 410], "{purpose:?}");
}

#[testing::database_test(web::MIGRATOR)]
async fn a_scanner_uses_no_sign_up_up(pool: PgPool) {
    opened_by_a_scanner(pool, Purpose::SignUp).await;
}

#[testing::database_test(web::MIGRATOR)]
async fn a_scanner_uses_no_reset_up(pool: PgPool) {
    opened_by_a_scanner(pool, Purpose::Reset).await;
}

#[testing::database_test(web::MIGRATOR)]
async fn a_scanner_changes_no_address(pool: PgPool) {
    opened_by_a_scanner(pool, Purpose::Email).await;
}

#[testing::database_test(web::MIGRATOR)]
async fn a_scanner_joins_no_team(pool: PgPool) {
    opened_by_a_scanner(pool, Purpose::Invite).await;
}

#[testing::database_test(web::MIGRATOR)]
async fn a_late_sign_up_makes_nobody(pool: PgPool) {
    used_late(pool, Purpose::SignUp).await;
}

#[testing::database_test(web::MIGRATOR)]
async fn a_late_reset_changes_no_password(pool: PgPool) {
    used_late(pool, Purpose::Reset).await;
}

#[testing::database_test(web::MIGRATOR)]
async fn a_late_link_changes_no_address(pool: PgPool) {
    used_late(pool, Purpose::Email).await;
}

#[testing::database_test(web::MIGRATOR)]
async fn a_late_invitation_leads_to_no_team(pool: PgPool) {
    used_late(pool, Purpose::Invite).await;
}

#[testing::database_test(web::MIGRATOR)]
async fn of_two_resets_at_once_one_works(pool: PgPool) {
    used_twice_at_once(pool, Purpose::Reset).await;
}

#[testing::database_test(web::MIGRATOR)]
async fn of_two_changes_of_an_address_at_once_one_works(pool: PgPool) {
    used_twice_at_once(pool, Purpose::Email).await;
}

#[testing::database_test(web::MIGRATOR)]
async fn of_two_joins_at_once_one_works(pool: PgPool) {
    used_twice_at_once(pool, Purpose::Invite).await;
}

#[testing::database_test(web::MIGRATOR)]
async fn a_link_of_another_person_does_nothing(pool: PgPool) {
    let site = Site::new(pool).await;
    let email = mail(&site, Purpose::Email).await;
    let mut bob = site.signed_in(BOB).await;
    let before = state(&site).await;
    bob.get(&email.path).await.assert(403, "For another person");
    bob.post(&email.path, &[])
        .await
        .assert(403, "For another person");
    let stranger = site.browser().post(&email.path, &[]).await;
    assert!(stranger.location().starts_with("/sign-in?next="));
    assert_eq!(state(&site).await, before);
    // A reset signs in the person of the link, even where somebody else is signed in.
    bob.post("/reset", &[("email", ADA)]).await;
    let reset = site.link(ADA).await;
    bob.post(&reset, &[("password", NEW)]).await.location();
    bob.get("/you").await.assert(200, ADA);
    // A new password voids the link that would have changed the address.
    let mut ada = site.browser();
    let fields = [("email", ADA), ("password", NEW)];
    ada.post("/sign-in", &fields).await.location();
    ada.post(&email.path, &[]).await.assert(410, "");
}
