//! The schema: batches, sweeps, and loading it back.

use std::sync::Arc;

use catalogue::domain::listing::Mode;
use catalogue::feeds::listings::Follower;
use catalogue::index::{CHUNK_ROWS, Catalogue, Document as _};
use catalogue::store::{Kind, Listings, rows};
use contracts::common::v1::Change;
use contracts::listings::v1::{City, State};
use contracts::public;
use futures::TryStreamExt as _;
use kit::feed::{Consumer as _, Stored};
use kit::pg::Schema;
use sqlx::PgPool;
use uuid::Uuid;

use crate::build::{
    EPOCH, change, country, event, event_change, game, game_change, genre, id, page, page_change,
};

fn stored(pool: &PgPool) -> Stored<Listings> {
    Stored::new(pool.clone(), Schema("catalogue"), "listings", Listings)
}

fn numbered(changes: Vec<Change>, from: i64) -> Vec<Change> {
    let place = |(mut change, seq): (Change, i64)| {
        change.seq = seq;
        change
    };
    changes.into_iter().zip(from..).map(place).collect()
}

/// What the newest rebuild marks its rows with.
async fn generation(pool: &PgPool) -> Uuid {
    let mut connection = pool.acquire().await.unwrap();
    let cursor = catalogue::store::cursor(&mut connection).await;
    cursor.unwrap().unwrap().generation
}

async fn ids(pool: &PgPool, kind: Kind, generation: Uuid) -> Vec<String> {
    let mut connection = pool.acquire().await.unwrap();
    let rows = rows(&mut connection, kind, generation);
    let mut ids: Vec<String> = rows.map_ok(|(id, _)| id).try_collect().await.unwrap();
    ids.sort();
    ids
}

fn one_of_each() -> Vec<Change> {
    let city = City {
        slug: "nairobi".to_owned(),
        ..City::default()
    };
    vec![
        change("genre", "puzzle", &genre("puzzle")),
        change("country", "KE", &country("KE")),
        change("city", "1", &city),
        page_change(&page(0)),
        game_change(&game(1)),
        event_change(&event(9)),
        change("happening-of-tomorrow", "x", &city),
    ]
}

async fn load(pool: &PgPool) -> (Arc<Catalogue>, Follower) {
    let catalogue = Arc::new(Catalogue::default());
    let follower = Follower::load(pool, Arc::clone(&catalogue), CHUNK_ROWS);
    let follower = follower.await.unwrap();
    (catalogue, follower)
}

#[sqlx::test]
async fn a_batch_is_taken_in_and_loaded_back(pool: PgPool) {
    let mut stored = stored(&pool);
    assert_eq!(stored.cursor().await.unwrap(), None);
    stored.start(EPOCH, 10, true).await.unwrap();
    let mut changes = one_of_each();
    // The same game twice in a batch: its last state stays.
    let mut renamed = game(1);
    renamed.title = "Renamed".to_owned();
    changes.extend([
        game_change(&game(2)),
        game_change(&game(2)),
        game_change(&renamed),
    ]);
    stored.apply(EPOCH, numbered(changes, 1)).await.unwrap();

    let (catalogue, mut follower) = load(&pool).await;
    let position = follower.cursor().await.unwrap().unwrap().position;
    assert_eq!((position.epoch, position.seq), (EPOCH, 10));
    let state = catalogue.snapshot().unwrap();
    assert_eq!(state.dataset(Mode::Live).games.len(), 2);
    assert_eq!(state.genres.keys(), ["puzzle"]);
    assert_eq!(state.countries(), ["KE"]);
    let row = state.dataset(Mode::Live).games.get("game-1").unwrap();
    let found: public::Game = row.text().parse().unwrap();
    assert_eq!(found.row.title, "Renamed");
    assert_eq!(state.dataset(Mode::Live).events.len(), 1);
    assert_eq!(state.dataset(Mode::Live).cities.len(), 1);

    // A later batch updates in place.
    let mut removed = game(1);
    removed.state = State::Removed.into();
    stored
        .apply(EPOCH, numbered(vec![game_change(&removed)], 11))
        .await
        .unwrap();
    let (catalogue, _) = load(&pool).await;
    assert!(
        catalogue
            .snapshot()
            .unwrap()
            .dataset(Mode::Live)
            .games
            .get("game-1")
            .is_none()
    );
}

#[sqlx::test]
async fn a_rebuild_sweeps_what_did_not_come_again(pool: PgPool) {
    let mut first = stored(&pool);
    first.cursor().await.unwrap();
    first.start(EPOCH, 7, true).await.unwrap();
    let mut changes = one_of_each();
    changes.push(game_change(&game(2)));
    first.apply(EPOCH, numbered(changes, 1)).await.unwrap();
    let old = generation(&pool).await;

    let restored = Uuid::from_u128(0xe1);
    let mut second = stored(&pool);
    second.cursor().await.unwrap();
    second.start(restored, 3, true).await.unwrap();
    second
        .apply(restored, numbered(vec![page_change(&page(0))], 1))
        .await
        .unwrap();
    // Half way: the new rows are no whole, so a replica that starts now answers nothing from them.
    assert_eq!(ids(&pool, Kind::Game, old).await.len(), 2);
    let (catalogue, mut follower) = load(&pool).await;
    assert!(catalogue.snapshot().is_err());
    let rest = numbered(
        vec![game_change(&game(2)), change("genre", "n", &genre("new"))],
        2,
    );
    follower.apply(restored, rest.clone()).await.unwrap();
    assert_eq!(
        catalogue
            .snapshot()
            .unwrap()
            .dataset(Mode::Live)
            .games
            .len(),
        1
    );

    second.apply(restored, rest).await.unwrap();
    let new = generation(&pool).await;
    assert_eq!(ids(&pool, Kind::Game, new).await, [id(2)]);
    assert_eq!(ids(&pool, Kind::Genre, new).await, ["n"]);
    for kind in Kind::IN_MEMORY {
        assert!(ids(&pool, kind, old).await.is_empty());
    }
}

#[sqlx::test]
async fn a_bad_change_is_refused_and_nothing_moves(pool: PgPool) {
    let mut stored = stored(&pool);
    stored.cursor().await.unwrap();
    stored.start(EPOCH, 2, true).await.unwrap();
    let mut bad = game(1);
    bad.mode = 0;
    let batch = numbered(vec![page_change(&page(0)), game_change(&bad)], 1);
    assert!(stored.apply(EPOCH, batch).await.is_err());
    assert!(
        ids(&pool, Kind::Page, generation(&pool).await)
            .await
            .is_empty()
    );
    assert_eq!(stored.cursor().await.unwrap().unwrap().position.seq, 0);
}
