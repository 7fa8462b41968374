//! Mails about decisions of staff: each once, over a restart, in the language of its reader, with a switch.

use contracts::gateway::v1 as gateway;
use contracts::listings::v1 as proto;
use kit::timestamp;
use sqlx::PgPool;
use time::Duration;
use uuid::Uuid;
use web::domain::role::Role;
use web::jobs::decisions;

use crate::support::{ADA, BOB, Site};

const CAROL: &str = "carol@studio.example";

/// Ada owns the account, Bob edits its listings, Carol makes its keys.
async fn account(site: &Site) -> Uuid {
    let ada = site.person(ADA).await;
    let account = site.account(ada, Role::Owner).await;
    for (email, role) in [(BOB, Role::Editor), (CAROL, Role::Developer)] {
        let member = site.person(email).await;
        site.join(account, member, role).await;
    }
    account
}

/// A run of the job some minutes after the one before.
async fn run(site: &Site) -> u64 {
    site.clock.advance(Duration::minutes(5));
    decisions::run(&site.app, site.clock.now()).await.unwrap()
}

async fn mails(site: &Site) -> Vec<(String, String)> {
    let mails = site.mails().await.into_iter();
    let mut mails: Vec<_> = mails.map(|(to, subject, _)| (to, subject)).collect();
    mails.sort();
    mails
}

fn to(readers: &[&str], subject: &str) -> Vec<(String, String)> {
    let mut expected: Vec<_> = readers
        .iter()
        .map(|reader| ((*reader).to_owned(), subject.to_owned()))
        .collect();
    expected.sort();
    expected
}

fn set_state(site: &Site, account: Uuid, slug: &str, state: proto::State) {
    let change = |game: &mut proto::Game| game.set_state(state);
    site.listings.change(&account.to_string(), slug, change);
}

#[testing::database_test(web::MIGRATOR)]
async fn a_decision_about_a_listing_is_mailed_once_to_who_edits_it(pool: PgPool) {
    let site = Site::new(pool.clone()).await;
    let account = account(&site).await;
    site.listings.game(&account.to_string(), "kora", "Kora");
    site.listings.game(&account.to_string(), "okoto", "Okoto");
    set_state(&site, account, "okoto", proto::State::Pending);
    // What was decided before the first run is not mailed.
    assert_eq!(run(&site).await, 0);
    set_state(&site, account, "okoto", proto::State::Published);
    assert_eq!(run(&site).await, 1);
    assert_eq!(
        mails(&site).await,
        to(&[ADA, BOB], "Your listing is public")
    );
    let body = &site.mails().await[0].2;
    for part in [
        "https://mchezo.example/games/okoto",
        &format!("/accounts/{account}/listings/game/okoto"),
        "/you#settings",
    ] {
        assert!(body.contains(part), "{part}: {body}");
    }
    // Another process goes on where this one was.
    let restarted = Site::new(pool).await;
    restarted.clock.advance(Duration::HOUR);
    for slug in ["kora", "okoto"] {
        let title = if slug == "kora" { "Kora" } else { "Okoto" };
        restarted.listings.game(&account.to_string(), slug, title);
    }
    restarted.gateway.add(gateway::Account {
        id: account.to_string(),
        ..gateway::Account::default()
    });
    assert_eq!(run(&restarted).await, 0);
    assert_eq!(mails(&restarted).await.len(), 2);
    set_state(&restarted, account, "kora", proto::State::Removed);
    assert_eq!(run(&restarted).await, 1);
    assert_eq!(run(&restarted).await, 0);
    let last = restarted.mails().await.pop().unwrap();
    assert_eq!(last.1, "Your listing is taken down");
}

#[testing::database_test(web::MIGRATOR)]
async fn two_leaders_and_a_late_one_mail_a_decision_once(pool: PgPool) {
    let site = Site::new(pool).await;
    let account = account(&site).await;
    site.listings.game(&account.to_string(), "okoto", "Okoto");
    set_state(&site, account, "okoto", proto::State::Pending);
    assert_eq!(run(&site).await, 0);
    let late = site.clock.now() - Duration::MINUTE;
    set_state(&site, account, "okoto", proto::State::Published);
    site.clock.advance(Duration::minutes(5));
    let now = site.clock.now();
    let (one, two) = futures::join!(
        decisions::run(&site.app, now),
        decisions::run(&site.app, now)
    );
    assert_eq!(one.unwrap() + two.unwrap(), 1);
    // It has read the listing before the decision.
    set_state(&site, account, "okoto", proto::State::Pending);
    assert_eq!(decisions::run(&site.app, late).await.unwrap(), 0);
    set_state(&site, account, "okoto", proto::State::Published);
    assert_eq!(run(&site).await, 0);
}

