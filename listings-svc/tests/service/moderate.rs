//! Staff take listings down and restore them.

use contracts::common::v1 as common;
use contracts::listings::v1 as proto;
use kit::{Code, Fault};
use prost::Message as _;
use serde_json::json;
use sqlx::PgPool;
use tonic::Status;

use crate::support::{File, NOW, Service, counts, creator, decide, game, start};

fn listing_name(kind: &str, name: &str) -> proto::ListingName {
    proto::ListingName {
        kind: kind.to_owned(),
        mode: common::Mode::Live.into(),
        name: name.to_owned(),
    }
}

async fn show(service: &Service, kind: &str, name: &str) -> Result<proto::Listing, Status> {
    let request = proto::GetListingRequest { name: Some(listing_name(kind, name)) };
    let answer = service.listings.clone().get_listing(request).await?;
    Ok(answer.into_inner().listing.unwrap())
}

async fn take_down(
    service: &Service,
    name: proto::ListingName,
    reason: &str,
) -> Result<proto::Listing, Status> {
    let on = (name, None);
    let down = proto::Decision::TakeDown;
    let done = decide(&service.operator_client, down, on, reason).await?;
    Ok(done.listing.unwrap())
}

async fn restore(
    service: &Service,
    name: proto::ListingName,
    reason: &str,
) -> Result<proto::Listing, Status> {
    let on = (name, None);
    let restore = proto::Decision::Restore;
    let done = decide(&service.operator_client, restore, on, reason).await?;
    Ok(done.listing.unwrap())
}

/// A service with a page `studio`, a game `a-game` and an event `a-jam`.
async fn start_with_listings(pool: PgPool) -> Service {
    let service = start(pool).await;
    let event = json!({"slug": "a-jam", "title": "A Jam", "kind": "jam", "starts_at": "2026-07-01", "country_code": "NG", "city": "Lagos"});
    for (entity, row) in
        [("page", creator("studio")), ("game", game("a-game", "A Game")), ("event", event)]
    {
        assert_eq!(counts(&service.import(&File::rows(entity, &[row])).await), (1, 0, 0, 0));
    }
    service
}

const LISTED: [(&str, &str, &str); 3] =
    [("page", "studio", "A Studio"), ("game", "a-game", "A Game"), ("event", "a-jam", "A Jam")];

#[testing::database_test(listings::MIGRATOR)]
async fn each_kind_is_taken_down_and_restored_as_it_was(pool: PgPool) {
    let service = start_with_listings(pool).await;
    for (kind, name, title) in LISTED {
        let before = show(&service, kind, name).await.unwrap();
        assert_eq!((before.title.as_str(), before.revision), (title, 1));
        assert_eq!(before.state(), proto::State::Published);
        assert_eq!((before.actor_kind.as_str(), before.reason.as_str()), ("import", ""));
        let (seq, revisions) = (service.head().await, service.revisions().await);

        let removed =
            take_down(&service, listing_name(kind, name), " Its maker asked ").await.unwrap();
        assert_eq!(removed.state(), proto::State::Removed);
        assert_eq!((removed.revision, removed.actor_kind.as_str()), (2, "staff"));
        assert_eq!(removed.reason, "Its maker asked");
        assert_eq!(removed.changed_at, Some(kit::api::timestamp::encode(NOW)));
        // A second takedown changes nothing, not even the reason.
        let again = take_down(&service, listing_name(kind, name), "Twice").await;
        assert_eq!(again.unwrap(), removed);
        assert_eq!(show(&service, kind, name).await.unwrap(), removed);

        let restored = restore(&service, listing_name(kind, name), "").await.unwrap();
        assert_eq!(restored.state(), proto::State::Published);
        assert_eq!((restored.revision, restored.reason.as_str()), (3, ""));
        let again = restore(&service, listing_name(kind, name), "Twice").await;
        assert_eq!(again.unwrap(), restored);
        assert_eq!(service.revisions().await, revisions + 2);

        let changes = service.changes(seq).await;
        let events: Vec<(&str, &str, i64, bool)> = changes
            .iter()
            .filter(|c| c.entity == kind)
            .map(|c| (c.entity.as_str(), c.event.as_str(), c.revision, c.announced))
            .collect();
        assert_eq!(events, [(kind, "changed", 2, false), (kind, "changed", 3, false)]);
    }
}

