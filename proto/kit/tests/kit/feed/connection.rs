//! What becomes of a write whose connection is lost at the worst moment.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use kit::feed::{Producer, Retention, Writer};
use kit::{Clock, Code, Lifecycle};
use sqlx::PgPool;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};

use super::support::{Note, Notes, SCHEMA, eventually, tables};

/// The note that is written, as it can be found in a message.
const NOTE: &str = "a-note";

/// What happens to the way to PostgreSQL, when armed.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Cut {
    /// It is closed before the commit has gone through.
    BeforeCommit,
    /// It is closed once the commit was sent on, and nobody waits for the answer.
    AtCommit,
    /// It is closed once the commit was sent on, and no other connection is taken.
    ForGood,
    /// It is closed once PostgreSQL has answered to the commit.
    AfterCommit,
    /// It falls silent before a statement of an item.
    SilentBeforeItem,
    /// It falls silent before the commit.
    SilentBeforeCommit,
    /// It falls silent once the commit was sent on.
    SilentAfterCommit,
}

impl Cut {
    /// What the message has in it at which it happens.
    const fn mark(self) -> &'static [u8] {
        match self {
            Self::SilentBeforeItem => NOTE.as_bytes(),
            _ => b"commit",
        }
    }

    const fn is_before(self) -> bool {
        matches!(
            self,
            Self::BeforeCommit | Self::SilentBeforeItem | Self::SilentBeforeCommit
        )
    }

    const fn is_silent(self) -> bool {
        matches!(
            self,
            Self::SilentBeforeItem | Self::SilentBeforeCommit | Self::SilentAfterCommit
        )
    }
}

/// Stands between a writer and PostgreSQL and, once, cuts the connection.
async fn cutting_proxy(to: (String, u16), cut: Cut, armed: Arc<AtomicBool>) -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    let has_cut = Arc::new(AtomicBool::new(false));
    tokio::spawn(async move {
        loop {
            let (client, _) = listener.accept().await.unwrap();
            if cut == Cut::ForGood && has_cut.load(Ordering::SeqCst) {
                continue;
            }
            let server = TcpStream::connect((to.0.as_str(), to.1)).await.unwrap();
            let (armed, has_cut) = (Arc::clone(&armed), Arc::clone(&has_cut));
            tokio::spawn(async move {
                if relay(client, server, cut, armed).await {
                    has_cut.store(true, Ordering::SeqCst);
                }
            });
        }
    });
    port
}

/// Whether it has cut the connection.
async fn relay(
    mut client: TcpStream,
    mut server: TcpStream,
    cut: Cut,
    armed: Arc<AtomicBool>,
) -> bool {
    let (mut asked, mut answered) = (vec![0; 1 << 16], vec![0; 1 << 16]);
    loop {
        tokio::select! {
            read = client.read(&mut asked) => {
                let message = match read { Ok(0) | Err(_) => return false, Ok(length) => &asked[..length] };
                let mark = cut.mark();
                let cutting = message.windows(mark.len()).any(|w| w == mark)
                    && armed.swap(false, Ordering::SeqCst);
                if !(cutting && cut.is_before()) {
                    server.write_all(message).await.unwrap();
                }
                if cutting && cut == Cut::AfterCommit {
                    // PostgreSQL has answered, so it has committed; the answer never arrives.
                    assert_ne!(server.read(&mut answered).await.unwrap(), 0);
                }
                if cutting && cut.is_silent() {
                    std::future::pending::<()>().await;
                }
                if cutting {
                    return true;
                }
            }
            read = server.read(&mut answered) => {
                let length = match read { Ok(0) | Err(_) => return false, Ok(length) => length };
                if client.write_all(&answered[..length]).await.is_err() {
                    return false;
                }
            }
        }
    }
}

/// A producer whose way to PostgreSQL is cut once `armed` is set.
struct Cuttable {
    writer: Writer<Notes>,
    armed: Arc<AtomicBool>,
    lifecycle: Lifecycle,
}

impl Cuttable {
    async fn start(pool: &PgPool, cut: Cut) -> Self {
        tables(pool).await;
        let options = pool.connect_options();
        let armed = Arc::new(AtomicBool::new(false));
        let server = (options.get_host().to_owned(), options.get_port());
        let port = cutting_proxy(server, cut, Arc::clone(&armed)).await;
        let through = sqlx::postgres::PgPoolOptions::new()
            .max_connections(4)
            .connect_lazy_with((*options).clone().host("127.0.0.1").port(port));
        let (lifecycle, _supervisor) = Lifecycle::new();
        let producer = Producer::start(
            through,
            SCHEMA,
            Clock::system(),
            &lifecycle,
            Retention::default(),
        );
        Self {
            writer: producer.writer(Notes),
            armed,
            lifecycle,
        }
    }
}

impl Drop for Cuttable {
    fn drop(&mut self) {
        self.lifecycle.stopping().cancel();
    }
}

