//! Forms that take effect once: what a form's id stands for, and what stays when something fails on the way.

use std::sync::Arc;

use contracts::gateway::v1 as proto;
use kit::config::Secret;
use sqlx::PgPool;
use tokio::io::copy_bidirectional;
use tokio::net::{TcpListener, TcpStream};
use tokio_util::sync::CancellationToken;
use url::Url;
use web::domain::role::Role;

use crate::browser::{Browser, Page};
use crate::full_account::{CAROL, FullAccount};
use crate::second_factor::offered;
use crate::support::{ADA, PASSWORD, Site, redis_url};

const OTHER_VALUES: &str = "already sent with other values";

/// The ids of the forms that reveal keys, by the name of the key.
fn reveal_forms(page: &Page) -> Vec<(String, String, String)> {
    let forms = page.text.split("<form method=\"post\" action=\"").skip(1);
    let forms = forms.filter(|form| form.contains("/reveal\""));
    let between = |text: &str, from: &str| {
        let (_, rest) = text.split_once(from).unwrap();
        rest.split('"').next().unwrap().to_owned()
    };
    forms
        .map(|form| {
            let name = between(form, "aria-label=\"Reveal the key ");
            let path = form.split('"').next().unwrap().to_owned();
            (name, path, between(form, "name=\"form\" value=\""))
        })
        .collect()
}

#[testing::database_test(web::MIGRATOR)]
async fn a_page_shows_the_key_that_was_asked_for(pool: PgPool) {
    let site = Site::new(pool).await;
    let ada = site.person(ADA).await;
    let account = site.account(ada, Role::Owner).await;
    for name in ["reader", "writer"] {
        let request = proto::KeyRequest {
            id: kit::ids::row_id().to_string(),
            account_id: account.to_string(),
            name: name.to_owned(),
            kind: "account".to_owned(),
            state: "approved".to_owned(),
            ..proto::KeyRequest::default()
        };
        site.gateway.requests.lock().unwrap().push(request);
    }
    let mut owner = site.signed_in(ADA).await;
    let page = owner.get(&format!("/accounts/{account}/keys")).await;
    let forms = reveal_forms(&page);
    let [(one, first, id), (two, second, other)] = &forms[..] else {
        panic!("{forms:?}");
    };
    assert_ne!(id, other);
    let key = |path: &str| format!("svc_live_{}", path.split('/').rev().nth(1).unwrap());
    let page = owner.post(first, &[("form", id)]).await;
    page.assert(200, &key(first));
    page.assert(200, one);
    // With the id of the first form, the second shows neither key, and stays open.
    let page = owner.post(second, &[("form", id)]).await;
    page.assert(422, OTHER_VALUES);
    assert!(!page.text.contains("svc_live_"), "{}", page.text);
    let page = owner.post(second, &[("form", other)]).await;
    page.assert(200, &key(second));
    page.assert(200, two);
    // Sent once more, both show their own.
    owner
        .post(first, &[("form", id)])
        .await
        .assert(200, &key(first));
}

/// Sends the form of `page` to `action` with two values of a field, the second after Back, and then once more with its new id.
async fn sent_with_two_values(
    browser: &mut Browser,
    (page, action): (&str, &str),
    fields: &[(&str, &str)],
    (field, values): (&str, [&str; 2]),
) -> [Page; 3] {
    let id = browser.get(page).await.hidden()["form"].clone();
    let mut all = vec![("form", id.as_str()), (field, values[0])];
    all.extend(fields);
    let first = browser.post(action, &all).await;
    all[1] = (field, values[1]);
    let refused = browser.post(action, &all).await;
    refused.assert(422, OTHER_VALUES);
    refused.assert(422, &format!("value=\"{}\"", values[1]));
    let id = refused.hidden()["form"].clone();
    all[0] = ("form", &id);
    let second = browser.post(action, &all).await;
    [first, refused, second]
}

#[testing::database_test(web::MIGRATOR)]
async fn another_content_is_another_form(pool: PgPool) {
    let full = FullAccount::new(pool).await;
    let mut owner = full.owner.clone();
    let base = full.own("/accounts/{account}");
    let keys = format!("{base}/keys");
    let at = (format!("{keys}/new"), keys.clone());
    let [first, refused, second] = sent_with_two_values(
        &mut owner,
        (&at.0, &at.1),
        &[("kind", "account"), ("mode", "test")],
        ("name", ["first-key", "second-key"]),
    )
    .await;
    first.assert(200, "first-key");
    assert!(!refused.text.contains("svc_test_"), "{}", refused.text);
    second.assert(200, "second-key");

    let team = format!("{base}/team");
    let invite = format!("{team}/invite");
    let [first, _, second] = sent_with_two_values(
        &mut owner,
        (&team, &invite),
        &[("role", "editor")],
        ("email", [CAROL, "dan@new.example"]),
    )
    .await;
    assert_eq!(first.location(), second.location());

    let hooks = format!("{base}/webhooks");
    let url = full.hooks.receiver.url.as_str();
    let urls = [format!("{url}one"), format!("{url}two")];
    let [first, refused, second] = sent_with_two_values(
        &mut owner,
        (&format!("{hooks}/new"), &hooks),
        &[("events", "tip.paid")],
        ("url", [&urls[0], &urls[1]]),
    )
    .await;
    first.assert(200, &format!("<code>{}</code>", urls[0]));
    assert!(!refused.text.contains("svc_whsec_"), "{}", refused.text);
    second.assert(200, &format!("<code>{}</code>", urls[1]));
}

