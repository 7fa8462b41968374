//! New games and events: their slugs, and the limits of an account.

use listings::store::accounts;

use super::*;

#[testing::database_test(listings::MIGRATOR)]
async fn a_submission_is_pending_under_its_own_slug(pool: PgPool) {
    let service = start_with_pages(pool).await;
    let head = service.head().await;
    let first = LIVE.game(&service, &game("Morabaraba!")).await.unwrap();
    assert_eq!(first.slug.as_deref(), Some("morabaraba"));
    assert_eq!(first.url, "https://mchezo.example/games/morabaraba");
    assert_eq!((first.state(), first.replayed), (proto::State::Pending, false));
    let second = LIVE.game(&service, &game("morabaraba")).await.unwrap();
    assert_eq!(second.slug.as_deref(), Some("morabaraba-2"));
    let nameless = LIVE.game(&service, &game("???")).await.unwrap();
    assert_eq!(nameless.slug.as_deref(), Some("game"));
    let jam = Call { account: BOB, ..LIVE.clone() }.event(&service, &event("A Jam")).await.unwrap();
    assert_eq!(jam.url, "https://mchezo.example/events/a-jam");

    let changes = service.changes(head).await;
    let told: Vec<(&str, &str, bool)> = (changes.iter())
        .map(|change| (change.entity.as_str(), change.event.as_str(), change.announced))
        .collect();
    assert_eq!(
        told,
        [
            ("game", "changed", false),
            ("game", "changed", false),
            ("game", "changed", false),
            ("event", "changed", false),
        ]
    );
    let listed = proto::Game::decode(&*changes[0].state).unwrap();
    assert_eq!((listed.state(), listed.release_year), (proto::State::Pending, 2026));
    let made = sqlx::query!(
        "select actor_kind, actor, before from listings.revision join listings.listing using (id)
         where entity = 'event' and actor_kind = 'account'"
    )
    .fetch_one(&service.pool)
    .await
    .unwrap();
    assert_eq!(
        (made.actor_kind, made.actor, made.before),
        ("account".to_owned(), BOB.to_string(), None)
    );
}

#[testing::database_test(listings::MIGRATOR)]
async fn reasons_to_refuse_have_an_order(pool: PgPool) {
    let service = start_with_pages(pool).await;
    let none_left = Call { writes_per_day: Some(0), ..LIVE.clone() };
    for n in 0..MAX_PENDING {
        LIVE.game(&service, &game(&format!("Game {n}"))).await.unwrap();
    }
    // Each call fixes the error of the call before it.
    let bad = json!({"creator": "other", "title": ""});
    let fault = none_left.change_game(&service, "nobodys", &bad).await.unwrap_err();
    assert_eq!(fault.code, Code::NotFound);
    let fault = none_left.game(&service, &bad).await.unwrap_err();
    assert_eq!((fault.code, fault.fields.len()), (Code::Invalid, 1));
    let others = json!({"creator": "other", "title": "A Game"});
    assert_eq!(code(none_left.game(&service, &others).await), Code::NotYours);
    assert_eq!(code(none_left.game(&service, &game("A Game")).await), Code::TooManyPending);
    set_state(&service, "game-0", "published").await;
    let fault = none_left.game(&service, &game("A Game")).await.unwrap_err();
    // The clock shows noon, 12 hours before the reset.
    assert_eq!((fault.code, fault.retry_after), (Code::Limit, Some(12 * 3_600)));
    assert!(LIVE.game(&service, &game("A Game")).await.is_ok());
}

#[testing::database_test(listings::MIGRATOR)]
async fn writes_of_a_transaction_that_began_the_day_before_do_not_reset_the_day(pool: PgPool) {
    let today = time::macros::date!(2026 - 06 - 15);
    let mut connection = pool.acquire().await.unwrap();
    let mut sums = Vec::new();
    for day in [1, 0, 1, 0, 2] {
        let day = today + time::Duration::days(day);
        let sum = accounts::lock(&mut connection, ADA, day, 1).await.unwrap();
        let shown = accounts::writes_on(&mut *connection, ADA, day).await;
        assert_eq!(shown.unwrap(), sum, "{day}");
        sums.push(sum);
    }
    assert_eq!(sums, [1, 2, 3, 4, 1]);
    let next_day = today + time::Duration::days(3);
    let shown = accounts::writes_on(&mut *connection, ADA, next_day).await;
    assert_eq!(shown.unwrap(), 0);
}

