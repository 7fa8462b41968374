//! Links in mails that are used twice, too late or by another person, or opened by a scanner, for every kind of link.

use axum::body::Body;
use http::{Method, Request, StatusCode};
use sqlx::PgPool;
use time::Duration;
use web::domain::link::Purpose;
use web::domain::role::Role;

use crate::browser::Browser;
use crate::full_account::rows;
use crate::support::{ADA, PASSWORD, Site};

const NEW: &str = "another lorry teapot nine";
const PURPOSES: [Purpose; 4] = [Purpose::SignUp, Purpose::Reset, Purpose::Email, Purpose::Invite];

/// A link, the browser that may use it, and the fields of its form.
struct Mailed {
    path: String,
    holder: Browser,
    fields: Vec<(&'static str, &'static str)>,
}

/// Mails a link to a person or to a new address. Both addresses begin with the name of the purpose. Ada is the inviter.
async fn mail(site: &Site, purpose: Purpose) -> Mailed {
    let of = |domain: &str| format!("{}@{domain}", purpose.as_str());
    let (known, new) = (of("studio.example"), of("new.example"));
    site.person(&known).await;
    let mut browser = site.browser();
    let (to, fields) = match purpose {
        Purpose::SignUp => {
            browser.post("/sign-up", &[("email", &new)]).await;
            (&new, vec![("account_name", "Dunes"), ("password", NEW)])
        }
        Purpose::Reset => {
            browser.post("/reset", &[("email", &known)]).await;
            (&known, vec![("password", NEW)])
        }
        Purpose::Email => {
            browser = site.signed_in(&known).await;
            let fields = [("email", new.as_str()), ("password", PASSWORD)];
            browser.post("/you/email", &fields).await.location();
            (&new, Vec::new())
        }
        Purpose::Invite => {
            let ada = site.person(ADA).await;
            let account = site.account(ada, Role::Owner).await;
            let mut owner = site.signed_in(ADA).await;
            owner.invite(account, &known, "editor").await.location();
            browser = site.signed_in(&known).await;
            (&known, Vec::new())
        }
    };
    Mailed { path: site.link(to).await, holder: browser, fields }
}

/// Everything that a link could change.
async fn state(site: &Site) -> String {
    let mut state = format!("{:?}", site.gateway.accounts);
    for table in ["web.person", "web.member", "web.link"] {
        state.push_str(&rows(&site.pool, table).await);
    }
    state
}

async fn scan(site: &Site, path: &str) -> StatusCode {
    let mut status = StatusCode::OK;
    for method in [Method::HEAD, Method::GET, Method::HEAD, Method::GET, Method::OPTIONS] {
        let request = Request::builder().method(method.clone()).uri(path);
        let page = site.browser().send(request.body(Body::empty()).unwrap()).await;
        if method == Method::GET {
            status = page.status;
        }
    }
    status
}

#[testing::database_test(web::MIGRATOR)]
async fn a_scanner_uses_no_link_up_and_its_button_works_once(pool: PgPool) {
    let site = Site::new(pool).await;
    for purpose in PURPOSES {
        let mut link = mail(&site, purpose).await;
        let before = state(&site).await;
        let seen = scan(&site, &link.path).await;
        assert!(matches!(seen.as_u16(), 200 | 303), "{seen}");
        // Some scanners have the reader's cookies.
        let request = Request::head(&link.path).body(Body::empty()).unwrap();
        assert_eq!(link.holder.send(request).await.status, StatusCode::OK);
        link.holder.get(&link.path).await.assert(200, "<form");
        assert_eq!(state(&site).await, before, "{purpose:?}");

        let mut copy = link.holder.clone();
        let (one, two) = futures::join!(
            link.holder.post(&link.path, &link.fields),
            copy.post(&link.path, &link.fields)
        );
        let mut statuses = [one.status, two.status].map(|it| it.as_u16());
        statuses.sort_unstable();
        // The second form may have another password than the first.
        let second = if purpose == Purpose::Reset { 410 } else { 303 };
        assert_eq!(statuses, [303, second], "{purpose:?}");
        if second == 303 {
            assert_eq!(one.location(), two.location(), "{purpose:?}");
        }
        let after = state(&site).await;
        assert_ne!(after, before, "{purpose:?}");
        let elsewhere = site.browser().post(&link.path, &link.fields).await;
        elsewhere.assert(410, "This link is no longer needed");
        elsewhere.assert(410, "<a href=\"/sign-in\"");
        assert_eq!(state(&site).await, after, "{purpose:?}");
    }
}