#[testing::database_test(web::MIGRATOR)]
async fn another_name_is_another_account(pool: PgPool) {
    let site = Site::new(pool).await;
    site.person(ADA).await;
    let mut owner = site.signed_in(ADA).await;
    let id = owner.get("/accounts").await.hidden()["form"].clone();
    let fields = |name| [("form", id.as_str()), ("name", name)];
    let first = owner.post("/accounts", &fields("Savanna")).await;
    let again = owner.post("/accounts", &fields(" Savanna ")).await;
    assert_eq!(first.location(), again.location());
    let refused = owner.post("/accounts", &fields("Karoo")).await;
    refused.assert(422, "has made the account Savanna already");
    let id = &refused.hidden()["form"];
    let second = owner
        .post("/accounts", &[("form", id), ("name", "Karoo")])
        .await;
    assert_ne!(first.location(), second.location());
}

/// Makes the mails of the site fail, or not.
#[expect(clippy::disallowed_methods, reason = "a statement of a test")]
async fn fail_mails(pool: &PgPool, fails: bool) {
    let check = if fails {
        "alter table web.mail add constraint failing check (false) not valid"
    } else {
        "alter table web.mail drop constraint failing"
    };
    sqlx::query(check).execute(pool).await.unwrap();
}

#[testing::database_test(web::MIGRATOR)]
async fn a_form_whose_work_failed_can_be_sent_again(pool: PgPool) {
    let site = Site::new(pool).await;
    let ada = site.person(ADA).await;
    let account = site.account(ada, Role::Owner).await;
    let mut owner = site.signed_in(ADA).await;
    let team = format!("/accounts/{account}/team");
    let id = owner.get(&team).await.hidden()["form"].clone();
    let invitation = [("form", id.as_str()), ("email", CAROL), ("role", "editor")];
    let secret = offered(&site, &mut owner).await;
    let code = secret.code(site.clock.now());
    let id = owner.get("/you/totp").await.hidden()["form"].clone();
    let factor = [
        ("form", id.as_str()),
        ("code", &code),
        ("password", PASSWORD),
    ];
    let invite = format!("{team}/invite");
    fail_mails(&site.pool, true).await;
    assert!(
        owner
            .post(&invite, &invitation)
            .await
            .status
            .is_server_error()
    );
    assert!(
        owner
            .post("/you/totp", &factor)
            .await
            .status
            .is_server_error()
    );
    fail_mails(&site.pool, false).await;
    assert_eq!(owner.post(&invite, &invitation).await.location(), team);
    let page = owner.post("/you/totp", &factor).await;
    page.assert(200, "Recovery codes");
}

/// A Redis that can be cut off.
#[expect(clippy::disallowed_methods, reason = "a test has no shutdown")]
async fn fragile_redis() -> (Secret, CancellationToken) {
    let real: Url = redis_url().expose().parse().unwrap();
    let target = format!(
        "{}:{}",
        real.host_str().unwrap(),
        real.port().unwrap_or(6379)
    );
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let mut fragile = real.clone();
    fragile.set_host(Some("127.0.0.1")).unwrap();
    let port = listener.local_addr().unwrap().port();
    fragile.set_port(Some(port)).unwrap();
    let cut = CancellationToken::new();
    let is_cut = cut.clone();
    tokio::spawn(cut.clone().run_until_cancelled_owned(async move {
        loop {
            let (mut client, _) = listener.accept().await.unwrap();
            let mut server = TcpStream::connect(&target).await.unwrap();
            tokio::spawn(is_cut.clone().run_until_cancelled_owned(async move {
                drop(copy_bidirectional(&mut client, &mut server).await);
            }));
        }
    }));
    (Secret::from(fragile.to_string()), cut)
}

#[testing::database_test(web::MIGRATOR)]
async fn recovery_codes_are_shown_when_redis_fails_after_the_commit(pool: PgPool) {
    let (redis, cut) = fragile_redis().await;
    let site = Arc::new(Site::with_redis(pool, redis).await);
    let ada = site.person(ADA).await;
    let mut owner = site.signed_in(ADA).await;
    let secret = offered(&site, &mut owner).await;
    let code = secret.code(site.clock.now());
    let id = owner.get("/you/totp").await.hidden()["form"].clone();
    let fields = [
        ("form", id.as_str()),
        ("code", &code),
        ("password", PASSWORD),
    ];
    // The transaction of the form waits for this one.
    let mut other = site.pool.begin().await.unwrap();
    let locked = web::store::people::lock(&mut *other, ada).await;
    assert!(locked.unwrap().is_some());
    let fail = async {
        until_a_row_is_waited_for(&site.pool).await;
        cut.cancel();
        other.rollback().await.unwrap();
    };
    let (page, ()) = futures::join!(owner.post("/you/totp", &fields), fail);
    page.assert(200, "Recovery codes");
    assert_eq!(page.text.matches("<li>").count(), 10, "{}", page.text);
}

/// Waits until a statement waits for the row of another transaction.
pub(crate) async fn until_a_row_is_waited_for(pool: &PgPool) {
    let waiting = async || {
        let waiting = sqlx::query_scalar!(
            r#"select exists (
                   select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'
               ) as "exists!""#
        );
        waiting.fetch_one(pool).await.unwrap()
    };
    testing::wait_until("a statement waits for a lock", waiting).await;
}