#[testing::database_test(listings::MIGRATOR)]
async fn the_revision_has_the_old_state_and_the_reason(pool: PgPool) {
    let service = start_with_listings(pool).await;
    let before = service.head().await;
    take_down(&service, listing_name("game", "a-game"), "Stolen work").await.unwrap();
    let revision = sqlx::query!(
        "select revision, at, actor_kind, actor, reason, before, after from listings.revision
         where actor_kind = 'staff' order by revision desc limit 1"
    )
    .fetch_one(&service.pool)
    .await
    .unwrap();
    assert_eq!((revision.revision, revision.at), (2, NOW));
    assert_eq!((revision.actor_kind.as_str(), revision.actor.as_str()), ("staff", "operator"));
    assert_eq!(revision.reason.as_deref(), Some("Stolen work"));
    assert_eq!(revision.before.unwrap()["state"], "published");
    assert_eq!(revision.after["state"], "removed");
    let events = service.changes(before).await;
    let state = proto::Game::decode(&events[0].state[..]).unwrap();
    assert_eq!((state.state(), state.title.as_str()), (proto::State::Removed, "A Game"));

    // An import does not restore the game.
    let renamed = File::rows("game", &[game("a-game", "A Better Game")]);
    assert_eq!(counts(&service.import(&renamed).await), (0, 0, 1, 0));
    let listing = show(&service, "game", "a-game").await.unwrap();
    assert_eq!((listing.state(), listing.revision), (proto::State::Removed, 2));
}

#[testing::database_test(listings::MIGRATOR)]
async fn a_listing_that_was_never_public_is_not_taken_down(pool: PgPool) {
    let service = start_with_listings(pool).await;
    for state in ["pending", "rejected"] {
        sqlx::query!(
            "update listings.listing
             set state = $1, waiting_since = case when $1 = 'pending' then created_at end where entity = 'game'",
            state
        )
        .execute(&service.pool)
        .await
        .unwrap();
        let revisions = service.revisions().await;
        for outcome in [
            take_down(&service, listing_name("game", "a-game"), "Why").await,
            restore(&service, listing_name("game", "a-game"), "").await,
        ] {
            let fault = Fault::from(outcome.unwrap_err());
            assert!(fault.fields["name"].contains("Only a public listing"), "{fault:?}");
        }
        assert_eq!(service.revisions().await, revisions);
    }
}

#[testing::database_test(listings::MIGRATOR)]
async fn an_unknown_name_is_refused(pool: PgPool) {
    let service = start_with_listings(pool).await;
    let sample =
        proto::ListingName { mode: common::Mode::Test.into(), ..listing_name("game", "a-game") };
    for name in [sample, listing_name("game", "none"), listing_name("event", "a-game")] {
        let fault = Fault::from(take_down(&service, name, "Why").await.unwrap_err());
        assert_eq!(fault.code, Code::NotFound);
    }
    let shown = show(&service, "page", "nobody").await.unwrap_err();
    assert_eq!(Fault::from(shown).code, Code::NotFound);

    let nothing = proto::ListingName { kind: "city".to_owned(), mode: 0, name: "lagos".to_owned() };
    let listing_name = take_down(&service, nothing.clone(), "Why").await;
    let fault = Fault::from(listing_name.unwrap_err());
    assert!(fault.fields.keys().eq(["kind", "mode"]), "{fault:?}");
    let fault = Fault::from(take_down(&service, nothing, " ").await.unwrap_err());
    assert!(fault.fields.keys().eq(["reason"]), "{fault:?}");
}

#[testing::database_test(listings::MIGRATOR)]
async fn a_takedown_and_a_restore_of_a_sample_may_require_a_revision(pool: PgPool) {
    let service = start_with_listings(pool).await;
    service.import(&File::rows("page", &[creator("studio")]).test()).await;
    service.import(&File::rows("game", &[game("a-sample", "A Sample")]).test()).await;
    let sample =
        proto::ListingName { mode: common::Mode::Test.into(), ..listing_name("game", "a-sample") };
    let client = &service.operator_client;
    let longest = "x".repeat(500);
    let down = proto::Decision::TakeDown;
    let done = decide(client, down, (sample.clone(), Some(1)), &longest).await;
    let removed = done.unwrap().listing.unwrap();
    assert_eq!((removed.state(), removed.reason), (proto::State::Removed, longest));
    let restore = proto::Decision::Restore;
    let stale = decide(client, restore, (sample.clone(), Some(1)), "").await;
    let fault = Fault::from(stale.unwrap_err());
    assert!(fault.fields.keys().eq(["revision"]), "{fault:?}");
    let done = decide(client, restore, (sample, Some(2)), "").await;
    assert_eq!(done.unwrap().listing.unwrap().state(), proto::State::Published);
}