async fn write_through(pool: &PgPool, cut: Cut) {
    let Cuttable { writer, armed, .. } = &Cuttable::start(pool, cut).await;
    writer.write(Note::Set(NOTE.to_owned())).await.unwrap();
    armed.store(true, Ordering::SeqCst);
    // Long before TCP would notice by itself.
    let writing = writer.write(Note::Set(NOTE.to_owned()));
    let written = tokio::time::timeout(Duration::from_secs(30), writing).await;
    let (revision, position) = written.unwrap().unwrap();

    assert!(!armed.load(Ordering::SeqCst), "the connection was not cut");
    assert_eq!((revision, position.unwrap().seq), (2, 2));
    let rows: Vec<(i64, i64)> = sqlx::query_as("select seq, revision from kit.feed order by seq")
        .fetch_all(pool)
        .await
        .unwrap();
    assert_eq!(rows, [(1, 1), (2, 2)], "made once");
}

#[sqlx::test]
async fn a_write_whose_commit_never_arrived_is_made_again(pool: PgPool) {
    write_through(&pool, Cut::BeforeCommit).await;
}

#[sqlx::test]
async fn a_write_whose_answer_was_lost_is_not_made_twice(pool: PgPool) {
    write_through(&pool, Cut::AfterCommit).await;
}

#[sqlx::test]
async fn a_postgresql_that_falls_silent_stalls_a_write_no_longer_than_its_deadline(pool: PgPool) {
    write_through(&pool, Cut::SilentBeforeItem).await;
}

#[sqlx::test]
async fn a_commit_that_is_lost_in_silence_is_ended_and_made_again(pool: PgPool) {
    write_through(&pool, Cut::SilentBeforeCommit).await;
}

#[sqlx::test]
async fn a_commit_whose_answer_is_lost_in_silence_is_not_made_twice(pool: PgPool) {
    write_through(&pool, Cut::SilentAfterCommit).await;
}

#[sqlx::test]
async fn a_commit_of_which_nobody_knows_is_not_said_to_be_worth_repeating(pool: PgPool) {
    let Cuttable { writer, armed, .. } = &Cuttable::start(&pool, Cut::ForGood).await;
    writer.write(Note::Set(NOTE.to_owned())).await.unwrap();
    armed.store(true, Ordering::SeqCst);
    let written = writer.write(Note::Set(NOTE.to_owned())).await;
    let fault = written.unwrap_err();
    assert_eq!(
        (fault.code, fault.retry_after),
        (Code::OutcomeUnknown, None)
    );
}

/// The lock that holds a commit up.
const HOLD: i64 = 7;

#[sqlx::test]
async fn a_commit_that_goes_on_without_its_connection_is_not_made_twice(pool: PgPool) {
    let Cuttable { writer, armed, .. } = &Cuttable::start(&pool, Cut::AtCommit).await;
    // The commit of a note waits while the test holds the lock.
    sqlx::raw_sql(sqlx::AssertSqlSafe(format!(
        "create function kit.hold() returns trigger language plpgsql as
             $$ begin perform pg_advisory_xact_lock_shared({HOLD}); return null; end $$;
         create constraint trigger hold after insert on kit.note deferrable initially deferred
             for each row execute function kit.hold()"
    )))
    .execute(&pool)
    .await
    .unwrap();
    let mut holder = pool.acquire().await.unwrap();
    sqlx::query("select pg_advisory_lock($1)")
        .bind(HOLD)
        .execute(&mut *holder)
        .await
        .unwrap();
    armed.store(true, Ordering::SeqCst);
    let writer = writer.clone();
    let answer = tokio::spawn(async move { writer.write(Note::Create("foo".to_owned())).await });

    let mut held: Option<i32> = None;
    eventually("the commit is held without its connection", async || {
        held = waiting_for(&pool, "advisory").await;
        held.is_some() && !armed.load(Ordering::SeqCst)
    })
    .await;
    // Either its backend is ended, or the write is made again beside it and waits for the same name.
    eventually("the writer has done something about it", async || {
        waiting_for(&pool, "advisory").await != held
            || waiting_for(&pool, "transactionid").await.is_some()
    })
    .await;
    sqlx::query("select pg_advisory_unlock($1)")
        .bind(HOLD)
        .execute(&mut *holder)
        .await
        .unwrap();

    answer.await.unwrap().unwrap();
    let notes: Vec<String> = sqlx::query_scalar("select id from kit.note")
        .fetch_all(&pool)
        .await
        .unwrap();
    assert_eq!(notes, ["foo"], "made once");
    let rows: Vec<String> = sqlx::query_scalar("select id from kit.feed")
        .fetch_all(&pool)
        .await
        .unwrap();
    assert_eq!(rows, ["foo"], "told once");
}

/// A backend that waits for a lock of this kind.
async fn waiting_for(pool: &PgPool, lock: &str) -> Option<i32> {
    sqlx::query_scalar(
        "select pid from pg_stat_activity
         where datname = current_database() and wait_event_type = 'Lock' and wait_event = $1
         order by backend_start limit 1",
    )
    .bind(lock)
    .fetch_optional(pool)
    .await
    .unwrap()
}
