//! Messages that callers pull, in commit order.

use contracts::common::v1::Mode;
use contracts::listings::v1::State::{Published, Removed};
use contracts::public::WebhookMessage;
use contracts::webhook::v1 as proto;
use kit::Fault;
use sqlx::PgPool;
use time::Duration;
use uuid::Uuid;
use webhook::domain::event::Event;
use webhook::domain::message::{Data, Listing, ListingKey, Message};
use webhook::store::messages;

use crate::support::{
    ADA, BOB, GAME, SITE, START, TAKEN, Webhook, game, numbered_game, page, start, tip,
};

pub(crate) struct Pulled {
    pub(crate) rows: Vec<WebhookMessage>,
    pub(crate) next: String,
    pub(crate) total: u64,
}

impl Pulled {
    pub(crate) fn events(&self) -> Vec<&str> {
        self.rows.iter().map(|row| row.event.as_str()).collect()
    }
}

pub(crate) fn all_of(account: Uuid) -> proto::ListMessagesRequest {
    proto::ListMessagesRequest {
        account_id: account.to_string(),
        mode: Mode::Live.into(),
        limit: 100,
        ..proto::ListMessagesRequest::default()
    }
}

pub(crate) fn after(account: Uuid, cursor: &str) -> proto::ListMessagesRequest {
    proto::ListMessagesRequest { after: cursor.to_owned(), ..all_of(account) }
}

pub(crate) async fn try_pull(
    service: &Webhook,
    request: proto::ListMessagesRequest,
) -> Result<Pulled, Fault> {
    let answer = service.messages.clone().list_messages(request).await?.into_inner();
    let page = answer.page.unwrap();
    Ok(Pulled {
        rows: serde_json::from_slice(&answer.json).unwrap(),
        next: page.next_cursor.unwrap(),
        total: page.total,
    })
}

pub(crate) async fn pull(service: &Webhook, request: proto::ListMessagesRequest) -> Pulled {
    try_pull(service, request).await.unwrap()
}

pub(crate) async fn refusal(service: &Webhook, request: proto::ListMessagesRequest) -> Fault {
    try_pull(service, request).await.map(|_| ()).unwrap_err()
}

/// Publishes games with these numbers, in one batch.
pub(crate) async fn publish(service: &Webhook, numbers: std::ops::Range<i64>) {
    let changes: Vec<_> = numbers
        .map(|seq| {
            let id = Uuid::from_u128(0x100 + u128::from(seq.unsigned_abs()));
            numbered_game(seq, "published", Published, id)
        })
        .collect();
    service.listings(&changes, TAKEN).await;
}

/// A message of a game, as a follower makes it.
fn message(number: u128) -> Message {
    let data = Data::Listing(Listing::game("kora", "Kora", "https://m.example/games/kora"));
    let listing = ListingKey { kind: "game", id: GAME };
    let (id, event) = (Uuid::from_u128(number), Event::ListingUpdated);
    Message::new(id, event, Some(listing), START, &data).unwrap()
}

pub(crate) async fn seeded(pool: PgPool) -> Webhook {
    let service = start(pool, &[]).await;
    let known = [page(1, "published", ADA), game(2, "published", Published)];
    service.listings(&known, TAKEN).await;
    service
}

#[testing::database_test(webhook::MIGRATOR)]
async fn a_caller_who_pulled_before_any_message_gets_the_first_one(pool: PgPool) {
    let service = start(pool, &[]).await;
    let none = pull(&service, all_of(ADA)).await;
    assert_eq!(none.total, 0);
    assert_eq!(pull(&service, after(ADA, &none.next)).await.next, none.next);
    service.listings(&[page(1, "published", ADA)], TAKEN).await;
    assert_eq!(pull(&service, after(ADA, &none.next)).await.total, 1);
}

