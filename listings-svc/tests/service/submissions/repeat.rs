//! Idempotency keys, dry runs, and test keys.

use super::*;

#[testing::database_test(listings::MIGRATOR)]
async fn a_repeated_call_is_replayed(pool: PgPool) {
    let service = start_with_pages(pool).await;
    // Enough for the game, the event and the dry run: a repeated call is not a write.
    let call = Call { writes_per_day: Some(3), ..Call::keyed("a-key") };
    assert_eq!(code(call.game(&service, &game("")).await), Code::Invalid);
    let first = call.game(&service, &game("A Game")).await.unwrap();
    assert!(!first.replayed, "a refusal frees the key");
    let again = call.game(&service, &game("A Game")).await.unwrap();
    assert_eq!(again, proto::Written { replayed: true, ..first.clone() });
    assert_eq!(code(call.game(&service, &game("Another")).await), Code::IdempotencyMismatch);
    // Bodies are compared as JSON, not byte by byte.
    let bytes = format!("  {}  ", game("A Game"));
    let spaced = call.game_of_bytes(&service, &bytes).await.unwrap();
    assert_eq!(spaced.slug, first.slug);
    assert!(spaced.replayed);
    // A key is scoped to its route, account and dataset.
    assert!(!call.event(&service, &event("A Jam")).await.unwrap().replayed);
    let dry = Call { dry_run: true, ..call.clone() };
    assert_eq!(dry.game(&service, &game("Another")).await.unwrap().slug, None);
    let bobs = Call { account: BOB, ..call.clone() };
    let body = json!({"creator": "other", "title": "A Game"});
    assert!(!bobs.game(&service, &body).await.unwrap().replayed);
    let forgotten = async || {
        let (pool, now) = (&service.pool, service.clock.now());
        kit::idempotency::delete_expired(pool, listings::SCHEMA, now).await
    };
    service.clock.advance(time::Duration::hours(24) - time::Duration::SECOND);
    assert_eq!(forgotten().await, Ok(0));
    service.clock.advance(time::Duration::SECOND);
    assert_eq!(forgotten().await, Ok(3), "those of Ada's game and event, and of Bob's game");
    let later = call.game(&service, &game("Another")).await.unwrap();
    assert_eq!((later.slug.as_deref(), later.replayed), (Some("another"), false));
}

#[testing::database_test(listings::MIGRATOR)]
async fn of_concurrent_calls_with_one_key_one_has_an_effect(pool: PgPool) {
    let service = start_with_pages(pool.clone()).await;
    let other = start(pool).await;
    let call = Call::keyed("a-key");
    let body = game("A Game");
    let calls = (0..20).map(|n| call.game(if n % 2 == 0 { &service } else { &other }, &body));
    let outcomes = join_all(calls).await;
    let made =
        outcomes.iter().filter(|outcome| outcome.as_ref().is_ok_and(|made| !made.replayed)).count();
    assert_eq!(made, 1);
    for outcome in outcomes {
        assert_eq!(outcome.unwrap().slug.as_deref(), Some("a-game"));
    }
}

#[testing::database_test(listings::MIGRATOR)]
async fn dry_runs_and_test_keys_check_everything_and_write_nothing(pool: PgPool) {
    let service = start_with_pages(pool).await;
    let slug = LIVE.game(&service, &game("A Game")).await.unwrap().slug.unwrap();
    let (head, revisions) = (service.head().await, service.revisions().await);
    let test = Call { mode: Mode::Test, ..LIVE.clone() };
    let dry = Call { dry_run: true, ..LIVE.clone() };
    let state = |outcome: WriteResult| {
        let written = outcome.unwrap();
        assert_eq!((written.slug.as_deref(), written.url.as_str()), (None, ""));
        written.state()
    };
    for call in [&test, &dry] {
        assert_eq!(state(call.game(&service, &game("New")).await), proto::State::Pending);
        assert_eq!(state(call.event(&service, &event("New")).await), proto::State::Pending);
        assert_eq!(code(call.game(&service, &game("")).await), Code::Invalid);
        let others = json!({"creator": "other", "title": "New"});
        assert_eq!(code(call.game(&service, &others).await), Code::NotYours);
        assert_eq!(code(call.change_game(&service, "nobodys", &json!({})).await), Code::NotFound);
    }
    let samples = json!({"creator": "samples", "title": "New"});
    assert_eq!(state(test.game(&service, &samples).await), proto::State::Pending);
    assert_eq!(code(dry.game(&service, &samples).await), Code::NotYours);
    // A live slug is not found with a test key, and a sample's slug is not found with a live key.
    let change = json!({"title": "Other"});
    assert_eq!(
        state(test.change_game(&service, "a-sample", &change).await),
        proto::State::Published
    );
    assert_eq!(
        state(test.change_event(&service, "a-sample-jam", &change).await),
        proto::State::Published
    );
    assert_eq!(code(test.change_game(&service, &slug, &change).await), Code::NotFound);
    assert_eq!(state(dry.change_game(&service, &slug, &change).await), proto::State::Pending);
    assert_eq!(code(dry.change_game(&service, "a-sample", &change).await), Code::NotFound);
    assert_eq!(
        code(test.change_game(&service, "a-sample", &json!({"slug": "x"})).await),
        Code::Invalid
    );
    // The limits also apply to a dry run.
    let none_left = Call { writes_per_day: Some(1), ..dry.clone() };
    assert_eq!(code(none_left.game(&service, &game("New")).await), Code::Limit);
    assert_eq!((service.head().await, service.revisions().await), (head, revisions));
}
