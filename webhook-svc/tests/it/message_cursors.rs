//! Where a caller starts to pull messages: at a cursor, at a time, or now.

use contracts::common::v1::{Change, Mode};
use contracts::listings::v1::State::Published;
use contracts::webhook::v1 as proto;
use kit::Code;
use kit::api::cursor::Binding;
use kit::api::timestamp;
use sqlx::PgPool;
use time::{Duration, OffsetDateTime};
use webhook::store::retention;

use crate::messages::{after, all_of, publish, pull, refusal, seeded};
use crate::support::{ADA, BOB, RETENTION, START, TAKEN, game};

#[testing::database_test(webhook::MIGRATOR)]
async fn a_cursor_of_another_query_is_refused(pool: PgPool) {
    let service = seeded(pool).await;
    let good = pull(&service, all_of(ADA)).await.next;
    let binding =
        Binding::new("messages", [Some(ADA.to_string().as_str()), Some("MODE_LIVE"), None]);
    let forged = |position: i64| binding.encode(&(position, 0)).unwrap();
    let (negative, last) = (forged(-1), forged(i64::MAX));
    let of_list = Binding::new("deliveries", []).encode(&(1, 1)).unwrap();
    let of_event =
        proto::ListMessagesRequest { event: "listing.updated".to_owned(), ..after(ADA, &good) };
    let of_mode = proto::ListMessagesRequest { mode: Mode::Test.into(), ..after(ADA, &good) };
    let mut bad: Vec<_> = ["%", "AAAA", "now", &good[1..], &negative, &last, &of_list]
        .into_iter()
        .map(|cursor| after(ADA, cursor))
        .collect();
    bad.extend([after(BOB, &good), of_event, of_mode]);
    for request in bad {
        let shown = format!("{request:?}");
        let fault = refusal(&service, request).await;
        assert_eq!(fault.code, Code::Invalid, "{shown}");
        assert!(fault.fields.contains_key("after"), "{shown}: {fault:?}");
    }
    let both = proto::ListMessagesRequest {
        event: "ping".to_owned(),
        limit: 101,
        from_now: true,
        ..after(ADA, &good)
    };
    let fault = refusal(&service, both).await;
    let fields: Vec<&str> = fault.fields.keys().map(String::as_str).collect();
    assert_eq!(fields, ["event", "limit", "since"]);
    let nobody = proto::ListMessagesRequest { account_id: "me".to_owned(), ..all_of(ADA) };
    assert_eq!(refusal(&service, nobody).await.code, Code::Invalid);
}

#[testing::database_test(webhook::MIGRATOR)]
async fn a_cursor_expires_a_day_after_its_messages(pool: PgPool) {
    let service = seeded(pool.clone()).await;
    let first = pull(&service, all_of(ADA)).await.rows[0].cursor.clone();
    service.clock.advance(RETENTION);
    publish(&service, 3..5).await;
    assert_eq!(pull(&service, after(ADA, &first)).await.total, 3);
    let end = pull(&service, all_of(ADA)).await.next;

    // A cursor that is a day past the retention still works.
    service.clock.advance(Duration::DAY);
    assert_eq!(pull(&service, all_of(ADA)).await.total, 2);
    let since = proto::ListMessagesRequest { since: Some(timestamp::encode(START)), ..all_of(ADA) };
    assert_eq!(pull(&service, since).await.total, 2);
    assert_eq!(pull(&service, after(ADA, &first)).await.total, 3);
    service.clock.advance(Duration::SECOND);
    let gone = refusal(&service, after(ADA, &first)).await;
    assert_eq!(gone.code, Code::Gone);
    assert!(gone.message.contains("30 days"), "{}", gone.message);
    assert_eq!(pull(&service, all_of(ADA)).await.total, 2);
    // A cursor at the end has lost no message, even when all messages have been removed.
    service.clock.advance(Duration::days(40));
    assert_eq!(pull(&service, after(ADA, &end)).await.next, end);
    let now = service.clock.now();
    retention::remove(&pool, now - RETENTION).await.unwrap();
    let left = sqlx::query_scalar!("select count(*) from webhook.message");
    assert_eq!(left.fetch_one(&pool).await.unwrap(), Some(0));
    assert_eq!(pull(&service, after(ADA, &end)).await.next, end);
    assert_eq!(refusal(&service, after(ADA, &first)).await.code, Code::Gone);
    assert_eq!(pull(&service, all_of(ADA)).await.total, 0);
    publish(&service, 5..6).await;
    assert_eq!(pull(&service, after(ADA, &end)).await.total, 1);
}

/// The database was restored to an earlier point, so that other messages get the same positions.
#[testing::database_test(webhook::MIGRATOR)]
async fn a_cursor_of_a_lost_history_is_refused(pool: PgPool) {
    let service = seeded(pool.clone()).await;
    publish(&service, 3..6).await;
    let all = pull(&service, all_of(ADA)).await;
    let lost = sqlx::query!(
        "with head as (update webhook.message_head set position = 2) delete from webhook.message where position > 2"
    );
    lost.execute(&pool).await.unwrap();
    let ahead = refusal(&service, after(ADA, &all.next)).await;
    assert_eq!(ahead.code, Code::Gone);
    publish(&service, 13..20).await;
    let replaced = refusal(&service, after(ADA, &all.next)).await;
    assert_eq!(replaced.code, Code::Gone);
    let before = pull(&service, after(ADA, &all.rows[1].cursor)).await;
    assert_eq!(before.total, 7);
}

/// The producer's PostgreSQL server has a clock that is a second ahead of this one's.
#[testing::database_test(webhook::MIGRATOR)]
async fn the_time_of_a_message_is_accepted_as_since(pool: PgPool) {
    let service = seeded(pool).await;
    let printed = START + Duration::SECOND;
    let change = Change { at: Some(timestamp::encode(printed)), ..game(3, "updated", Published) };
    service.listings(&[change], TAKEN).await;
    let request =
        proto::ListMessagesRequest { since: Some(timestamp::encode(printed)), ..all_of(ADA) };
    assert_eq!(pull(&service, request).await.total, 1);
}

#[testing::database_test(webhook::MIGRATOR)]
async fn a_caller_starts_at_a_time_or_now(pool: PgPool) {
    let service = seeded(pool).await;
    service.clock.advance(Duration::HOUR);
    publish(&service, 3..5).await;
    let since = async |since: OffsetDateTime| {
        let request =
            proto::ListMessagesRequest { since: Some(timestamp::encode(since)), ..all_of(ADA) };
        pull(&service, request).await.total
    };
    assert_eq!(since(START).await, 4);
    assert_eq!(since(START - Duration::weeks(9_000)).await, 4);
    assert_eq!(since(START + Duration::SECOND).await, 2);
    assert_eq!(since(START + Duration::HOUR).await, 2);
    assert_eq!(since(START + Duration::HOUR + Duration::seconds(5)).await, 0);
    let future = proto::ListMessagesRequest {
        since: Some(timestamp::encode(START + Duration::HOUR + Duration::seconds(6))),
        ..all_of(ADA)
    };
    let future = refusal(&service, future).await;
    assert!(future.fields["since"].contains("Your clock may be fast"), "{future:?}");
    let now = proto::ListMessagesRequest { from_now: true, ..all_of(ADA) };
    let now = pull(&service, now).await;
    assert_eq!(now.total, 0);
    publish(&service, 5..6).await;
    assert_eq!(pull(&service, after(ADA, &now.next)).await.total, 1);
}
