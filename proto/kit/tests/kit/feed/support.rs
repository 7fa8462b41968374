//! A small producer of notes, and a follower that mirrors them.

use contracts::common::v1::Change;
use kit::feed::{
    CONSUMER_TABLES, HighWaterMark, NewChange, PRODUCER_TABLES, PgConsumer, Producer, Projection,
    Retention, Subscription, consume,
};
use kit::jobs::LEASE_TABLE;
use kit::jobs::Leader;
use kit::pg::Schema;
use kit::rpc::client::Client;
use kit::{Clock, Code, Fault, Lifecycle};
use sqlx::postgres::PgPoolOptions;
use sqlx::{Connection as _, PgConnection, PgPool};
use uuid::Uuid;

pub(crate) const SCHEMA: Schema = Schema("kit");

/// The notes of the producer, their mirror at the follower, and a row for each change that the follower has applied.
const MIRROR: &str = "
    create table kit.note (id text primary key, revision bigint not null);
    create table kit.mirror (id text primary key, revision bigint not null, generation uuid not null);
    create table kit.taken (seq bigint not null, id text not null, happening boolean not null, acted boolean not null);";

pub(crate) async fn tables(pool: &PgPool) {
    let sql =
        format!("create schema kit; {PRODUCER_TABLES} {CONSUMER_TABLES} {LEASE_TABLE} {MIRROR}");
    sqlx::raw_sql(sqlx::AssertSqlSafe(sql)).execute(pool).await.unwrap();
}

/// A write to the producer.
#[derive(Debug, Clone)]
pub(crate) enum Note {
    /// Increments the revision of a note.
    Set(String),
    /// Publishes a one-off event of a note.
    Happened(String),
    /// A statement that PostgreSQL rejects.
    Bad,
    /// A write that the producer rejects.
    Refused,
    Nothing,
}

/// Makes a write inside a transaction. Returns the revision of the note, and the changes to publish.
pub(crate) async fn apply(
    connection: &mut PgConnection,
    note: &Note,
) -> Result<(i64, Vec<NewChange>), Fault> {
    match note {
        Note::Set(id) => {
            let revision = sqlx::query_scalar(
                "insert into kit.note values ($1, 1) on conflict (id) do update set revision = note.revision + 1
                 returning revision",
            )
            .bind(id)
            .fetch_one(connection)
            .await?;
            Ok((revision, vec![change(id, revision, false)]))
        }
        Note::Happened(id) => Ok((0, vec![change(id, 0, true)])),
        Note::Bad => {
            sqlx::query("insert into kit.note values ('bad', null)").execute(connection).await?;
            unreachable!("PostgreSQL refuses it")
        }
        Note::Refused => Err(Fault::new(Code::Invalid, "no")),
        Note::Nothing => Ok((0, Vec::new())),
    }
}

pub(crate) fn change(id: &str, revision: i64, happening: bool) -> NewChange {
    NewChange {
        entity: "note",
        id: id.to_owned(),
        revision,
        event: "set",
        announced: true,
        happening,
        state: b"it's a 'state' \\ with quotes".to_vec(),
    }
}

/// A running producer and a client for its followers.
pub(crate) struct Fixture {
    pub(crate) pool: PgPool,
    pub(crate) producer: Producer,
    pub(crate) client: Client,
    pub(crate) lifecycle: Lifecycle,
    pub(crate) clock: Clock,
}

/// Each producer has its own pool, as in a separate process: connections end with the threads that opened them.
pub(crate) fn own_pool(pool: &PgPool) -> PgPool {
    PgPoolOptions::new()
        .acquire_timeout(testing::LONG)
        // As in production. The ping also sends the rollback of a dropped transaction.
        .after_release(|connection, _| Box::pin(async { connection.ping().await.map(|()| true) }))
        .connect_lazy_with((*pool.connect_options()).clone())
}

impl Fixture {
    pub(crate) async fn start(pool: &PgPool) -> Self {
        tables(pool).await;
        Self::again(pool).await
    }

    /// Another replica, or the same one after a restart.
    pub(crate) async fn again(pool: &PgPool) -> Self {
        Self::on(pool, None, own_pool(pool)).await
    }

    /// A producer that uses `own`, a pool of the same database.
    pub(crate) async fn over(pool: &PgPool, own: PgPool) -> Self {
        tables(pool).await;
        Self::on(pool, None, own).await
    }

    pub(crate) async fn publishing(pool: &PgPool, mark: &HighWaterMark) -> Self {
        Self::on(pool, Some(mark), own_pool(pool)).await
    }

