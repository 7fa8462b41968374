//! Mails about changes that other services publish: each once despite restarts, replicas and clocks, in the reader's language, and with an opt-out.

use std::sync::atomic::Ordering;

use contracts::common::v1::Ended;
use contracts::economy::v1::ReportReview;
use contracts::gateway::v1::{self as proto, KeyRequest};
use contracts::listings::v1::StaffDecision;
use contracts::webhook::v1::EndpointNotice;
use kit::api::timestamp;
use metrics_exporter_prometheus::PrometheusBuilder;
use sqlx::PgPool;
use uuid::Uuid;
use web::domain::role::Role;
use web::jobs::feed_mails;

use crate::support::{ADA, BOB, START, Site};
use crate::work::counted;

const CAROL: &str = "carol@studio.example";

/// An account with Ada as owner, Bob as editor and Carol as developer.
async fn account(site: &Site) -> Uuid {
    let ada = site.person(ADA).await;
    let account = site.account(ada, Role::Owner).await;
    for (email, role) in [(BOB, Role::Editor), (CAROL, Role::Developer)] {
        let member = site.person(email).await;
        site.join(account, member, role).await;
    }
    account
}

async fn run(site: &Site) -> u64 {
    feed_mails::run(&site.app, site.clock.now()).await.unwrap()
}

/// The recipient and subject of each mail, sorted.
async fn mails(site: &Site) -> Vec<(String, String)> {
    let mut mails: Vec<_> =
        site.mails().await.into_iter().map(|(to, subject, _)| (to, subject)).collect();
    mails.sort();
    mails
}

fn to(readers: &[&str], subject: &str) -> Vec<(String, String)> {
    let mut expected: Vec<_> =
        readers.iter().map(|reader| ((*reader).to_owned(), subject.to_owned())).collect();
    expected.sort();
    expected
}

fn game(account: Uuid) -> StaffDecision {
    StaffDecision {
        account_ids: vec![account.to_string()],
        kind: "game".to_owned(),
        name: "okoto".to_owned(),
        title: "Okoto".to_owned(),
        reason: String::new(),
        ..StaffDecision::default()
    }
}

fn publish(site: &Site, event: &str, decision: &StaffDecision) {
    site.feed.publish("decision", event, decision);
}

#[testing::database_test(web::MIGRATOR)]
async fn a_decision_on_a_listing_is_mailed_once_to_its_editors(pool: PgPool) {
    let site = Site::new(pool.clone()).await;
    let account = account(&site).await;
    publish(&site, "listing_removed", &game(account));
    assert_eq!(run(&site).await, 0, "it was decided before the first run");
    publish(&site, "listing_published", &game(account));
    assert_eq!(run(&site).await, 1);
    let public = to(&[ADA, BOB], "Your listing is public");
    assert_eq!(mails(&site).await, public);
    let body = &site.mails().await[0].2;
    for part in [
        "https://mchezo.example/games/okoto",
        &format!("/accounts/{account}/listings/game/okoto"),
        "/you#settings",
    ] {
        assert!(body.contains(part), "{part}: {body}");
    }
    // After a restart another process continues at the same position.
    let restarted = Site::new(pool).await;
    let all = site.feed.changes.lock().unwrap().clone();
    *restarted.feed.changes.lock().unwrap() = all;
    assert_eq!(run(&restarted).await, 0);
    assert_eq!(mails(&restarted).await, public);
    publish(&restarted, "listing_removed", &game(account));
    assert_eq!(run(&restarted).await, 1);
    assert_eq!(run(&restarted).await, 0);
    let last = restarted.mails().await.pop().unwrap();
    assert_eq!(last.1, "Your listing is taken down");
}

#[testing::database_test(web::MIGRATOR)]
async fn decisions_of_staff_are_recorded_once_in_the_activity(pool: PgPool) {
    let site = Site::new(pool).await;
    let account = account(&site).await;
    assert_eq!(run(&site).await, 0);
    publish(&site, "listing_rejected", &game(account));
    publish(&site, "listing_published", &game(account));
    assert_eq!(run(&site).await, 2);
    assert_eq!(run(&site).await, 0);
    let mut owner = site.signed_in(ADA).await;
    let page = owner.get(&format!("/accounts/{account}/activity")).await;
    assert_eq!(page.text.matches("<td>approved okoto</td>").count(), 1);
    page.assert(
        200,
        "<td>approved okoto</td><td><bdi>Staff</bdi></td><td class=\"time\">23 November 2026, 12:00 UTC</td><td></td><td></td>",
    );
    page.assert(200, "rejected okoto");
}

