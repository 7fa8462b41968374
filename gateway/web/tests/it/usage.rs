//! The usage of an account: the share of the month, the plans, the log of calls, and mails about the month.

use contracts::gateway::v1 as proto;
use kit::api::timestamp::encode;
use sqlx::PgPool;
use std::sync::atomic::Ordering;
use time::Duration;
use time::macros::datetime;
use uuid::Uuid;
use web::domain::role::Role;
use web::jobs::{clean_up, month_use};

use crate::browser::Browser;
use crate::support::{ADA, BOB, START, Site};

async fn owner(site: &Site) -> (Browser, Uuid) {
    let ada = site.person(ADA).await;
    let account = site.account(ada, Role::Owner).await;
    (site.signed_in(ADA).await, account)
}

/// Calls of the last two days.
fn days(calls: [u64; 2]) -> proto::AccountsServiceListUseResponse {
    let days = ["2026-11-22", "2026-11-23"].into_iter().zip(calls);
    proto::AccountsServiceListUseResponse {
        days: days.map(|(day, calls)| proto::DayUse { day: day.to_owned(), calls }).collect(),
    }
}

#[testing::database_test(web::MIGRATOR)]
async fn the_usage_chart_has_a_table_with_the_same_figures(pool: PgPool) {
    let site = Site::new(pool).await;
    let (mut browser, account) = owner(&site).await;
    let path = format!("/accounts/{account}/usage");
    let empty = browser.get(&path).await;
    empty.assert(200, "No call with a live key");
    empty.assert(200, "<h2>Calls in November 2026</h2>");
    empty.assert(200, "1,204 of 50,000 calls");
    *site.gateway.day_use.lock().unwrap() = days([1_181, 0]);
    let page = browser.get(&path).await;
    for part in [
        "<svg class=\"plot\"",
        "22 November 2026</th><td class=\"number\">1,181</td>",
        "RateLimit-Policy",
        "aria-current=\"page\">Usage",
    ] {
        page.assert(200, part);
    }
    site.gateway.is_down.store(true, Ordering::Relaxed);
    browser.get(&path).await.assert(503, "Not available now");
}

#[testing::database_test(web::MIGRATOR)]
async fn the_plans_are_compared_and_the_own_one_is_marked(pool: PgPool) {
    let site = Site::new(pool).await;
    let (mut browser, account) = owner(&site).await;
    let page = browser.get(&format!("/accounts/{account}/plans")).await;
    for part in [
        "<bdi>Free</bdi> <span class=\"state good\">your plan</span>",
        "<bdi>Build</bdi> <span class=\"state\">coming, not sold yet</span>",
        "1,000,000",
        "Ask for Partner",
        "mailto:staff@mchezo.example?subject=Plan%20Partner",
    ] {
        page.assert(200, part);
    }
    assert!(!page.text.contains("Ask for Build"), "{}", page.text);
    assert!(!page.text.contains("Ask for Free"), "{}", page.text);
}

fn call(key: &str, status: u32, code: &str) -> proto::Call {
    proto::Call {
        at: Some(encode(START)),
        request_id: format!("req_{status}"),
        key_id: key.to_owned(),
        mode: "live".to_owned(),
        method: "GET".to_owned(),
        route: "/v1/games".to_owned(),
        target: "/v1/games?q=<script>'".to_owned(),
        status,
        code: code.to_owned(),
        duration_us: 1_250,
        left_out: 0,
    }
}

