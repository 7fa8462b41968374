//! The schema: batches, sweeps, and loading it back.

use std::fmt::Write as _;
use std::sync::Arc;

use catalogue::boards::VoteCounts;
use catalogue::domain::listing::Mode;
use catalogue::domain::rankings::{BoardKind, Hour, Window};
use catalogue::domain::tally::Tallies;
use catalogue::feeds::listings::Follower;
use catalogue::feeds::persist::Listings;
use catalogue::feeds::votes;
use catalogue::index::{CHUNK_ROWS, Catalogue, Document as _};
use catalogue::store::entity::{Row, rows};
use catalogue::store::load::{self, begin};
use contracts::catalogue::v1::Vote;
use contracts::common::v1::Change;
use contracts::listings::v1::{City, State};
use contracts::public;
use futures::TryStreamExt as _;
use kit::feed::{Consumer as _, PgConsumer};
use prost::Message as _;
use sqlx::{AssertSqlSafe, PgPool};
use uuid::Uuid;

use crate::build::{
    EPOCH, FEED, boards, change, country, event, event_change, game, game_change, genre, id, page,
    page_change, rebuild,
};

fn stored(pool: &PgPool) -> PgConsumer<Listings> {
    PgConsumer::new(pool.clone(), FEED, Listings)
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
    let cursor = load::cursor(&mut connection).await;
    cursor.unwrap().unwrap().generation
}

/// The ids of a kind that are marked with `generation`, with the changes that brought them.
async fn ids(pool: &PgPool, kind: &str, generation: Uuid) -> Vec<(String, i64)> {
    let mut connection = pool.acquire().await.unwrap();
    let rows: Vec<Row> = rows(&mut connection, generation)
        .try_collect()
        .await
        .unwrap();
    let rows = rows.into_iter().filter(|row| row.kind == kind);
    let mut ids: Vec<(String, i64)> = rows.map(|row| (row.id, row.seq)).collect();
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
        change("kind-of-tomorrow", "x", &city),
    ]
}

async fn start(pool: &PgPool) -> (Arc<Catalogue>, Follower) {
    let catalogue = Arc::new(Catalogue::default());
    let follower = Follower::load(pool, Arc::clone(&catalogue), boards(&catalogue), CHUNK_ROWS);
    let follower = follower.await.unwrap();
    (catalogue, follower)
}

