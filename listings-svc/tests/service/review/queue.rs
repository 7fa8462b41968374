//! The review queue.

use super::*;

#[testing::database_test(listings::MIGRATOR)]
async fn the_oldest_submission_comes_first(pool: PgPool) {
    let (service, _, review) = start_with_reviewer(pool).await;
    let accounts = service.accounts().await;
    accounts.page("one").await;
    for name in ["two", "three"] {
        service.clock.advance(time::Duration::MINUTE);
        accounts.game(name).await;
    }
    service.clock.advance(time::Duration::MINUTE);
    accounts.event("four").await;
    // An edit does not change the place in the queue.
    accounts.edit("two", serde_json::json!({"title": "Renamed"})).await;

    let mut found = Vec::new();
    let mut cursor = String::new();
    loop {
        let request =
            proto::ListQueueRequest { limit: 3, cursor, count: true, ..Default::default() };
        let answer = queue(&review, request).await;
        assert_eq!(answer.total, Some(4));
        found.extend(answer.items);
        cursor = answer.next_cursor;
        if cursor.is_empty() {
            break;
        }
    }
    assert_eq!(names(&found), ["one", "two", "three", "four"]);
    let two = &found[1];
    assert_eq!((two.title.as_str(), two.page.as_str(), two.revision), ("Renamed", "studio", 2));
    assert_eq!(two.page_state(), proto::State::Published);
    assert_eq!(two.submitter, accounts.account.to_string());
    assert!(two.waiting_since.is_some());

    let games =
        proto::ListQueueRequest { kind: "game".to_owned(), count: true, ..Default::default() };
    let games = queue(&review, games).await;
    assert_eq!(names(&games.items), ["two", "three"]);
    assert_eq!(games.total, Some(2));
    assert_eq!(queue(&review, proto::ListQueueRequest::default()).await.total, None);
}

#[testing::database_test(listings::MIGRATOR)]
async fn the_largest_page_is_followed_by_the_rest(pool: PgPool) {
    let (service, _, review) = start_with_reviewer(pool.clone()).await;
    service.accounts().await.event("first").await;
    let copies = "insert into listings.listing (
             id, entity, mode, state, state_at, revision, submitter, waiting_since, created_at, hidden_by_page, updated_at, content
         ) select gen_random_uuid(), entity, mode, state, state_at, revision, submitter, waiting_since, created_at, hidden_by_page, updated_at,
             content || jsonb_build_object('slug', 'copy-' || n)
         from listings.listing, generate_series(1, 100) as n where name = 'first'";
    sqlx::query(copies).execute(&pool).await.unwrap();
    let mut request = proto::ListQueueRequest { limit: 100, ..Default::default() };
    let first = queue(&review, request.clone()).await;
    assert_eq!(first.items.len(), 100);
    request.cursor = first.next_cursor;
    let rest = queue(&review, request).await;
    assert_eq!((rest.items.len(), rest.next_cursor.as_str()), (1, ""));
}

#[testing::database_test(listings::MIGRATOR)]
async fn only_live_listings_are_decided_on(pool: PgPool) {
    let (_service, ada, review) = start_with_reviewer(pool).await;
    let sample =
        proto::ListingName { mode: common::Mode::Test.into(), ..listing_name("game", "a") };
    let approved = decide(&ada.channel, proto::Decision::Approve, (sample, Some(1)), "").await;
    assert_eq!(Fault::from(approved.unwrap_err()).code, Code::NotFound);
    let kind = proto::ListQueueRequest { kind: "city".to_owned(), ..Default::default() };
    assert_eq!(fields(review.clone().list_queue(kind).await), ["kind"]);
    let page = proto::ListQueueRequest { limit: -1, cursor: "x".to_owned(), ..Default::default() };
    assert_eq!(fields(review.clone().list_queue(page).await), ["cursor", "limit"]);
}