#[testing::database_test(listings::MIGRATOR)]
async fn submissions_of_a_page_that_an_account_no_longer_owns_do_not_count(pool: PgPool) {
    let service = start_with_pages(pool).await;
    for n in 0..MAX_PENDING {
        let game = game(&format!("Game {n}"));
        LIVE.game(&service, &game).await.unwrap();
    }
    let refused = LIVE.event(&service, &event("A Jam")).await;
    assert_eq!(code(refused), Code::TooManyPending);
    sqlx::query!(
        "delete from listings.page_owner using listings.listing
         where listing.id = page_owner.page_id and name = 'studio' and account_id = $1",
        ADA
    )
    .execute(&service.pool)
    .await
    .unwrap();
    LIVE.event(&service, &event("A Jam")).await.unwrap();
}

#[testing::database_test(listings::MIGRATOR)]
async fn a_test_key_may_credit_live_pages_and_samples(pool: PgPool) {
    let service = start_with_pages(pool).await;
    let test = Call { mode: Mode::Test, ..LIVE.clone() };
    let credited = |handle: &str| {
        let mut body = game("A Game");
        body["credits"] = json!([{"name": "A", "handle": handle}]);
        body
    };
    for handle in ["studio", "other"] {
        for call in [&test, &LIVE] {
            call.game(&service, &credited(handle)).await.unwrap();
        }
    }
    // Only samples may credit a sample.
    test.game(&service, &credited("samples")).await.unwrap();
    let refused = LIVE.game(&service, &credited("samples")).await.unwrap_err();
    assert!(refused.fields.keys().eq(["credits.0.handle"]), "{refused}");
}

#[testing::database_test(listings::MIGRATOR)]
async fn the_creator_must_be_a_page_of_the_account(pool: PgPool) {
    let service = start_with_pages(pool).await;
    for handle in ["nobody", "other", "samples", "Studio"] {
        let body = json!({"creator": handle, "title": "A Game"});
        assert_eq!(code(LIVE.game(&service, &body).await), Code::NotYours, "{handle}");
    }
    let body = json!({"creator": {"handle": "second", "name": "A Studio"}, "title": "A Game"});
    let slug = LIVE.game(&service, &body).await.unwrap().slug.unwrap();
    let moved = LIVE.change_game(&service, &slug, &json!({"creator": "studio"})).await;
    assert!(moved.is_ok());
    let removed = LIVE.change_game(&service, &slug, &json!({"creator": "other"})).await;
    assert_eq!(code(removed), Code::NotYours);
    sqlx::query!("update listings.listing set state = 'rejected' where name = 'studio'")
        .execute(&service.pool)
        .await
        .unwrap();
    assert_eq!(code(LIVE.game(&service, &game("Another")).await), Code::NotYours);
}

#[testing::database_test(listings::MIGRATOR)]
async fn concurrent_submissions_are_accepted_up_to_the_limit(pool: PgPool) {
    let service = start_with_pages(pool.clone()).await;
    let other = start(pool).await;
    let calls = (0..60).map(|n| {
        let service = if n % 2 == 0 { &service } else { &other };
        async move {
            match n % 3 {
                0 => LIVE.event(service, &event("The Same")).await,
                _ => LIVE.game(service, &game("The Same")).await,
            }
        }
    });
    let outcomes = join_all(calls).await;
    let taken = outcomes.iter().filter(|outcome| outcome.is_ok()).count();
    assert_eq!(i64::try_from(taken).unwrap(), MAX_PENDING);
    for fault in outcomes.into_iter().filter_map(Result::err) {
        assert_eq!(fault.code, Code::TooManyPending, "{fault}");
    }
    let rows = sqlx::query_scalar!(
        r#"select count(*) as "count!" from listings.listing where state = 'pending'"#
    );
    assert_eq!(rows.fetch_one(&service.pool).await.unwrap(), MAX_PENDING);
}

