//! Changes that cannot be applied are put aside, listed and retried.

use contracts::common::v1::staff_dead_letter_service_client::StaffDeadLetterServiceClient;
use contracts::common::v1::{Change, ListDeadLettersRequest, RetryDeadLettersRequest};
use kit::feed::{
    DeadLetterService, PgConsumer, Projection, ProjectionContext, consume, project_changes,
};
use kit::{Clock, Lifecycle};
use sqlx::{PgConnection, PgPool};
use uuid::Uuid;

use super::support::{FEED, Fixture, Mirror, SCHEMA, tables};

/// A later version, which can decode every note.
#[derive(Debug, Clone, Copy)]
struct Cured;

impl Projection for Cured {
    type Row = Change;
    type Message = i64;

    fn row(&self, change: &Change) -> anyhow::Result<Option<Change>> {
        Ok(Some(change.clone()))
    }

    fn message(&self, change: &Change) -> anyhow::Result<Option<i64>> {
        Mirror.message(change)
    }

    async fn save(
        &self,
        connection: &mut PgConnection,
        generation: Uuid,
        rows: Vec<Change>,
    ) -> anyhow::Result<()> {
        Mirror.save(connection, generation, rows).await
    }

    async fn send(&self, connection: &mut PgConnection, seqs: Vec<i64>) -> anyhow::Result<()> {
        Mirror.send(connection, seqs).await
    }
}

async fn letters(pool: &PgPool) -> Vec<(i64, String, bool, bool)> {
    sqlx::query_as("select seq, id, row_due, message_due from kit.feed_dead_letter order by number")
        .fetch_all(pool)
        .await
        .unwrap()
}

async fn acted(pool: &PgPool) -> Vec<i64> {
    sqlx::query_scalar("select seq from kit.taken where acted order by seq")
        .fetch_all(pool)
        .await
        .unwrap()
}

#[testing::database_test]
async fn a_poisoned_change_stops_none_after_it(pool: PgPool) {
    let fixture = Fixture::start(&pool).await;
    fixture.follow();
    fixture.caught_up().await;
    for id in ["a", "poison", "b"] {
        fixture.set(id).await;
    }
    fixture.caught_up().await;
    assert_eq!(
        fixture.mirror().await,
        [("a".to_owned(), 1), ("b".to_owned(), 1)]
    );
    assert_eq!(letters(&pool).await, [(2, "poison".to_owned(), true, true)]);

    // This version cannot apply it still.
    let retried = FEED.retry(&pool, &Mirror, &[]).await.unwrap();
    assert_eq!((retried.applied, retried.refused), (0, 1));
    let retried = FEED.retry(&pool, &Cured, &[]).await.unwrap();
    assert_eq!((retried.applied, retried.refused), (1, 0));
    assert_eq!(fixture.mirror().await, fixture.notes().await);
    assert_eq!(acted(&pool).await, [1, 2, 3]);
    assert_eq!(letters(&pool).await, []);
}

#[testing::database_test]
async fn refused_data_stop_no_other_change_of_the_batch(pool: PgPool) {
    let fixture = Fixture::start(&pool).await;
    sqlx::raw_sql("alter table kit.mirror add constraint short check (length(id) < 5)")
        .execute(&pool)
        .await
        .unwrap();
    for id in ["a", "too-long", "b"] {
        fixture.set(id).await;
    }
    fixture.follow();
    fixture.caught_up().await;
    assert_eq!(fixture.mirror().await.len(), 2);
    // It is older than the follower: it becomes a row, and no message.
    assert_eq!(
        letters(&pool).await,
        [(2, "too-long".to_owned(), true, false)]
    );

    sqlx::raw_sql("alter table kit.mirror drop constraint short")
        .execute(&pool)
        .await
        .unwrap();
    let retried = FEED.retry(&pool, &Mirror, &[]).await.unwrap();
    assert_eq!((retried.applied, retried.refused), (1, 0));
    assert_eq!(fixture.mirror().await, fixture.notes().await);
    assert_eq!(acted(&pool).await, [0; 0]);
}

#[testing::database_test]
async fn a_later_state_stays_and_the_message_is_still_sent(pool: PgPool) {
    tables(&pool).await;
    let mut connection = pool.acquire().await.unwrap();
    let context = ProjectionContext {
        generation: Uuid::nil(),
        effects_after_seq: 0,
    };
    let change = |seq| Change {
        seq,
        revision: seq,
        entity: "note".to_owned(),
        id: "poison".to_owned(),
        announced: true,
        ..Change::default()
    };
    let first = project_changes(&mut connection, FEED, &Mirror, vec![change(1)], context);
    first.await.unwrap();
    // The later state can be applied.
    let second = project_changes(&mut connection, FEED, &Cured, vec![change(2)], context);
    second.await.unwrap();
    assert_eq!(
        letters(&pool).await,
        [(1, "poison".to_owned(), false, true)]
    );
    let mirrored = async || -> i64 {
        sqlx::query_scalar("select revision from kit.mirror")
            .fetch_one(&pool)
            .await
            .unwrap()
    };
    assert_eq!(mirrored().await, 2);
    let retried = FEED.retry(&pool, &Cured, &[]).await.unwrap();
    assert_eq!((retried.applied, retried.refused), (1, 0));
    assert_eq!(mirrored().await, 2, "the older state does not replace it");
    assert_eq!(letters(&pool).await, []);
}

