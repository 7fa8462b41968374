//! Changes of submissions, and their preconditions.

use listings::store::accounts;

use super::*;

#[testing::database_test(listings::MIGRATOR)]
async fn a_change_of_a_public_game_is_published_at_once(pool: PgPool) {
    let service = start_with_pages(pool).await;
    let slug = LIVE.game(&service, &game("A Game")).await.unwrap().slug.unwrap();
    set_state(&service, &slug, "published").await;
    let (head, revisions) = (service.head().await, service.revisions().await);
    let changed = LIVE.change_game(&service, &slug, &json!({"tagline": "New"})).await.unwrap();
    assert_eq!(
        (changed.slug.as_deref(), changed.state()),
        (Some(slug.as_str()), proto::State::Published)
    );
    let again = LIVE
        .change_game(&service, &slug, &json!({"tagline": "New", "title": " A Game "}))
        .await
        .unwrap();
    assert_eq!(again.state(), proto::State::Published);
    assert_eq!(service.revisions().await, revisions + 1);
    let changes = service.changes(head).await;
    let told: Vec<(&str, bool)> =
        changes.iter().map(|change| (change.event.as_str(), change.announced)).collect();
    assert_eq!(told, [("updated", true)]);

    let stranger = Call { account: BOB, ..LIVE.clone() };
    let jam = LIVE.event(&service, &event("A Jam")).await.unwrap();
    let (jam, title) = (jam.slug.unwrap(), json!({"title": "x"}));
    for refused in [
        stranger.change_game(&service, &slug, &title).await,
        stranger.change_event(&service, &jam, &title).await,
    ] {
        assert_eq!(code(refused), Code::NotFound);
    }
    set_state(&service, &slug, "removed").await;
    assert_eq!(
        code(LIVE.change_game(&service, &slug, &json!({"tagline": "x"})).await),
        Code::NotFound
    );
}

#[testing::database_test(listings::MIGRATOR)]
async fn a_changed_rejected_listing_is_pending_again(pool: PgPool) {
    let service = start_with_pages(pool).await;
    let slug = LIVE.game(&service, &game("A Game")).await.unwrap().slug.unwrap();
    set_state(&service, &slug, "rejected").await;
    let same = LIVE.change_game(&service, &slug, &json!({"title": "A Game"})).await.unwrap();
    assert_eq!(same.state(), proto::State::Rejected);
    // A resubmission counts as a pending submission.
    for n in 0..MAX_PENDING {
        LIVE.event(&service, &event(&format!("Jam {n}"))).await.unwrap();
    }
    let full = LIVE.change_game(&service, &slug, &json!({"title": "Better"})).await;
    assert_eq!(code(full), Code::TooManyPending);
    sqlx::query!(
        "update listings.listing set state = 'published', waiting_since = null where name = 'jam-0'"
    )
    .execute(&service.pool)
    .await
    .unwrap();
    let better = LIVE.change_game(&service, &slug, &json!({"title": "Better"})).await.unwrap();
    assert_eq!(
        (better.slug.as_deref(), better.state()),
        (Some(slug.as_str()), proto::State::Pending)
    );
    let once_more = LIVE.change_game(&service, &slug, &json!({"title": "Best"})).await.unwrap();
    assert_eq!(
        once_more.state(),
        proto::State::Pending,
        "what waits may be changed while it waits"
    );
}

#[testing::database_test(listings::MIGRATOR)]
async fn a_resubmission_does_not_wait_for_the_account_that_submitted_the_listing(pool: PgPool) {
    let service = start_with_pages(pool.clone()).await;
    let submitted = LIVE.game(&service, &game("A Game")).await.unwrap();
    let slug = submitted.slug.unwrap();
    set_state(&service, &slug, "rejected").await;
    own(&service, "studio", BOB).await;
    let bob = Call { account: BOB, ..LIVE.clone() };
    // A submission of Ada holds her account like this, and may wait for the game.
    let mut submission = pool.begin().await.unwrap();
    let today = service.clock.now().date();
    let written = accounts::lock(&mut submission, ADA, today, 1).await;
    assert_eq!(written.unwrap(), 2);
    let change = json!({"title": "Better"});
    let better = bob.change_game(&service, &slug, &change).await.unwrap();
    assert_eq!(better.state(), proto::State::Pending);
}

