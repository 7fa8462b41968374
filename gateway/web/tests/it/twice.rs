//! Forms that are sent twice at once, as by a double click: they take effect once, and no answer is an error.

use std::sync::atomic::Ordering;

use contracts::listings::v1 as proto;
use sqlx::PgPool;
use web::domain::role::Role;

use crate::browser::{Browser, Page};
use crate::full_account::{CAROL, FullAccount};
use crate::support::{ADA, Site};

/// Opens `page`, and sends its form twice at once to `action`.
async fn send_twice(
    browser: &mut Browser,
    page: &str,
    action: &str,
    fields: &[(&str, &str)],
) -> (Page, Page) {
    let hidden = browser.get(page).await.hidden();
    let mut all = fields.to_vec();
    for name in ["form", "revision"] {
        if let Some(value) = hidden.get(name) {
            all.push((name, value));
        }
    }
    let mut again = browser.clone();
    let (one, two) = futures::join!(browser.post(action, &all), again.post(action, &all));
    for page in [&one, &two] {
        let is_good = page.status.is_success() || page.status.is_redirection();
        assert!(is_good, "{action}: {} {}", page.status, page.text);
    }
    (one, two)
}

#[testing::database_test(web::MIGRATOR)]
async fn one_account_one_invitation_and_one_key(pool: PgPool) {
    let site = Site::new(pool).await;
    site.person(ADA).await;
    let mut owner = site.signed_in(ADA).await;
    let fields = [("name", "Savanna")];
    let (one, two) = send_twice(&mut owner, "/accounts", "/accounts", &fields).await;
    assert_eq!(one.location(), two.location());
    assert_eq!(site.gateway.accounts.lock().unwrap().len(), 1);
    let account = one.location().to_owned();

    let team = format!("{account}/team");
    let fields = [("email", CAROL), ("role", "editor")];
    send_twice(&mut owner, &team, &format!("{team}/invite"), &fields).await;
    let page = owner.get(&team).await;
    assert_eq!(page.text.matches("/withdraw\"").count(), 1, "{}", page.text);
    let mails = site.mails().await;
    assert_eq!(mails.iter().filter(|mail| mail.0 == CAROL).count(), 1);

    let keys = format!("{account}/keys");
    let new = format!("{keys}/new");
    let fields = [("name", "server"), ("kind", "account")];
    let (one, two) = send_twice(&mut owner, &new, &keys, &fields).await;
    one.assert(200, "svc_test_");
    two.assert(200, "svc_test_");
    assert_eq!(site.gateway.keys.lock().unwrap().len(), 1);
    let fields = [
        ("name", "live server"),
        ("kind", "account"),
        ("mode", "live"),
    ];
    send_twice(&mut owner, &new, &keys, &fields).await;
    assert_eq!(site.gateway.requests.lock().unwrap().len(), 1);

    let activity = owner.get(&format!("{account}/activity")).await;
    for what in [
        "created the account",
        "invited ",
        "created the key",
        "requested the live key",
    ] {
        assert_eq!(
            activity.text.matches(what).count(),
            1,
            "{what}: {}",
            activity.text
        );
    }
}

#[testing::database_test(web::MIGRATOR)]
async fn a_live_key_is_shown_by_both_answers_and_made_once(pool: PgPool) {
    let full = FullAccount::new(pool).await;
    let mut owner = full.owner.clone();
    let keys = full.own("/accounts/{account}/keys");
    let reveal = full.own("/accounts/{account}/keys/requests/{request}/reveal");
    let (one, two) = send_twice(&mut owner, &keys, &reveal, &[]).await;
    one.assert(200, "svc_live_");
    two.assert(200, "svc_live_");
    let rotate = full.own("/accounts/{account}/keys/{key}/rotate");
    let page = full.own("/accounts/{account}/keys/{key}");
    let (one, two) = send_twice(&mut owner, &page, &rotate, &[]).await;
    one.assert(200, "svc_test_new_");
    two.assert(200, "svc_test_new_");
}

