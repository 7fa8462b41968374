//! Changes that cannot be applied are put aside, listed and retried.

use contracts::common::v1::staff_dead_letter_service_client::StaffDeadLetterServiceClient;
use contracts::common::v1::{Change, ListDeadLettersRequest, RetryDeadLettersRequest};
use kit::feed::{
    ChangeSource, DeadLetterService, NewestChange, PgConsumer, Projection, Retried, consume,
};
use kit::rpc::client::Client;
use kit::{Clock, Code, Fault, Lifecycle};
use sqlx::{PgConnection, PgPool};
use uuid::Uuid;

use super::support::{FEED, Fixture, Mirror, Note, SCHEMA};

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

/// The numbers of the changes, and whether their messages are due.
async fn letters(pool: &PgPool) -> Vec<(i64, String, bool)> {
    sqlx::query_as("select seq, id, message_due from kit.feed_dead_letter order by number")
        .fetch_all(pool)
        .await
        .unwrap()
}

async fn retry(fixture: &Fixture, projection: &impl Projection) -> Retried {
    let retried = FEED.retry(&fixture.pool, &fixture.client, projection, &[]);
    retried.await.unwrap()
}

async fn acted(pool: &PgPool) -> Vec<i64> {
    sqlx::query_scalar("select distinct seq from kit.taken where acted order by seq")
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
    assert_eq!(letters(&pool).await, [(2, "poison".to_owned(), true)]);

    // This version cannot apply it still.
    let retried = retry(&fixture, &Mirror).await;
    assert_eq!((retried.applied, retried.refused), (0, 1));
    let retried = retry(&fixture, &Cured).await;
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
    assert_eq!(letters(&pool).await, [(2, "too-long".to_owned(), false)]);

    sqlx::raw_sql("alter table kit.mirror drop constraint short")
        .execute(&pool)
        .await
        .unwrap();
    let retried = retry(&fixture, &Mirror).await;
    assert_eq!((retried.applied, retried.refused), (1, 0));
    assert_eq!(fixture.mirror().await, fixture.notes().await);
    assert_eq!(acted(&pool).await, [0; 0]);
}

#[testing::database_test]
async fn a_later_state_replaces_a_dead_letter(pool: PgPool) {
    let fixture = Fixture::start(&pool).await;
    fixture.follow();
    fixture.caught_up().await;
    let happened = Note::Happened("poison".to_owned());
    fixture.writer.write(happened).await.unwrap();
    fixture.set("poison").await;
    fixture.caught_up().await;
    let poison = |seq| (seq, "poison".to_owned(), true);
    assert_eq!(letters(&pool).await, [poison(1), poison(2)]);
    fixture.set("poison").await;
    fixture.caught_up().await;
    // No state replaces a one-off event.
    assert_eq!(letters(&pool).await, [poison(1), poison(3)]);

    let retried = retry(&fixture, &Cured).await;
    assert_eq!((retried.applied, retried.refused), (2, 0));
    assert_eq!(fixture.mirror().await, fixture.notes().await);
    assert_eq!(acted(&pool).await, [1, 3]);
    assert_eq!(letters(&pool).await, []);
}

#[testing::database_test]
async fn a_change_that_the_follower_reads_again_is_not_retried(pool: PgPool) {
    let fixture = Fixture::start(&pool).await;
    let following = fixture.follow_into(&pool);
    fixture.caught_up().await;
    fixture.set("poison").await;
    fixture.caught_up().await;
    following.stopping().cancel();
    let moved = "update kit.feed_cursor set seq = 0, last_row = null, effects_after = 1";
    sqlx::query(moved).execute(&pool).await.unwrap();
    let retried = retry(&fixture, &Cured).await;
    assert_eq!((retried.applied, retried.refused), (0, 1));
    assert_eq!(fixture.mirror().await, []);

    // Nothing is left of the change that was put aside.
    let removed = "update kit.feed_cursor set seq = 1; delete from kit.feed";
    sqlx::raw_sql(removed).execute(&pool).await.unwrap();
    let retried = retry(&fixture, &Cured).await;
    assert_eq!((retried.applied, retried.refused), (1, 0));
    assert_eq!(letters(&pool).await, []);
}

#[testing::database_test]
async fn a_change_with_a_large_state_is_retried(pool: PgPool) {
    let fixture = Fixture::start(&pool).await;
    let large = "
        insert into kit.feed (seq, entity, id, revision, event, announced, happening, at, state, request)
            values (1, 'note', 'poison', 1, 'set', true, false, now(), convert_to(repeat('x', 5000000), 'UTF8'), gen_random_uuid());
        update kit.feed_head set seq = 1";
    sqlx::raw_sql(large).execute(&pool).await.unwrap();
    fixture.follow();
    fixture.caught_up().await;
    assert_eq!(letters(&pool).await, [(1, "poison".to_owned(), false)]);
    let retried = retry(&fixture, &Cured).await;
    assert_eq!((retried.applied, retried.refused), (1, 0));
    assert_eq!(fixture.mirror().await, [("poison".to_owned(), 1)]);
}

/// A producer that cannot send one of its changes.
#[derive(Clone)]
struct Incomplete(Client);

impl ChangeSource for Incomplete {
    async fn newest(&self, entity: &str, id: &str, seq: i64) -> Result<NewestChange, Fault> {
        if id == "poison-1" {
            return Err(Fault::new(Code::Internal, "its message is too large"));
        }
        self.0.newest(entity, id, seq).await
    }
}

#[testing::database_test]
async fn a_change_that_cannot_be_read_stops_no_other(pool: PgPool) {
    let fixture = Fixture::start(&pool).await;
    fixture.follow();
    fixture.caught_up().await;
    for id in ["poison-1", "poison-2"] {
        fixture.set(id).await;
    }
    fixture.caught_up().await;
    let producer = Incomplete(fixture.client.clone());
    let retried = FEED.retry(&pool, &producer, &Cured, &[]).await.unwrap();
    assert_eq!((retried.applied, retried.refused), (1, 1));
    assert_eq!(letters(&pool).await, [(1, "poison-1".to_owned(), true)]);
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
    service.add("notes", fixture.client.clone(), Cured);
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
        let consumer = PgConsumer::new(pool.clone(), FEED, fixture.client.clone(), Mute);
        let following = consume(fixture.client.clone(), "mirror", consumer, None);
        lifecycle.spawn_background("mirror", following);
        lifecycle
    };
    let following = follow();
    fixture.caught_up().await;
    fixture.set("poison").await;
    fixture.caught_up().await;
    assert_eq!(letters(&pool).await, [(1, "poison".to_owned(), true)]);
    following.stopping().cancel();
    // As a migration that adds a column to a read model.
    sqlx::query(
        "update kit.feed_cursor set seq = 0, last_row = null, rebuilding_to = seq, effects_after = greatest(effects_after, seq),
             generation = gen_random_uuid()",
    )
    .execute(&pool)
    .await
    .unwrap();
    let _following = follow();
    fixture.caught_up().await;
    assert_eq!(letters(&pool).await, [(1, "poison".to_owned(), true)]);
    let retried = retry(&fixture, &Cured).await;
    assert_eq!((retried.applied, retried.refused), (1, 0));
    assert_eq!(fixture.mirror().await, fixture.notes().await);
    assert_eq!(acted(&pool).await, [1]);
    assert_eq!(letters(&pool).await, []);
}