#[testing::database_test(listings::MIGRATOR)]
async fn concurrent_changes_of_different_fields_are_all_kept(pool: PgPool) {
    let service = start_with_pages(pool.clone()).await;
    let other = start(pool).await;
    let slug = LIVE.game(&service, &game("A Game")).await.unwrap().slug.unwrap();
    let revisions = service.revisions().await;
    for n in 0..10 {
        let (title, tagline) =
            (json!({"title": format!("Title {n}")}), json!({"tagline": format!("Tagline {n}")}));
        let (one, two) = futures::join!(
            LIVE.change_game(&service, &slug, &title),
            LIVE.change_game(&other, &slug, &tagline)
        );
        assert!(one.is_ok() && two.is_ok(), "{one:?} {two:?}");
        let expected = (format!("Title {n}"), format!("Tagline {n}"));
        assert_eq!(title_and_tagline(&service, &slug).await, expected);
    }
    assert_eq!(service.revisions().await, revisions + 20);
    // The last write of a field wins, and both writes are revisions.
    let (first, second) = (json!({"tagline": "first"}), json!({"tagline": "second"}));
    let (one, two) = futures::join!(
        LIVE.change_game(&service, &slug, &first),
        LIVE.change_game(&other, &slug, &second)
    );
    assert!(one.is_ok() && two.is_ok());
    let newest = sqlx::query!(
        r#"select before ->> 'tagline' as "before!", after ->> 'tagline' as "after!" from listings.revision
           where after ? 'tagline' order by revision desc limit 2"#
    )
    .fetch_all(&service.pool)
    .await
    .unwrap();
    assert_eq!(newest[0].before, newest[1].after);
    assert_eq!(title_and_tagline(&service, &slug).await.1, newest[0].after);
    let written: BTreeSet<&str> = newest.iter().map(|row| row.after.as_str()).collect();
    assert_eq!(written, ["first", "second"].into());
}

#[testing::database_test(listings::MIGRATOR)]
async fn a_change_needs_a_revision_of_its_precondition(pool: PgPool) {
    let service = start_with_pages(pool).await;
    let made = LIVE.game(&service, &game("A Game")).await.unwrap();
    let slug = made.slug.clone().unwrap();
    let change = async |revisions: &[i64], tagline: &str| {
        let call = Call::at(revisions);
        call.change_game(&service, &slug, &json!({ "tagline": tagline })).await
    };
    let first = change(&[made.revision], "One.").await.unwrap();
    assert_eq!(first.revision, made.revision + 1);
    // An outdated revision or an empty list never matches, even for a change that changes nothing.
    for revisions in [&[made.revision][..], &[]] {
        for tagline in ["One.", "Two."] {
            let late = change(revisions, tagline).await;
            assert_eq!(code(late), Code::PreconditionFailed, "{revisions:?}");
        }
    }
    let several = [made.revision, first.revision];
    let second = change(&several, "Two.").await.unwrap();
    assert_eq!(second.revision, first.revision + 1);
    // Other reasons to refuse come before the precondition, and a dry run checks the precondition too.
    let bad = Call::at(&[]).change_game(&service, &slug, &json!({ "title": "" })).await;
    assert_eq!(code(bad), Code::Invalid);
    let dry = Call { dry_run: true, ..Call::at(&[first.revision]) };
    let dry = dry.change_game(&service, &slug, &json!({ "tagline": "Three." })).await;
    assert_eq!(code(dry), Code::PreconditionFailed);
    let event = LIVE.event(&service, &event("A Jam")).await.unwrap();
    let slug = event.slug.unwrap();
    let late = Call::at(&[event.revision + 1])
        .change_event(&service, &slug, &json!({ "description": "New." }))
        .await;
    assert_eq!(code(late), Code::PreconditionFailed);
}

#[testing::database_test(listings::MIGRATOR)]
async fn an_owner_can_send_back_credits_of_a_hidden_page(pool: PgPool) {
    let service = start_with_pages(pool).await;
    let made = LIVE.game(&service, &game("A Game")).await.unwrap();
    let slug = made.slug.unwrap();
    let change = async |credits: Value| {
        let body = json!({ "credits": credits });
        LIVE.change_game(&service, &slug, &body).await
    };
    let credits = async || {
        let request = proto::GetOwnListingRequest {
            account_id: ADA.to_string(),
            kind: "game".to_owned(),
            name: slug.clone(),
        };
        let found = service.own.clone().get_own_listing(request).await;
        match found.unwrap().into_inner().listing.unwrap() {
            proto::get_own_listing_response::Listing::Game(game) => game.credits,
            other => unreachable!("{other:?}"),
        }
    };
    let named = json!([{"handle": "other", "name": "Bob", "role": "Code"}, {"name": "Eve"}]);
    change(named).await.unwrap();
    let stored = credits().await;
    assert_eq!(stored[0].handle.as_deref(), Some("other"));
    assert_eq!((stored[1].name.as_str(), stored[1].handle.clone()), ("Eve", None));

    // Bob's page is taken down: a read returns no handle, and sending the credits back as read changes nothing.
    let name = (crate::review::listing_name("page", "other"), None);
    let client = &service.operator_client;
    let down = proto::Decision::TakeDown;
    crate::support::decide(client, down, name, "A reason").await.unwrap();
    let read = json!([{"handle": null, "name": "Bob", "role": "Code"}, {"handle": null, "name": "Eve", "role": ""}]);
    let before = change(read).await.unwrap();
    assert_eq!((before.revision, credits().await), (2, stored.clone()));
    change(json!([{"name": "Eve"}, {"name": "Bob", "role": "Code"}])).await.unwrap();
    assert_eq!(credits().await, [stored[1].clone(), stored[0].clone()]);
    // A new credit must name a public page.
    change(json!([])).await.unwrap();
    for handle in ["other", "nobody", "no\0ne"] {
        let refused = change(json!([{"handle": handle, "name": "Bob"}])).await;
        assert!(refused.unwrap_err().fields.contains_key("credits.0.handle"));
    }
}