#[testing::database_test]
async fn staff_list_and_retry_them(pool: PgPool) {
    let fixture = Fixture::start(&pool).await;
    sqlx::raw_sql(
        "create table kit.audit (id uuid, at timestamptz, member text, role text, action text, entity text, name text,
             refused boolean, details jsonb)",
    )
    .execute(&pool)
    .await
    .unwrap();
    fixture.follow();
    fixture.caught_up().await;
    for id in ["poison-1", "poison-2"] {
        fixture.set(id).await;
    }
    fixture.caught_up().await;

    let (lifecycle, _supervisor) = Lifecycle::new();
    let mut service = DeadLetterService::new(pool.clone(), SCHEMA, Clock::system());
    service.add("notes", Cured);
    let mut services = kit::rpc::server::services();
    services.add_service(service.into_server());
    let address = testing::serve(services, &lifecycle).await.unwrap();
    let client = testing::staff_client(&address, &lifecycle).unwrap();
    let mut staff = StaffDeadLetterServiceClient::new(client);
    let mut list = async || {
        let listed = staff.list_dead_letters(ListDeadLettersRequest::default());
        listed.await.unwrap().into_inner().dead_letters
    };
    let found = list().await;
    let of = |at: usize| (&*found[at].producer, found[at].seq, &*found[at].id);
    assert_eq!(
        (of(0), of(1)),
        (("notes", 1, "poison-1"), ("notes", 2, "poison-2"))
    );
    assert_eq!(found[0].reason, "this note is poisoned");
    assert_eq!(found.len(), 2);

    let client = testing::staff_client(&address, &lifecycle).unwrap();
    let mut retrying = StaffDeadLetterServiceClient::new(client);
    let request = RetryDeadLettersRequest {
        numbers: vec![found[1].number],
    };
    let retried = retrying.retry_dead_letters(request).await.unwrap();
    let retried = retried.into_inner();
    assert_eq!((retried.applied, retried.refused), (1, 0));
    assert_eq!(list().await.len(), 1);
    let audited: Vec<String> = sqlx::query_scalar("select action from kit.audit")
        .fetch_all(&pool)
        .await
        .unwrap();
    assert_eq!(audited, ["retry_dead_letters"]);
}

/// A version that cannot make the message of a poisoned note.
#[derive(Debug, Clone, Copy)]
struct Mute;

impl Projection for Mute {
    type Row = Change;
    type Message = i64;

    fn row(&self, change: &Change) -> anyhow::Result<Option<Change>> {
        Ok(Some(change.clone()))
    }

    fn message(&self, change: &Change) -> anyhow::Result<Option<i64>> {
        anyhow::ensure!(!change.id.starts_with("poison"), "this note is poisoned");
        Mirror.message(change)
    }

    async fn save(
        &self,
        connection: &mut PgConnection,
        generation: Uuid,
        rows: Vec<Change>,
    ) -> anyhow::Result<()> {
        Mirror.save(connection, generation, rows).await
    }
}

#[testing::database_test]
async fn a_rebuild_keeps_a_message_that_was_not_sent(pool: PgPool) {
    let fixture = Fixture::start(&pool).await;
    let follow = || {
        let (lifecycle, _) = Lifecycle::new();
        let consumer = PgConsumer::new(pool.clone(), FEED, Mute);
        let following = consume(fixture.client.clone(), "mirror", consumer, None);
        lifecycle.spawn_background("mirror", following);
        lifecycle
    };
    let following = follow();
    fixture.caught_up().await;
    fixture.set("poison").await;
    fixture.caught_up().await;
    assert_eq!(letters(&pool).await, [(1, "poison".to_owned(), true, true)]);
    following.stopping().cancel();
    // As a migration that adds a column to a read model.
    sqlx::query(
        "update kit.feed_cursor set seq = 0, last_row = null, rebuilding_to = seq, acts_after = greatest(acts_after, seq),
             generation = gen_random_uuid()",
    )
    .execute(&pool)
    .await
    .unwrap();
    let _following = follow();
    fixture.caught_up().await;
    assert_eq!(
        letters(&pool).await,
        [(1, "poison".to_owned(), false, true)]
    );
    let retried = FEED.retry(&pool, &Cured, &[]).await.unwrap();
    assert_eq!((retried.applied, retried.refused), (1, 0));
    assert_eq!(fixture.mirror().await, fixture.notes().await);
    assert_eq!(acted(&pool).await, [1]);
    assert_eq!(letters(&pool).await, []);
}