#[testing::database_test(catalogue::MIGRATOR)]
async fn a_batch_is_taken_in_and_loaded_back(pool: PgPool) {
    let mut stored = stored(&pool);
    assert_eq!(stored.position().await.unwrap(), None);
    stored.begin_rebuild(rebuild(EPOCH, 10)).await.unwrap();
    let mut changes = one_of_each();
    // The same game twice in a batch: its last state stays.
    let mut renamed = game(1);
    renamed.title = "Renamed".to_owned();
    changes.extend([
        game_change(&game(2)),
        game_change(&game(2)),
        game_change(&renamed),
    ]);
    stored
        .handle_batch(EPOCH, numbered(changes, 1))
        .await
        .unwrap();

    let (catalogue, mut follower) = start(&pool).await;
    let position = follower.position().await.unwrap().unwrap();
    assert_eq!((position.epoch, position.seq), (EPOCH, 10));
    let state = catalogue.snapshot().unwrap();
    assert_eq!(state.dataset(Mode::Live).games.len(), 2);
    assert_eq!(state.genres.keys(), ["puzzle"]);
    assert_eq!(state.countries(), ["KE"]);
    let row = state.dataset(Mode::Live).games.get("game-1").unwrap();
    let found: public::Game = serde_json::from_slice(&row.text().json().await.unwrap()).unwrap();
    assert_eq!(found.row.title, "Renamed");
    assert_eq!(state.dataset(Mode::Live).events.len(), 1);
    assert_eq!(state.dataset(Mode::Live).cities.len(), 1);

    // A later batch updates in place.
    let mut removed = game(1);
    removed.state = State::Removed.into();
    stored
        .handle_batch(EPOCH, numbered(vec![game_change(&removed)], 11))
        .await
        .unwrap();
    let (catalogue, _) = start(&pool).await;
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

#[testing::database_test(catalogue::MIGRATOR)]
async fn a_rebuild_sweeps_what_did_not_come_again(pool: PgPool) {
    let mut first = stored(&pool);
    first.position().await.unwrap();
    first.begin_rebuild(rebuild(EPOCH, 7)).await.unwrap();
    let mut changes = one_of_each();
    changes.push(game_change(&game(2)));
    first
        .handle_batch(EPOCH, numbered(changes, 1))
        .await
        .unwrap();
    let old = generation(&pool).await;

    let restored = Uuid::from_u128(0xe1);
    let mut second = stored(&pool);
    second.position().await.unwrap();
    second.begin_rebuild(rebuild(restored, 3)).await.unwrap();
    second
        .handle_batch(restored, numbered(vec![page_change(&page(0))], 1))
        .await
        .unwrap();
    // Half way: the new rows are no whole, so a replica that starts now answers nothing from them.
    assert_eq!(ids(&pool, "game", old).await.len(), 2);
    let (catalogue, mut follower) = start(&pool).await;
    assert!(catalogue.snapshot().is_err());
    let rest = numbered(
        vec![game_change(&game(2)), change("genre", "n", &genre("new"))],
        2,
    );
    follower.handle_batch(restored, rest.clone()).await.unwrap();
    assert_eq!(
        catalogue
            .snapshot()
            .unwrap()
            .dataset(Mode::Live)
            .games
            .len(),
        1
    );

    second.handle_batch(restored, rest).await.unwrap();
    let new = generation(&pool).await;
    assert_eq!(ids(&pool, "game", new).await, [(id(2), 2)]);
    assert_eq!(ids(&pool, "genre", new).await, [("n".to_owned(), 3)]);
    for kind in ["genre", "country", "city", "page", "game", "event"] {
        assert!(ids(&pool, kind, old).await.is_empty());
    }
}

#[testing::database_test(catalogue::MIGRATOR)]
async fn a_kind_that_came_later_is_kept_for_the_version_that_knows_it(pool: PgPool) {
    let mut stored = stored(&pool);
    stored.position().await.unwrap();
    stored.begin_rebuild(rebuild(EPOCH, 7)).await.unwrap();
    let changes = numbered(one_of_each(), 1);
    stored.handle_batch(EPOCH, changes).await.unwrap();
    let kept = ids(&pool, "kind-of-tomorrow", generation(&pool).await).await;
    assert_eq!(kept, [("x".to_owned(), 7)]);
    assert_eq!(ids(&pool, "city", generation(&pool).await).await.len(), 1);
    assert!(start(&pool).await.0.snapshot().is_ok());
}

/// A game that decodes, and does not convert.
fn bad_game() -> Change {
    let mut bad = game(1);
    bad.created_at = None;
    game_change(&bad)
}

#[testing::database_test(catalogue::MIGRATOR)]
async fn a_change_that_does_not_convert_is_skipped_and_the_others_go_on(pool: PgPool) {
    let mut stored = stored(&pool);
    stored.position().await.unwrap();
    stored.begin_rebuild(rebuild(EPOCH, 3)).await.unwrap();
    let first = vec![page_change(&page(0)), game_change(&game(1)), bad_game()];
    stored
        .handle_batch(EPOCH, numbered(first, 1))
        .await
        .unwrap();
    // Its last good state stays, and a replica starts from it.
    assert_eq!(
        ids(&pool, "game", generation(&pool).await).await,
        [(id(1), 2)]
    );
    let (catalogue, _) = start(&pool).await;
    let snapshot = catalogue.snapshot().unwrap();
    assert_eq!(snapshot.dataset(Mode::Live).games.len(), 1);
    assert_eq!(snapshot.position.seq, 3);

    // A later state that does convert takes its place.
    let next = numbered(vec![game_change(&game(1)), game_change(&game(2))], 4);
    stored.handle_batch(EPOCH, next).await.unwrap();
    assert_eq!(
        ids(&pool, "game", generation(&pool).await).await,
        [(id(1), 4), (id(2), 5)]
    );
}

#[testing::database_test(catalogue::MIGRATOR)]
async fn a_stored_entity_that_does_not_convert_stops_no_replica(pool: PgPool) {
    let mut stored = stored(&pool);
    stored.position().await.unwrap();
    stored.begin_rebuild(rebuild(EPOCH, 2)).await.unwrap();
    let changes = vec![page_change(&page(0)), game_change(&game(1))];
    stored
        .handle_batch(EPOCH, numbered(changes, 1))
        .await
        .unwrap();
    sqlx::query!("update catalogue.entity set body = '\\xff' where kind = 'game'")
        .execute(&pool)
        .await
        .unwrap();
    let (catalogue, _) = start(&pool).await;
    let snapshot = catalogue.snapshot().unwrap();
    assert_eq!(snapshot.dataset(Mode::Live).creators.len(), 1);
    assert_eq!(snapshot.dataset(Mode::Live).games.len(), 0);
}

/// A vote on the catalogue's own feed.
#[expect(clippy::disallowed_methods, reason = "rows that no version writes")]
async fn insert_vote(pool: &PgPool, seq: i64, state: &[u8]) {
    let state = state.iter().fold(String::new(), |mut hex, byte| {
        write!(hex, "{byte:02x}").unwrap();
        hex
    });
    sqlx::raw_sql(AssertSqlSafe(format!(
        "insert into catalogue.feed (seq, entity, id, revision, event, announced, happening, at, request, state)
         values ({seq}, 'vote', '{seq}', 1, 'cast', false, true, now(), gen_random_uuid(), '\\x{state}');
         update catalogue.feed_head set seq = {seq}"
    )))
    .execute(pool)
    .await
    .unwrap();
}

#[testing::database_test(catalogue::MIGRATOR)]
async fn a_poisoned_vote_stops_no_start(pool: PgPool) {
    let vote = Vote {
        kind: "games".to_owned(),
        winner_id: Uuid::from_u128(1).to_string(),
        loser_id: Uuid::from_u128(2).to_string(),
        ..Vote::default()
    };
    insert_vote(&pool, 1, &[0xff]).await;
    insert_vote(&pool, 2, &vote.encode_to_vec()).await;
    votes::fold(&pool).await.unwrap();
    let votes = VoteCounts::load(&pool, Tallies::new(Hour(0)))
        .await
        .unwrap();
    let game = Uuid::from_u128(1);
    let record = (votes.tallies).record(BoardKind::Games, game, Window::All);
    assert_eq!((votes.position.seq, record.votes()), (2, 1));
}

#[testing::database_test(catalogue::MIGRATOR)]
async fn a_load_may_be_idle_for_longer_than_other_transactions(pool: PgPool) {
    let options = (*pool.connect_options()).clone();
    let options = options.options([("idle_in_transaction_session_timeout", "1ms")]);
    let impatient = pool.options().clone().connect_lazy_with(options);
    let mut load = begin(&impatient).await.unwrap();
    // The session is idle between the two statements, for about as long as that.
    let timeout =
        sqlx::query_scalar!("select current_setting('idle_in_transaction_session_timeout')");
    let timeout = timeout.fetch_one(&mut *load).await.unwrap();
    assert_eq!(timeout.as_deref(), Some("10min"));
}
