//! An account's list of its listings, and games under pages that are not public.

use super::*;

#[testing::database_test(listings::MIGRATOR)]
async fn an_account_sees_the_states_of_its_listings(pool: PgPool) {
    let service = start_with_pages(pool).await;
    LIVE.game(&service, &game("A Game")).await.unwrap();
    service.clock.advance(time::Duration::SECOND);
    LIVE.event(&service, &event("A Jam")).await.unwrap();
    service.clock.advance(time::Duration::SECOND);
    let others = json!({"creator": "other", "title": "Not Hers"});
    Call { account: BOB, ..LIVE.clone() }.game(&service, &others).await.unwrap();
    let list = async |mode: Mode, limit: u32, cursor: &str| {
        let request = proto::ListOwnListingsRequest {
            account_id: ADA.to_string(),
            mode: mode.into(),
            page: Some(contracts::common::v1::PageRequest { limit, cursor: cursor.to_owned() }),
        };
        let answer = service.own.clone().list_own_listings(request).await?.into_inner();
        let rows: Vec<contracts::public::OwnListing> =
            serde_json::from_slice(&answer.json).unwrap();
        let rows: Vec<(String, String, String)> =
            rows.into_iter().map(|row| (row.kind, row.slug, row.status)).collect();
        Ok::<_, Status>((rows, answer.page.unwrap()))
    };
    let row = |kind: &str, slug: &str, status: &str| {
        (kind.to_owned(), slug.to_owned(), status.to_owned())
    };
    let (rows, page) = list(Mode::Live, 1, "").await.unwrap();
    assert_eq!((rows, page.total), (vec![row("event", "a-jam", "pending")], 2));
    let (rows, page) = list(Mode::Live, 1, &page.next_cursor.unwrap()).await.unwrap();
    assert_eq!((rows, page.next_cursor), (vec![row("game", "a-game", "pending")], None));
    let (rows, page) = list(Mode::Test, 0, "").await.unwrap();
    assert_eq!((rows.len(), page.total), (2, 2));
    let fault = Fault::from(list(Mode::Live, 1, "bad").await.unwrap_err());
    assert_eq!(fault.code, Code::Invalid);
}

async fn own_list(service: &Service) -> Vec<contracts::public::OwnListing> {
    let request = proto::ListOwnListingsRequest {
        account_id: ADA.to_string(),
        mode: Mode::Live.into(),
        page: None,
    };
    let answer = service.own.clone().list_own_listings(request).await;
    serde_json::from_slice(&answer.unwrap().into_inner().json).unwrap()
}

/// Sets the state of a page in the database.
async fn set_page_state(service: &Service, handle: &str, state: &str) {
    sqlx::query!(
        "update listings.listing set state = $2 where entity = 'page' and name = $1",
        handle,
        state
    )
    .execute(&service.pool)
    .await
    .unwrap();
}

#[testing::database_test(listings::MIGRATOR)]
async fn a_game_under_a_page_that_is_not_public_has_a_note(pool: PgPool) {
    let service = start_with_pages(pool).await;
    LIVE.game(&service, &game("A Game")).await.unwrap();
    assert_eq!(own_list(&service).await[0].note, None);
    for (state, word) in [("rejected", "rejected"), ("removed", "taken down")] {
        set_page_state(&service, "studio", state).await;
        let rows = own_list(&service).await;
        assert_eq!(rows.len(), 1, "{state}");
        let note = rows[0].note.as_deref().unwrap();
        assert!(note.contains(word) && note.contains("`studio`"), "{note}");
        // The owner may still change the game, and the response has the same note.
        let change = json!({ "tagline": state });
        let changed = LIVE.change_game(&service, "a-game", &change).await.unwrap();
        assert_eq!(changed.note, note);
        let back = json!({"creator": "second"});
        LIVE.change_game(&service, "a-game", &back).await.unwrap();
        let refused = LIVE.change_game(&service, "a-game", &json!({"creator": "studio"})).await;
        assert_eq!(code(refused), Code::NotYours);
        sqlx::query!(
            "update listings.listing as game set content = game.content || jsonb_build_object('page_id', page.id)
             from listings.listing as page
             where page.name = 'studio' and game.name = 'a-game' and game.mode = 'live' and page.mode = 'live'"
        )
        .execute(&service.pool)
        .await
        .unwrap();
    }
}

#[testing::database_test(listings::MIGRATOR)]
async fn nothing_is_submitted_under_a_removed_page(pool: PgPool) {
    let service = start_with_pages(pool).await;
    LIVE.game(&service, &game("A Game")).await.unwrap();
    set_state(&service, "a-game", "rejected").await;
    set_page_state(&service, "studio", "removed").await;
    set_page_state(&service, "samples", "removed").await;
    let dry = Call { dry_run: true, ..LIVE.clone() };
    let test = Call { mode: Mode::Test, ..LIVE.clone() };
    for call in [&LIVE, &dry, &test] {
        let fault = call.game(&service, &game("Another")).await.unwrap_err();
        assert_eq!(fault.code, Code::NotYours);
        assert!(fault.message.contains("taken down"), "{fault}");
    }
    let sample = json!({"creator": "samples", "title": "Another"});
    assert_eq!(code(test.game(&service, &sample).await), Code::NotYours);
    // A change of a rejected game resubmits it.
    let better = json!({"title": "Better"});
    for call in [&LIVE, &dry] {
        let changed = call.change_game(&service, "a-game", &better).await;
        let fault = changed.unwrap_err();
        assert!(fault.message.contains("taken down"), "{fault}");
    }
    // The game may move to another page of the account.
    let moved = json!({"title": "Better", "creator": "second"});
    let moved = LIVE.change_game(&service, "a-game", &moved).await.unwrap();
    assert_eq!((moved.state(), moved.note.as_str()), (proto::State::Pending, ""));
}