#[testing::database_test(listings::MIGRATOR)]
async fn concurrent_writes_are_accepted_up_to_the_daily_limit(pool: PgPool) {
    let service = start_with_pages(pool.clone()).await;
    let other = start(pool).await;
    let slug = LIVE.game(&service, &game("A Game")).await.unwrap().slug.unwrap();
    let call = Call { writes_per_day: Some(20), ..LIVE.clone() };
    // Submitting the game used one of the 20 writes.
    let changes = (0..40).map(|n| {
        let service = if n % 2 == 0 { &service } else { &other };
        let (call, slug) = (&call, &slug);
        async move { call.change_game(service, slug, &json!({"tagline": format!("{n}")})).await }
    });
    let outcomes = join_all(changes).await;
    assert_eq!(outcomes.iter().filter(|outcome| outcome.is_ok()).count(), 19);
    for fault in outcomes.into_iter().filter_map(Result::err) {
        assert_eq!(fault.code, Code::Limit, "{fault}");
    }
    // A refused write uses nothing, and the count resets at 00:00 UTC.
    service.clock.advance(time::Duration::hours(12) - time::Duration::MILLISECOND);
    let late = call.change_game(&service, &slug, &json!({"tagline": "late"})).await.unwrap_err();
    assert_eq!((late.code, late.retry_after), (Code::Limit, Some(1)));
    service.clock.advance(time::Duration::MILLISECOND);
    assert!(call.change_game(&service, &slug, &json!({"tagline": "new"})).await.is_ok());
}

#[testing::database_test(listings::MIGRATOR)]
async fn concurrent_submissions_of_one_title_get_distinct_slugs(pool: PgPool) {
    let service = start_with_pages(pool.clone()).await;
    let other = start(pool).await;
    let accounts: Vec<Uuid> = (100..140).map(Uuid::from_u128).collect();
    let calls = accounts.iter().enumerate().map(|(n, account)| {
        let service = if n % 2 == 0 { &service } else { &other };
        let call = Call { account: *account, ..LIVE.clone() };
        async move { call.event(service, &event("One Title")).await.unwrap().slug.unwrap() }
    });
    let slugs: BTreeSet<String> = join_all(calls).await.into_iter().collect();
    let expected: BTreeSet<String> = (1..=40)
        .map(|n| if n == 1 { "one-title".to_owned() } else { format!("one-title-{n}") })
        .collect();
    assert_eq!(slugs, expected);
}

#[testing::database_test(listings::MIGRATOR)]
async fn titles_with_overlapping_candidate_slugs_get_distinct_slugs(pool: PgPool) {
    let service = start_with_pages(pool).await;
    let bases =
        ["a", "b", "c", "d", "e", "f", "g", "h", "i", "j"].map(|name| format!("fest-{name}"));
    // For each base, the slug with 8 is free, and all from 10 on.
    let taken: Vec<Value> = (bases.iter())
        .flat_map(|base| {
            let numbered = [2, 3, 4, 5, 6, 7, 9].map(|n| format!("{base}-{n}"));
            std::iter::once(base.clone()).chain(numbered)
        })
        .map(|slug| {
            let mut row = event("A Fest");
            row["slug"] = json!(slug);
            row
        })
        .collect();
    service.import(&File::rows("event", &taken)).await;

    let titles = bases.iter().flat_map(|base| [format!("{base} 8"), base.clone()]);
    let calls = titles.zip(100..).map(|(title, account)| {
        let call = Call { account: Uuid::from_u128(account), ..LIVE.clone() };
        let service = &service;
        async move { call.event(service, &event(&title)).await.unwrap().slug.unwrap() }
    });
    let slugs: BTreeSet<String> = join_all(calls).await.into_iter().collect();
    assert_eq!(slugs.len(), 20);
    for base in bases {
        let of_both = [format!("{base}-10"), format!("{base}-8-2")];
        assert!(slugs.contains(&format!("{base}-8")), "{slugs:?}");
        assert!(of_both.iter().any(|slug| slugs.contains(slug)), "{slugs:?}");
    }
}