#[testing::database_test(web::MIGRATOR)]
async fn two_replicas_mail_a_decision_once(pool: PgPool) {
    let site = Site::new(pool).await;
    let account = account(&site).await;
    assert_eq!(run(&site).await, 0);
    for _ in 0..5 {
        publish(&site, "listing_published", &game(account));
    }
    let now = site.clock.now();
    let (one, two) =
        futures::join!(feed_mails::run(&site.app, now), feed_mails::run(&site.app, now));
    assert_eq!(one.unwrap() + two.unwrap(), 5);
    assert_eq!(mails(&site).await.len(), 10, "two readers");
}

#[testing::database_test(web::MIGRATOR)]
#[expect(clippy::disallowed_methods, reason = "an index of the test")]
async fn an_interrupted_run_is_repeated(pool: PgPool) {
    let site = Site::new(pool).await;
    let account = account(&site).await;
    assert_eq!(run(&site).await, 0);
    publish(&site, "listing_published", &game(account));
    // The changes are read, but the second mail cannot be stored.
    let one_each = sqlx::raw_sql("create unique index one_each on web.mail (subject)");
    one_each.execute(&site.pool).await.unwrap();
    let failed = feed_mails::run(&site.app, site.clock.now()).await;
    assert!(failed.is_err());
    assert_eq!(mails(&site).await, []);
    let as_many = sqlx::raw_sql("drop index web.one_each");
    as_many.execute(&site.pool).await.unwrap();
    assert_eq!(run(&site).await, 1);
    assert_eq!(run(&site).await, 0);
    assert_eq!(mails(&site).await, to(&[ADA, BOB], "Your listing is public"));
}

#[testing::database_test(web::MIGRATOR)]
async fn decisions_on_keys_are_mailed_in_the_language_of_each_reader(pool: PgPool) {
    let site = Site::new(pool).await;
    let account = account(&site).await;
    let mut french = site.signed_in(CAROL).await;
    let settings = [("language", "fr"), ("notices", "on")];
    french.post("/you/settings", &settings).await.location();
    assert_eq!(run(&site).await, 0);
    let request = |reason: Option<&str>| KeyRequest {
        id: kit::ids::row_id().to_string(),
        account_id: account.to_string(),
        name: "server".to_owned(),
        ended: reason.map(|reason| Ended {
            by_account: String::new(),
            at: Some(timestamp::encode(START)),
            reason: reason.to_owned(),
        }),
        ..KeyRequest::default()
    };
    for event in ["asked", "approved", "revealed", "withdrawn"] {
        site.feed.publish("key_request", event, &request(None));
    }
    assert_eq!(run(&site).await, 1);
    let all = site.mails().await;
    let subjects: Vec<(&str, &str)> =
        all.iter().map(|(to, subject, _)| (to.as_str(), subject.as_str())).collect();
    assert_eq!(subjects.len(), 2, "{subjects:?}");
    assert!(subjects.contains(&(ADA, "Your live key is approved")));
    assert!(subjects.contains(&(CAROL, "Votre clé de production est approuvée")));
    // The French reader opts out of notices.
    let settings = [("language", "fr")];
    french.post("/you/settings", &settings).await.location();
    let rejected = request(Some("Say what it is for."));
    site.feed.publish("key_request", "rejected", &rejected);
    assert_eq!(run(&site).await, 1);
    let all = site.mails().await;
    assert_eq!(all.len(), 3);
    let (to, subject, body) = all.last().unwrap();
    assert_eq!((to.as_str(), subject.as_str()), (ADA, "Your live key is not approved"));
    assert!(body.contains("Say what it is for."), "{body}");
    // Decisions of staff are in the activity, and what people of the account did is there already.
    let mut owner = site.signed_in(ADA).await;
    let activity = owner.get(&format!("/accounts/{account}/activity")).await;
    for (text, times) in
        [("approved the live key server", 1), ("rejected the live key server", 1), ("withdrew", 0)]
    {
        assert_eq!(activity.text.matches(text).count(), times, "{}", activity.text);
    }
    assert!(body.contains(&format!("/accounts/{account}/keys")), "{body}");
}