    async fn on(pool: &PgPool, mark: Option<&HighWaterMark>, own: PgPool) -> Self {
        let (lifecycle, _) = Lifecycle::new();
        let clock = Clock::system();
        let leader = Leader::start(&lifecycle, own, SCHEMA, clock.clone());
        let producer = Producer::start(&leader, &lifecycle, Retention::default());
        let producer = match mark {
            Some(mark) => producer.publish_to(mark.clone()),
            None => producer,
        };
        let mut services = kit::rpc::server::services();
        services.add_service(producer.service());
        let address = testing::serve(services, &lifecycle).await.unwrap();
        let client = testing::client(&address, &lifecycle).unwrap();
        Self { pool: pool.clone(), producer, client, lifecycle, clock }
    }

    /// Makes a write; returns the revision of the note.
    pub(crate) async fn write(&self, note: Note) -> Result<i64, Fault> {
        let mut transaction = self.producer.begin().await?;
        let (revision, changes) = apply(&mut transaction, &note).await?;
        transaction.commit(&changes).await?;
        Ok(revision)
    }

    pub(crate) async fn set(&self, id: &str) -> i64 {
        self.write(Note::Set(id.to_owned())).await.unwrap()
    }

    pub(crate) async fn head(&self) -> i64 {
        sqlx::query_scalar("select seq from kit.feed_head").fetch_one(&self.pool).await.unwrap()
    }

    pub(crate) fn follow(&self) {
        let consumer = PgConsumer::new(self.pool.clone(), FEED, Mirror);
        let following = consume(self.client.clone(), "mirror", consumer, None);
        self.lifecycle.spawn_background("mirror", following);
    }

    /// Follows the feed into the mirror of another database, until the returned lifecycle stops.
    pub(crate) fn follow_into(&self, pool: &PgPool) -> Lifecycle {
        let (lifecycle, _) = Lifecycle::new();
        let consumer = PgConsumer::new(pool.clone(), FEED, Mirror);
        let following = consume(self.client.clone(), "mirror", consumer, None);
        lifecycle.spawn_background("mirror", following);
        lifecycle
    }

    pub(crate) async fn notes(&self) -> Vec<(String, i64)> {
        sqlx::query_as("select id, revision from kit.note order by id")
            .fetch_all(&self.pool)
            .await
            .unwrap()
    }

    pub(crate) async fn mirror(&self) -> Vec<(String, i64)> {
        sqlx::query_as("select id, revision from kit.mirror order by id")
            .fetch_all(&self.pool)
            .await
            .unwrap()
    }

    /// Waits until the mirror has applied all changes.
    pub(crate) async fn caught_up(&self) {
        testing::wait_until("the follower has caught up", async || {
            sqlx::query_scalar(
                "select exists (select from kit.feed_cursor c join kit.feed_head h using (epoch, seq) where rebuilding_to is null)",
            )
            .fetch_one(&self.pool)
            .await
            .unwrap()
        })
        .await;
    }
}

impl Drop for Fixture {
    fn drop(&mut self) {
        self.lifecycle.draining().cancel();
        self.lifecycle.stopping().cancel();
    }
}

/// The projection of the follower: mirrors the notes, and records every change.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Mirror;

pub(crate) const FEED: Subscription = Subscription { schema: SCHEMA, producer: "notes" };

impl Projection for Mirror {
    type Row = Change;
    type Message = i64;

    const TABLES: &'static [&'static str] = &["mirror"];

    fn row(&self, change: &Change) -> anyhow::Result<Option<Change>> {
        anyhow::ensure!(!change.id.starts_with("poison"), "this note is poisoned");
        Ok(Some(change.clone()))
    }

    fn message(&self, change: &Change) -> anyhow::Result<Option<i64>> {
        Ok(Some(change.seq))
    }

    async fn save(
        &self,
        connection: &mut PgConnection,
        generation: Uuid,
        rows: Vec<Change>,
    ) -> anyhow::Result<()> {
        for change in rows {
            sqlx::query("insert into kit.taken values ($1, $2, $3, false)")
                .bind(change.seq)
                .bind(&change.id)
                .bind(change.happening)
                .execute(&mut *connection)
                .await?;
            if change.happening {
                continue;
            }
            sqlx::query(
                "insert into kit.mirror values ($1, $2, $3)
                 on conflict (id) do update set revision = excluded.revision, generation = excluded.generation",
            )
            .bind(&change.id)
            .bind(change.revision)
            .bind(generation)
            .execute(&mut *connection)
            .await?;
        }
        Ok(())
    }

    async fn send(&self, connection: &mut PgConnection, seqs: Vec<i64>) -> anyhow::Result<()> {
        sqlx::query("update kit.taken set acted = true where seq = any($1)")
            .bind(seqs)
            .execute(connection)
            .await?;
        Ok(())
    }
}

/// The URL of the test's database, for a child process.
pub(crate) async fn database_url(pool: &PgPool) -> String {
    let mut connection = PgConnection::connect_with(&pool.connect_options()).await.unwrap();
    let database: String =
        sqlx::query_scalar("select current_database()").fetch_one(&mut connection).await.unwrap();
    let base = std::env::var("DATABASE_URL").unwrap();
    let (server, _) = base.rsplit_once('/').unwrap();
    format!("{server}/{database}")
}