#[testing::database_test(web::MIGRATOR)]
async fn decisions_about_keys_come_in_the_language_of_each_reader(pool: PgPool) {
    let site = Site::new(pool).await;
    let account = account(&site).await;
    let mut french = site.signed_in(CAROL).await;
    let settings = [("language", "fr"), ("notice", "keys")];
    french.post("/you/settings", &settings).await.location();
    assert_eq!(run(&site).await, 0);
    let request = |name: &str, state: &str, reason: Option<&str>| gateway::KeyRequest {
        id: kit::ids::row_id().to_string(),
        account_id: account.to_string(),
        name: name.to_owned(),
        state: state.to_owned(),
        asked_at: Some(timestamp::encode(site.clock.now())),
        reason: reason.map(ToOwned::to_owned),
        ..gateway::KeyRequest::default()
    };
    // Asked for and approved between two runs.
    *site.gateway.requests.lock().unwrap() = vec![
        request("server", "approved", None),
        request("site", "asked", None),
    ];
    assert_eq!(run(&site).await, 1);
    let all = site.mails().await;
    let subjects: Vec<(&str, &str)> = all
        .iter()
        .map(|(to, subject, _)| (to.as_str(), subject.as_str()))
        .collect();
    assert_eq!(subjects.len(), 2, "{subjects:?}");
    assert!(subjects.contains(&(ADA, "Your live key is approved")));
    assert!(subjects.contains(&(CAROL, "Votre clé de production est approuvée")));
    // The second is rejected; the French reader wants no such mails any more.
    let settings = [("language", "fr"), ("notice", "team")];
    french.post("/you/settings", &settings).await.location();
    {
        let mut requests = site.gateway.requests.lock().unwrap();
        "rejected".clone_into(&mut requests[1].state);
        requests[1].reason = Some("Say what it is for.".to_owned());
    }
    assert_eq!(run(&site).await, 1);
    let all = site.mails().await;
    assert_eq!(all.len(), 3);
    let (to, subject, body) = all.last().unwrap();
    assert_eq!(
        (to.as_str(), subject.as_str()),
        (ADA, "Your live key is not approved")
    );
    assert!(body.contains("Say what it is for."), "{body}");
    assert!(
        body.contains(&format!("/accounts/{account}/keys")),
        "{body}"
    );
    // A revealed key is no decision.
    "revealed".clone_into(&mut site.gateway.requests.lock().unwrap()[0].state);
    assert_eq!(run(&site).await, 0);
}

#[testing::database_test(web::MIGRATOR)]
async fn claims_and_held_reports_are_mailed_too(pool: PgPool) {
    let site = Site::new(pool).await;
    let account = account(&site).await;
    let mut claim = proto::Claim {
        id: kit::ids::row_id().to_string(),
        handle: "maliyo".to_owned(),
        ..proto::Claim::default()
    };
    claim.set_state(proto::ClaimState::Waiting);
    *site.listings.claims.lock().unwrap() = vec![claim.clone()];
    assert_eq!(run(&site).await, 0);
    claim.set_state(proto::ClaimState::Rejected);
    *site.listings.claims.lock().unwrap() = vec![claim];
    assert_eq!(run(&site).await, 1);
    let expected = to(&[ADA, BOB], "Your claim of a page is rejected");
    assert_eq!(mails(&site).await, expected);
    assert!(site.mails().await[0].2.contains("none was given"));
    // A report of a game that the account has got is older than the account's first run, and is not mailed.
    *site.economy.owner.lock().unwrap() = account.to_string();
    *site.economy.name.lock().unwrap() = Some("Cowrie".to_owned());
    assert_eq!(run(&site).await, 0);
    // A service that is away holds up its own mails only.
    site.listings
        .is_down
        .store(true, std::sync::atomic::Ordering::Relaxed);
    site.clock.advance(Duration::minutes(5));
    assert!(decisions::run(&site.app, site.clock.now()).await.is_err());
    assert_eq!(mails(&site).await, expected);
}