#[testing::database_test(web::MIGRATOR)]
async fn the_mail_of_each_decision_links_to_its_page(pool: PgPool) {
    let site = Site::new(pool).await;
    let account = account(&site).await;
    assert_eq!(run(&site).await, 0);
    for (event, readers, subject, page) in [
        ("listing_rejected", [ADA, BOB], "Your listing is not approved", "/listings/game/okoto"),
        ("claim_granted", [ADA, BOB], "A page belongs to your account now", "/listings"),
        ("claim_rejected", [ADA, BOB], "Your claim of a page is rejected", "/claims"),
        ("held", [ADA, CAROL], "A report of your game is held", "/economy/okoto"),
        ("counted", [ADA, CAROL], "A held report of your game counts", "/economy/okoto"),
        ("rejected", [ADA, CAROL], "A held report of your game is rejected", "/economy/okoto"),
        (
            "retracted",
            [ADA, CAROL],
            "A report of your game does not count any more",
            "/economy/okoto",
        ),
    ] {
        sqlx::query!("delete from web.mail").execute(&site.pool).await.unwrap();
        if page.starts_with("/economy") {
            let review = ReportReview {
                account_ids: vec![account.to_string()],
                report: 4_711,
                game: "okoto".to_owned(),
                reason: String::new(),
            };
            site.feed.publish("report_review", event, &review);
        } else {
            publish(&site, event, &game(account));
        }
        assert_eq!(run(&site).await, 1, "{event}");
        assert_eq!(mails(&site).await, to(&readers, subject), "{event}");
        let body = &site.mails().await[0].2;
        let address = format!("https://mchezo.example/accounts/{account}{page}\n");
        assert!(body.contains(&address), "{event}: {body}");
        let has_reason =
            ["listing_rejected", "claim_rejected", "rejected", "retracted"].contains(&event);
        assert_eq!(body.contains("none was given"), has_reason, "{body}");
        assert_eq!(body.contains("4711"), page.starts_with("/economy"));
    }
}

/// The reason of a takedown is read by the owners, who can do nothing about it otherwise.
#[testing::database_test(web::MIGRATOR)]
async fn the_mail_of_a_takedown_has_the_reason_and_whom_to_ask(pool: PgPool) {
    let site = Site::new(pool).await;
    let account = account(&site).await;
    assert_eq!(run(&site).await, 0);
    let removed = StaffDecision { reason: "Not its maker's".to_owned(), ..game(account) };
    publish(&site, "listing_removed", &removed);
    assert_eq!(run(&site).await, 1);
    let body = &site.mails().await[0].2;
    let contact = site.app.staff_mail.as_ref().unwrap_or(&site.app.public_url).as_str();
    for part in ["Not its maker's", contact] {
        assert!(body.contains(part), "{part}: {body}");
    }
}

/// Who owns a page may take it down with all of its games: the other owners learn at once who it is.
#[testing::database_test(web::MIGRATOR)]
async fn mails_about_owners_name_the_accounts(pool: PgPool) {
    let site = Site::new(pool).await;
    let account = account(&site).await;
    let other = Uuid::from_u128(7);
    let named = proto::Account {
        id: other.to_string(),
        name: "Dunes".to_owned(),
        ..proto::Account::default()
    };
    site.gateway.add(named);
    assert_eq!(run(&site).await, 0);
    let of_other = StaffDecision { account_id: other.to_string(), ..game(account) };
    let moved = StaffDecision {
        kind: "event".to_owned(),
        former_account_id: account.to_string(),
        ..of_other.clone()
    };
    for (event, decision, subject, page) in [
        ("owner_added", &of_other, "A page of your account has a new owner", "/listings"),
        ("owner_removed", &of_other, "A page has one owner less", "/listings"),
        (
            "listing_removed_by_owner",
            &of_other,
            "Another owner took your listing down",
            "/listings/game/okoto",
        ),
        ("event_moved", &moved, "An event belongs to another account now", "/listings"),
    ] {
        sqlx::query!("delete from web.mail").execute(&site.pool).await.unwrap();
        publish(&site, event, decision);
        assert_eq!(run(&site).await, 1, "{event}");
        assert_eq!(mails(&site).await, to(&[ADA, BOB], subject), "{event}");
        let body = &site.mails().await[0].2;
        let address = format!("https://mchezo.example/accounts/{account}{page}\n");
        for part in ["Dunes", &address] {
            assert!(body.contains(part), "{event}: {part}: {body}");
        }
    }
    let moved = StaffDecision {
        page: "oasis".to_owned(),
        former_page: "dunes".to_owned(),
        ..game(account)
    };
    publish(&site, "game_moved", &moved);
    assert_eq!(run(&site).await, 1);
    let body = site.mails().await.pop().unwrap().2;
    assert!(body.contains("from the page dunes to the page oasis"), "{body}");
    // A batch reads the name of an account once.
    for _ in 0..2 {
        publish(&site, "listing_removed_by_owner", &of_other);
    }
    let (mailed, done) = counted(run(&site)).await;
    // Each of the four feeds is listed, and that of listings again after its batch.
    assert_eq!((mailed, done.calls), (2, 6), "{done:?}");
    // While the gateway is unavailable, the mail has the id.
    site.gateway.is_down.store(true, Ordering::Relaxed);
    publish(&site, "owner_added", &of_other);
    assert_eq!(run(&site).await, 1);
    let body = site.mails().await.pop().unwrap().2;
    assert!(body.contains(&other.to_string()), "{body}");
}