#[testing::database_test(web::MIGRATOR)]
async fn refused_calls_link_to_their_error_code(pool: PgPool) {
    let site = Site::new(pool).await;
    let (mut browser, account) = owner(&site).await;
    let path = format!("/accounts/{account}/requests");
    browser.get(&path).await.assert(200, "No call yet");
    let key = kit::ids::row_id().to_string();
    site.gateway.keys.lock().unwrap().push(proto::Key {
        id: key.clone(),
        account_id: account.to_string(),
        name: "server".to_owned(),
        may_write: true,
        kind: proto::KeyKind::Account.into(),
        ..proto::Key::default()
    });
    *site.gateway.calls.lock().unwrap() = proto::AccountsServiceListCallsResponse {
        calls: vec![call(&key, 200, ""), call("gone", 429, "quota_exceeded")],
        next_cursor: Some("older&".to_owned()),
        most: 1_000,
        left_out: 1_500,
    };
    let page = browser.get(&path).await;
    for part in [
        "23 November 2026, 12:00:00 UTC",
        "1.3 ms",
        "req_200",
        "/docs/errors#quota_exceeded",
        "1,500 further calls",
        "cursor=older%26",
        "at most 1,000",
    ] {
        page.assert(200, part);
    }
    assert!(!page.text.contains("<script>'"), "{}", page.text);
    // A key that the list of keys no longer has gets no link.
    page.assert(200, "<span class=\"quiet\">gone</span>");
    assert!(!page.text.contains("/keys/gone"), "{}", page.text);
    let filtered = browser.get(&format!("{path}?errors=yes")).await;
    filtered.assert(200, "req_429");
    filtered.assert(200, "errors=yes&#38;cursor=older%26");
    assert!(!filtered.text.contains("req_200"), "{}", filtered.text);
    let of_key = browser.get(&format!("{path}?key={key}")).await;
    of_key.assert(200, "req_200");
    assert!(!of_key.text.contains("req_429"), "{}", of_key.text);
    let last = browser.get(&format!("{path}?cursor=older%26")).await;
    assert!(!last.text.contains("Older calls"), "{}", last.text);
    browser.get(&format!("{path}?key=odd")).await.assert(422, "id=\"key-error\"");
}

fn month(account: Uuid, used: u64) -> proto::AccountMonthUse {
    month_of(account, used, 50_000)
}

fn month_of(account: Uuid, used: u64, limit: u64) -> proto::AccountMonthUse {
    let (starts_at, resets_at) = (datetime!(2026-11-01 0:00 UTC), datetime!(2026-12-01 0:00 UTC));
    proto::AccountMonthUse {
        account_id: account.to_string(),
        name: "Savanna".to_owned(),
        plan: "Free".to_owned(),
        month: Some(proto::MonthUse {
            starts_at: Some(encode(starts_at)),
            resets_at: Some(encode(resets_at)),
            used,
            limit: Some(limit),
        }),
    }
}