#[testing::database_test(webhook::MIGRATOR)]
async fn messages_are_pulled_in_order_without_an_endpoint(pool: PgPool) {
    let service = seeded(pool).await;
    service.listings(&[game(3, "updated", Published)], TAKEN).await;
    let expected = ["listing.published", "listing.published", "listing.updated"];
    let all = pull(&service, all_of(ADA)).await;
    assert_eq!(all.events(), expected);
    assert_eq!(all.total, 3);
    let row = &all.rows[2];
    let body: serde_json::Value = serde_json::from_str(&row.body).unwrap();
    assert_eq!(body["id"], row.id.as_str());
    let shown = serde_json::to_value(row).unwrap();
    for field in ["event", "created_at", "data"] {
        assert_eq!(body[field], shown[field], "{field}");
    }
    let stored = sqlx::query_scalar!(
        "select body from webhook.message where id = $1",
        row.id.parse::<Uuid>().unwrap()
    )
    .fetch_one(&service.pool)
    .await
    .unwrap();
    assert_eq!(row.body.as_bytes(), stored);

    // The cursor of a page is that of its last message.
    let (mut cursor, mut seen) = (String::new(), Vec::new());
    for _ in 0..3 {
        let mut one = after(ADA, &cursor);
        one.limit = 1;
        let one = pull(&service, one).await;
        assert_eq!((one.rows.len(), &one.rows[0].cursor), (1, &one.next));
        cursor = one.next;
        seen.push(one.rows[0].id.clone());
    }
    let ids: Vec<String> = all.rows.iter().map(|row| row.id.clone()).collect();
    assert_eq!(seen, ids);
    assert_eq!(pull(&service, after(ADA, &all.rows[0].cursor)).await.total, 2);
    // Without new messages the same cursor comes back.
    for _ in 0..2 {
        let end = pull(&service, after(ADA, &cursor)).await;
        assert_eq!((end.rows.len(), end.total, &end.next), (0, 0, &cursor));
    }
    // A repeated change makes no message.
    service.listings(&[game(3, "updated", Published)], TAKEN).await;
    publish(&service, 4..7).await;
    let new = pull(&service, after(ADA, &cursor)).await;
    assert_eq!(new.events(), ["listing.published"; 3]);

    let filtered =
        proto::ListMessagesRequest { event: "listing.updated".to_owned(), ..all_of(ADA) };
    let filtered = pull(&service, filtered).await;
    assert_eq!(filtered.events(), ["listing.updated"]);
}

/// Two transactions make messages; the one that begins first commits last.
#[testing::database_test(webhook::MIGRATOR)]
async fn messages_are_in_commit_order(pool: PgPool) {
    let service = seeded(pool.clone()).await;
    let begin = pull(&service, all_of(ADA)).await.next;
    let mut slow = pool.begin().await.unwrap();
    messages::fan_out(&mut slow, &[message(1), message(2)], 6, &service.clock).await.unwrap();
    let mut tasks = tokio::task::JoinSet::new();
    let (other, clock) = (pool.clone(), service.clock.clone());
    tasks.spawn(async move {
        let mut quick = other.begin().await.unwrap();
        messages::fan_out(&mut quick, &[message(3)], 6, &clock).await.unwrap();
        quick.commit().await.unwrap();
    });
    // The second transaction waits for the first. Otherwise its message would be visible first, and a reader past it would miss the others.
    let is_waiting = async || {
        let waiting = sqlx::query_scalar!(
            r#"select count(*) as "count!" from pg_stat_activity
               where datname = current_database() and wait_event_type = 'Lock' and query like '%message_head%'"#
        );
        waiting.fetch_one(&pool).await.unwrap() > 0
    };
    testing::wait_until("the second waits for the first", is_waiting).await;
    assert_eq!(pull(&service, after(ADA, &begin)).await.total, 0);
    slow.commit().await.unwrap();
    tasks.join_next().await.unwrap().unwrap();
    let ids: Vec<Uuid> = pull(&service, after(ADA, &begin))
        .await
        .rows
        .iter()
        .map(|row| row.id.parse().unwrap())
        .collect();
    assert_eq!(ids, [1, 2, 3].map(Uuid::from_u128));

    // A rollback leaves no gap in the positions.
    let mut lost = pool.begin().await.unwrap();
    messages::fan_out(&mut lost, &[message(4)], 6, &service.clock).await.unwrap();
    lost.rollback().await.unwrap();
    let mut made = pool.begin().await.unwrap();
    messages::fan_out(&mut made, &[message(3), message(5)], 6, &service.clock).await.unwrap();
    made.commit().await.unwrap();
    let positions = sqlx::query_scalar!(
        r#"select position as "position!" from webhook.message where position is not null order by position"#
    ).fetch_all(&pool).await.unwrap();
    assert_eq!(positions, (1..=6).collect::<Vec<i64>>());
}