#[testing::database_test(web::MIGRATOR)]
async fn the_mail_about_a_game_whose_page_is_not_public_has_no_link_to_the_game(pool: PgPool) {
    let site = Site::new(pool).await;
    let account = account(&site).await;
    assert_eq!(run(&site).await, 0);
    publish(&site, "listing_approved", &game(account));
    assert_eq!(run(&site).await, 1);
    let approved = to(&[ADA, BOB], "Your listing is approved");
    assert_eq!(mails(&site).await, approved);
    let body = &site.mails().await[0].2;
    assert!(!body.contains("/games/okoto"), "{body}");
    let listings = format!("https://mchezo.example/accounts/{account}/listings\n");
    assert!(body.contains(&listings), "{body}");
}

#[testing::database_test(web::MIGRATOR)]
async fn an_unavailable_or_unreadable_feed_does_not_block_others(pool: PgPool) {
    let recorder = PrometheusBuilder::new().build_recorder();
    let _recording = metrics::set_default_local_recorder(&recorder);
    let site = Site::new(pool).await;
    let account = account(&site).await;
    assert_eq!(run(&site).await, 0);
    *site.feed.unavailable.lock().unwrap() = vec!["endpoint_notice", "key_request"];
    let nobody = StaffDecision { account_ids: vec!["nobody".to_owned()], ..game(account) };
    publish(&site, "listing_published", &nobody);
    publish(&site, "of_a_later_version", &game(account));
    publish(&site, "listing_published", &game(account));
    let key = KeyRequest { account_id: account.to_string(), ..KeyRequest::default() };
    site.feed.publish("key_request", "approved", &key);
    let failed = feed_mails::run(&site.app, site.clock.now()).await;
    let failed = format!("{:#}", failed.unwrap_err());
    // Each of them is named once.
    let named: Vec<&str> = failed.split("; ").filter_map(|it| it.split(": ").next()).collect();
    assert_eq!(named, ["gateway", "webhook"], "{failed}");
    let public = to(&[ADA, BOB], "Your listing is public");
    assert_eq!(mails(&site).await, public);
    let refused = "feed_changes_refused_total{producer=\"listings\"} 2";
    let metrics = recorder.handle().render();
    assert!(metrics.contains(refused), "{metrics}");
    site.feed.unavailable.lock().unwrap().clear();
    assert_eq!(run(&site).await, 1, "the key");
    assert_eq!(mails(&site).await.len(), 4);
}

#[testing::database_test(web::MIGRATOR)]
async fn failing_webhooks_are_mailed_to_developers(pool: PgPool) {
    let site = Site::new(pool).await;
    let account = account(&site).await;
    assert_eq!(run(&site).await, 0);
    let notice = EndpointNotice {
        account_id: account.to_string(),
        endpoint_id: "its-id".to_owned(),
        url: "https://a.example/hook".to_owned(),
        failed: 200,
    };
    let off = "An address of your webhooks is disabled";
    for (event, subject, text) in [
        ("deliveries_failed", "Webhooks could not be delivered", "e-mail: 200."),
        ("disabled_after_failures", off, "Deliveries failed"),
        ("disabled_by_gone", off, "answered 410 Gone"),
    ] {
        sqlx::query!("delete from web.mail").execute(&site.pool).await.unwrap();
        site.feed.publish("endpoint_notice", event, &notice);
        assert_eq!(run(&site).await, 1, "{event}");
        assert_eq!(mails(&site).await, to(&[ADA, CAROL], subject), "{event}");
        let body = &site.mails().await[0].2;
        let page = format!("https://mchezo.example/accounts/{account}/webhooks/its-id\n");
        for part in ["https://a.example/hook", text, &page, "again"] {
            assert!(body.contains(part), "{event}: {body}");
        }
    }
}