#[testing::database_test(web::MIGRATOR)]
async fn owners_and_developers_get_a_mail_at_each_share_of_the_month(pool: PgPool) {
    let site = Site::new(pool).await;
    let ada = site.person(ADA).await;
    let bob = site.person(BOB).await;
    let (first, second) =
        (site.account(ada, Role::Developer).await, site.account(ada, Role::Owner).await);
    site.join(first, bob, Role::Editor).await;
    let set =
        |months: Vec<proto::AccountMonthUse>| *site.gateway.month_use.lock().unwrap() = months;
    let run = async || month_use::run(&site.app, START).await.unwrap();
    assert_eq!(run().await, 0);
    // Two replicas run at once, as when both hold the lease.
    set(vec![month(first, 40_000), month(second, 39_999)]);
    let (one, other) = futures::join!(run(), run());
    assert_eq!(one + other, 1);
    set(vec![month(first, 49_999), month(second, 50_000)]);
    assert_eq!(run().await, 1);
    set(vec![month(first, 50_001), month(second, 50_001)]);
    assert_eq!(run().await, 1);
    assert_eq!(run().await, 0);
    let mails = site.mails().await;
    let subjects: Vec<(&str, &str)> =
        mails.iter().map(|(to, subject, _)| (to.as_str(), subject.as_str())).collect();
    let expected = [
        (ADA, "80 % of the month's calls are used"),
        (ADA, "The calls of the month are used up"),
        (ADA, "The calls of the month are used up"),
    ];
    assert_eq!(subjects, expected);
    for part in [
        "40,000 of the 50,000 calls",
        "1 December 2026, 00:00 UTC",
        &format!("/accounts/{first}/usage"),
    ] {
        assert!(mails[0].2.contains(part), "{part}: {}", mails[0].2);
    }
    // The next month starts at zero, and records of old months are deleted.
    let mut next = month(first, 40_000);
    let of_next = next.month.as_mut().unwrap();
    of_next.starts_at = Some(encode(datetime!(2026-12-01 0:00 UTC)));
    of_next.resets_at = Some(encode(datetime!(2027-01-01 0:00 UTC)));
    set(vec![next]);
    let later = START + Duration::days(60);
    assert_eq!(month_use::run(&site.app, later).await.unwrap(), 1);
    clean_up::run(&site.app, later).await.unwrap();
    let months = sqlx::query_scalar!(r#"select count(*) as "count!" from web.sent_notice"#);
    assert_eq!(months.fetch_one(&site.pool).await.unwrap(), 1);
}

#[testing::database_test(web::MIGRATOR)]
async fn a_larger_plan_in_the_same_month_has_mails_of_its_own(pool: PgPool) {
    let site = Site::new(pool).await;
    let ada = site.person(ADA).await;
    let account = site.account(ada, Role::Owner).await;
    for (used, limit, mails) in [
        (50_000, 50_000, 1),
        (60_000, 1_000_000, 1),
        (800_000, 1_000_000, 2),
        (1_000_000, 1_000_000, 3),
        (1_000_001, 1_000_000, 3),
        // Back to the smaller plan, whose mails were already sent.
        (1_000_001, 50_000, 3),
    ] {
        *site.gateway.month_use.lock().unwrap() = vec![month_of(account, used, limit)];
        month_use::run(&site.app, START).await.unwrap();
        assert_eq!(site.mails().await.len(), mails, "{used} of {limit}");
    }
    let mails = site.mails().await;
    assert!(mails[2].2.contains("1,000,000 of the 1,000,000 calls"), "{mails:?}");
}

#[testing::database_test(web::MIGRATOR)]
async fn a_month_without_a_reader_gets_no_mail(pool: PgPool) {
    let site = Site::new(pool).await;
    let bob = site.person(BOB).await;
    let account = site.account(bob, Role::Editor).await;
    *site.gateway.month_use.lock().unwrap() = vec![month(account, 45_000)];
    assert_eq!(month_use::run(&site.app, START).await.unwrap(), 0);
    assert_eq!(site.mails().await, []);
    // Somebody joins later in the month.
    let ada = site.person(ADA).await;
    site.join(account, ada, Role::Owner).await;
    assert_eq!(month_use::run(&site.app, START).await.unwrap(), 1);
    site.gateway.is_down.store(true, Ordering::Relaxed);
    assert!(month_use::run(&site.app, START).await.is_err());
}

#[testing::database_test(web::MIGRATOR)]
async fn staff_get_a_mail_once_a_month_about_an_account_without_a_limit(pool: PgPool) {
    let site = Site::new(pool).await;
    let account = Uuid::from_u128(7);
    let mut unlimited = month(account, 10_000_001);
    unlimited.month.as_mut().unwrap().limit = None;
    *site.gateway.month_use.lock().unwrap() = vec![unlimited];
    for announced in [1, 0] {
        assert_eq!(month_use::run(&site.app, START).await.unwrap(), announced);
    }
    let mails = site.mails().await;
    let [(to, subject, body)] = &mails[..] else {
        panic!("{mails:?}");
    };
    let expected = "Savanna has made 10000000 calls or more this month";
    assert_eq!((to.as_str(), subject.as_str()), ("staff@mchezo.example", expected));
    for part in ["10000001 calls since 2026-11-01", &account.to_string()] {
        assert!(body.contains(part), "{part}: {body}");
    }
}