#[testing::database_test(web::MIGRATOR)]
async fn one_endpoint_one_test_event_and_one_secret(pool: PgPool) {
    let full = FullAccount::new(pool).await;
    let mut owner = full.owner.clone();
    let base = full.own("/accounts/{account}/webhooks");
    let fields = [
        ("url", full.hooks.receiver.url.as_str()),
        ("events", "tip.paid"),
    ];
    let account = full.hooks.account;
    let webhooks = &full.hooks.site.app.webhooks;
    let (one, two) = send_twice(&mut owner, &format!("{base}/new"), &base, &fields).await;
    let secret = |page: &Page| page.text.split_once("svc_whsec_").unwrap().1[..44].to_owned();
    assert_eq!(secret(&one), secret(&two));
    assert_eq!(
        webhooks.endpoints(account).await.unwrap().endpoints.len(),
        2
    );

    let page = full.own("/accounts/{account}/webhooks/{endpoint}");
    let (one, two) = send_twice(
        &mut owner,
        &page,
        &format!("{page}/test"),
        &[("event", "ping")],
    )
    .await;
    assert_eq!(one.location(), two.location());
    let rotate = format!("{page}/rotate");
    let (one, two) = send_twice(&mut owner, &page, &rotate, &[]).await;
    assert_eq!(secret(&one), secret(&two));
    // These have no id: a second one finds nothing to do.
    let again = full.own("/accounts/{account}/webhooks/{endpoint}/deliveries/{delivery}/again");
    send_twice(&mut owner, &page, &again, &[]).await;
    for action in ["pause", "resume"] {
        send_twice(&mut owner, &page, &format!("{page}/{action}"), &[]).await;
    }
    let since = [("since", "2026-11-01T00:00"), ("confirmed", "yes")];
    let recover = format!("{page}/recover");
    send_twice(&mut owner, &recover, &recover, &since).await;
    let (one, two) = send_twice(&mut owner, &page, &format!("{page}/remove"), &[]).await;
    assert_eq!(one.location(), two.location());
    assert_eq!(
        webhooks.endpoints(account).await.unwrap().endpoints.len(),
        1
    );
}

#[testing::database_test(web::MIGRATOR)]
async fn one_listing_one_claim_and_one_name(pool: PgPool) {
    let site = Site::new(pool).await;
    let ada = site.person(ADA).await;
    let account = site.account(ada, Role::Owner).await.to_string();
    site.listings.game(&account, "okoto", "Okoto");
    account.clone_into(&mut site.economy.owner.lock().unwrap());
    let mut owner = site.signed_in(ADA).await;
    let base = format!("/accounts/{account}");
    let new = format!("{base}/listings/new/game");
    let fields = [
        ("creator", "studio"),
        ("title", "A game"),
        ("genres", "puzzle"),
    ];
    let (one, two) = send_twice(&mut owner, &new, &new, &fields).await;
    assert_eq!(one.location(), two.location());
    assert_eq!(site.listings.games.lock().unwrap().len(), 2);

    let claims = format!("{base}/claims");
    let fields = [("handle", "maliyo"), ("evidence", "It is ours.")];
    send_twice(&mut owner, &claims, &claims, &fields).await;
    assert_eq!(site.listings.recorded(), ["claim maliyo: It is ours."]);

    // These change nothing the second time, and both lead to the same page.
    let listing = format!("{base}/listings/game/okoto");
    let pictures = format!("{listing}/pictures");
    for game in site.listings.games.lock().unwrap().values_mut() {
        game.set_state(proto::State::Pending);
    }
    let removed = [("url", "https://mchezo.example/pictures/a.jpg")];
    for (page, action, fields) in [(&pictures, format!("{pictures}/cover/remove"), &removed[..])] {
        let (one, two) = send_twice(&mut owner, page, &action, fields).await;
        assert_eq!(one.location(), two.location(), "{action}");
    }

    // A form that comes again after it has changed the listing.
    let edit = format!("{listing}/edit");
    let fields = [
        ("revision", "1"),
        ("title", "Okoto II"),
        ("creator", "studio"),
        ("genres", "puzzle"),
        ("release_year", "2026"),
    ];
    for _ in 0..2 {
        let saved = owner.post(&edit, &fields).await;
        assert_eq!(saved.location(), format!("{listing}?done=listing-changed"));
    }
    let activity = owner.get(&format!("{base}/activity")).await;
    assert_eq!(activity.text.matches("changed okoto").count(), 1);

    let economy = format!("{base}/economy/okoto");
    let currency = format!("{economy}/currency");
    send_twice(&mut owner, &economy, &currency, &[("name", "Cowrie")]).await;
    assert_eq!(site.economy.named.load(Ordering::Relaxed), 1);
}
