//! Forms whose last byte arrives late, and changes that wait for a lock: permissions are checked when the form is complete, and again under the lock.

use axum::body::Body;
use futures::{StreamExt as _, stream};
use http::StatusCode;
use sqlx::PgPool;
use tokio::sync::oneshot;
use web::domain::role::Role;
use web::store::members;

use crate::browser::{Browser, Page, encode, form};
use crate::support::{ADA, BOB, PASSWORD, Site};

const CAROL: &str = "carol@new.example";

/// Posts a form whose last byte is sent after `meanwhile`, which starts when the server reads the body.
async fn held_open(
    browser: &mut Browser,
    path: &str,
    fields: &[(&str, &str)],
    meanwhile: impl Future<Output = ()>,
) -> Page {
    let (reads, is_read) = oneshot::channel::<()>();
    let (finish, finished) = oneshot::channel::<()>();
    let (first, last) = {
        let mut text = encode(fields);
        let last = text.split_off(text.len() - 1);
        (text, last)
    };
    let first = stream::once(async { Ok::<_, std::io::Error>(first) });
    let rest = stream::once(async move {
        reads.send(()).unwrap();
        finished.await.unwrap();
        Ok(last)
    });
    let request = form(path, &[])
        .header("sec-fetch-site", "same-origin")
        .body(Body::from_stream(first.chain(rest)))
        .unwrap();
    let act = async {
        is_read.await.unwrap();
        meanwhile.await;
        finish.send(()).unwrap();
    };
    let (page, ()) = futures::join!(browser.send(request), act);
    page
}

/// Waits until a statement waits for a lock of [`kit::pg::lock_key`].
pub(crate) async fn until_one_waits(pool: &PgPool) {
    let waiting = async || {
        let waiting = sqlx::query_scalar!(
            r#"select exists (
                   select from pg_locks where locktype = 'advisory' and not granted
                   and database = (select oid from pg_database where datname = current_database())
               ) as "exists!""#
        );
        waiting.fetch_one(pool).await.unwrap()
    };
    testing::wait_until("a statement waits for a lock", waiting).await;
}

#[testing::database_test(web::MIGRATOR)]
async fn no_form_of_a_person_outlives_a_new_password(pool: PgPool) {
    let site = Site::new(pool).await;
    site.person(ADA).await;
    let mut owner = site.signed_in(ADA).await;
    let mut password = PASSWORD.to_owned();
    for (round, path) in ["/you/email", "/you/delete"].into_iter().enumerate() {
        let mut attacker = site.browser();
        let known = [("email", ADA), ("password", password.as_str())];
        attacker.post("/sign-in", &known).await.location();
        let fields = [("password", password.as_str()), ("email", "eve@evil.example")];
        let new = format!("{PASSWORD} {round}");
        let page = held_open(&mut attacker, path, &fields, async {
            let fields = [("current", password.as_str()), ("password", &new)];
            owner.post("/you/password", &fields).await.location();
        })
        .await;
        page.assert(401, "You are signed out");
        owner.get("/you").await.assert(200, ADA);
        password = new;
    }
    let known = [("email", ADA), ("password", password.as_str())];
    site.browser().post("/sign-in", &known).await.location();
    let mails = site.mails().await;
    assert!(mails.iter().all(|mail| mail.0 == ADA), "{mails:?}");
}

#[testing::database_test(web::MIGRATOR)]
async fn a_change_of_the_team_reads_the_role_again_under_the_lock(pool: PgPool) {
    let site = Site::new(pool).await;
    let (ada, bob) = (site.person(ADA).await, site.person(BOB).await);
    let account = site.account(ada, Role::Owner).await;
    let team = format!("/accounts/{account}/team");
    let mut other = site.signed_in(BOB).await;
    for action in ["invite".to_owned(), format!("{ada}/remove"), format!("{ada}/role")] {
        site.join(account, bob, Role::Owner).await;
        let form = other.get(&team).await.hidden()["form"].clone();
        let fields = [("form", form.as_str()), ("email", CAROL), ("role", "editor")];
        let path = format!("{team}/{action}");
        // The role is revoked after the request was admitted and before it gets the lock.
        let mut transaction = kit::pg::begin(&site.pool).await.unwrap();
        let taken = members::set_role(&mut transaction, account, bob, None).await;
        assert_eq!(taken.unwrap(), members::MemberChange::Changed);
        let commit = async {
            until_one_waits(&site.pool).await;
            transaction.commit().await.unwrap();
        };
        let (page, ()) = futures::join!(other.post(&path, &fields), commit);
        assert_eq!(page.status, StatusCode::NOT_FOUND, "{action}");
    }
    assert!(site.mails().await.is_empty());
    let role = members::role(&site.pool, account, ada).await.unwrap();
    assert_eq!(role, Some(Role::Owner));
}