#[testing::database_test(web::MIGRATOR)]
async fn a_late_link_does_nothing(pool: PgPool) {
    let site = Site::new(pool).await;
    for purpose in PURPOSES {
        let mut link = mail(&site, purpose).await;
        let before = state(&site).await;
        site.clock.advance(purpose.lifetime() - Duration::seconds(1));
        link.holder.get(&link.path).await.assert(200, "<form");
        site.clock.advance(Duration::seconds(1));
        link.holder.get(&link.path).await.assert(410, "");
        let late = link.holder.post(&link.path, &link.fields).await;
        late.assert(410, "does not work any more");
        assert_eq!(state(&site).await, before, "{purpose:?}");
    }
}

/// What ends the session that a link has begun.
const ENDS: [&str; 4] = ["sign out", "other sessions", "password", "link"];

#[testing::database_test(web::MIGRATOR)]
async fn a_used_link_opens_its_session_again_where_it_was_used_and_while_that_goes_on(
    pool: PgPool,
) {
    let site = Site::new(pool).await;
    let ada = site.person(ADA).await;
    let account = site.account(ada, Role::Owner).await;
    let mut owner = site.signed_in(ADA).await;
    for (number, end) in ENDS.into_iter().enumerate() {
        for purpose in [Purpose::SignUp, Purpose::Invite] {
            let email = format!("{}-{number}@new.example", purpose.as_str());
            match purpose {
                Purpose::SignUp => {
                    site.browser().post("/sign-up", &[("email", &email)]).await;
                }
                _ => {
                    owner.invite(account, &email, "editor").await.location();
                }
            }
            let path = site.link(&email).await;
            let mut browser = site.browser();
            browser.get(&path).await.assert(200, "<form");
            let fields = [("account_name", "Dunes"), ("password", NEW)];
            // The browser has what it had before the form: the answer is lost.
            let mut lost = browser.clone();
            let first = browser.post(&path, &fields).await;
            let start = first.location().to_owned();
            let mut posted = lost.clone();
            let again = posted.post(&path, &fields).await;
            assert_eq!(again.location(), start, "{purpose:?}");
            posted.get(&start).await.assert(200, "Today");
            let again = lost.get(&path).await;
            assert_eq!(again.location(), start, "{purpose:?}");
            lost.get(&start).await.assert(200, "Today");
            // The person, signed in there, opens the link in the mail again.
            assert_eq!(lost.get(&path).await.location(), start);
            // All of them have the one session.
            let page = browser.get("/you").await;
            assert_eq!(page.text.matches("/you/sessions/").count(), 1, "{}", page.text);

            // Another browser has the link only, or a made-up cookie of its own.
            let mut thief = site.browser();
            thief.get(&path).await.assert(410, "This link is no longer needed");
            let value = web::domain::session_token::Token::generate().text();
            thief.cookies.insert("__Host-link".to_owned(), value);
            thief.post(&path, &fields).await.assert(410, "This link is no longer needed");
            thief.get(&start).await.location();
            let mut other = site.signed_in(ADA).await;
            other.get(&path).await.assert(410, "This link is no longer needed");

            let before = lost.clone();
            match end {
                "sign out" => {
                    lost.post("/sign-out", &[]).await.location();
                }
                "other sessions" => {
                    lost.post("/you/sessions/end-others", &[]).await.location();
                }
                "password" => {
                    let fields = [("current", NEW), ("password", PASSWORD)];
                    lost.post("/you/password", &fields).await.location();
                }
                _ => {
                    // The link of another mail sets a new password.
                    site.browser().post("/reset", &[("email", &email)]).await;
                    let reset = site.link(&email).await;
                    let mut elsewhere = site.browser();
                    elsewhere.get(&reset).await.assert(200, "<form");
                    let fields = [("password", PASSWORD)];
                    elsewhere.post(&reset, &fields).await.location();
                    let later = elsewhere.post(&reset, &[("password", NEW)]).await;
                    later.assert(410, "This link is no longer needed");
                }
            }
            let mut late = before;
            late.cookie = None;
            for page in [late.get(&path).await, late.post(&path, &fields).await] {
                page.assert(410, "This link is no longer needed");
            }
        }
    }
}
