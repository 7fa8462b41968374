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
        // The first form may have changed the address and thus ended the session of the second.
        let is_signed_out = purpose == Purpose::Email && statuses[1] == 401;
        assert_eq!(statuses[0], 303, "{purpose:?}");
        assert!(statuses[1] == 410 || is_signed_out, "{purpose:?}");
        let after = state(&site).await;
        assert_ne!(after, before, "{purpose:?}");
        let elsewhere = site.browser().post(&link.path, &link.fields).await;
        elsewhere.assert(410, "does not work any more");
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