#[testing::database_test(webhook::MIGRATOR)]
async fn messages_of_removed_listings_are_not_pulled(pool: PgPool) {
    let service = seeded(pool).await;
    publish(&service, 3..4).await;
    service.listings(&[game(4, "removed", Removed)], TAKEN).await;
    let shown = pull(&service, all_of(BOB)).await;
    assert_eq!(shown.rows.len(), 2, "the page and the other game");
    // Test events go only to their endpoint.
    let endpoint = service.added(ADA, "https://hooks.example/", &["tip.paid"]).await;
    service.ping(ADA, endpoint).await;
    assert_eq!(pull(&service, after(BOB, &shown.next)).await.total, 0);
    assert_eq!(pull(&service, all_of(ADA)).await.total, 2);
}

#[testing::database_test(webhook::MIGRATOR)]
async fn a_tip_goes_to_the_owners_at_the_time_of_the_tip(pool: PgPool) {
    let service = seeded(pool).await;
    service.economy(&[tip(1, ADA), tip(2, BOB)]).await;
    let tips = async |account| {
        let request =
            proto::ListMessagesRequest { event: "tip.paid".to_owned(), ..all_of(account) };
        let tips = pull(&service, request).await.rows;
        tips.into_iter().map(|row| row.id).collect::<Vec<_>>()
    };
    let (first, second) = (tips(ADA).await, tips(BOB).await);
    assert_eq!((first.len(), second.len()), (1, 1));
    assert_ne!(first, second);
    assert_eq!(tips(Uuid::from_u128(0xf)).await, [""; 0]);
    // A message for other owners only moves the cursor.
    let at_end = pull(&service, all_of(BOB)).await.next;
    service.economy(&[tip(3, ADA)]).await;
    let moved = pull(&service, after(BOB, &at_end)).await;
    assert_eq!(moved.total, 0);
    assert_ne!(moved.next, at_end);
    assert_eq!(pull(&service, after(BOB, &moved.next)).await.next, moved.next);
}

#[testing::database_test(webhook::MIGRATOR)]
async fn the_samples_that_test_keys_pull_never_change(pool: PgPool) {
    let service = seeded(pool).await;
    let samples = |request| proto::ListMessagesRequest { mode: Mode::Test.into(), ..request };
    let all = pull(&service, samples(all_of(ADA))).await;
    service.clock.advance(Duration::days(90));
    let again = pull(&service, samples(all_of(ADA))).await;
    let texts = |pulled: &Pulled| serde_json::to_string(&pulled.rows).unwrap();
    assert_eq!(texts(&all), texts(&again));
    for row in &all.rows {
        let data: serde_json::Value = serde_json::from_str(row.data.get()).unwrap();
        let url = data["url"].as_str().unwrap();
        assert!(url.starts_with(SITE), "{url}");
    }
    let mut events = all.events();
    events.dedup();
    assert_eq!(events, ["listing.published", "listing.updated", "tip.paid", "ranking.moved"]);
    let end = pull(&service, samples(after(ADA, &all.next))).await;
    assert_eq!((end.total, &end.next), (0, &all.next));
    let (mut cursor, mut seen) = (String::new(), 0);
    loop {
        let mut few = samples(after(ADA, &cursor));
        few.limit = 5;
        let few = pull(&service, few).await;
        seen += few.rows.len();
        if few.next == cursor {
            break;
        }
        cursor = few.next;
    }
    assert_eq!(seen, all.rows.len());
    let now = proto::ListMessagesRequest { from_now: true, ..all_of(ADA) };
    assert_eq!(pull(&service, samples(now)).await.total, 0);
}
