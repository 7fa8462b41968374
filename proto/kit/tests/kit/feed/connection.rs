//! Writes whose connection to PostgreSQL is lost at the worst moment.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use kit::feed::{Producer, Retention, WriteTimeouts, Writer};
use kit::jobs::Leader;
use kit::{Clock, Code, Lifecycle};
use sqlx::PgPool;
use testing::wait_until;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};

use super::support::{Note, Notes, SCHEMA, tables};

/// The id of the note, which the proxy finds in messages.
const NOTE: &str = "a-note";
/// Much sooner than a TCP timeout, and later than any pause of the machine.
const LONG: Duration = testing::LONG;

/// How the proxy cuts the connection to PostgreSQL, once it is armed.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Cut {
    /// Closes it before forwarding the commit.
    BeforeCommit,
    /// Closes it after forwarding the commit, without waiting for the response.
    AtCommit,
    /// Closes it after forwarding the commit, and accepts no other connection.
    ForGood,
    /// Closes it after PostgreSQL has responded to the commit.
    AfterCommit,
    /// Stops forwarding before a statement of an item.
    SilentBeforeItem,
    /// Stops forwarding before the commit.
    SilentBeforeCommit,
    /// Stops forwarding after the commit.
    SilentAfterCommit,
}

impl Cut {
    /// The bytes in a message that trigger the cut.
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

/// A proxy between a writer and PostgreSQL that cuts the connection once.
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

/// Forwards messages; returns whether it has cut the connection.
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
                    // PostgreSQL has responded, so it has committed. The response never arrives.
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

/// A producer behind the proxy, which cuts the connection once `armed` is set.
struct ProxiedProducer {
    writer: Writer<Notes>,
    armed: Arc<AtomicBool>,
    lifecycle: Lifecycle,
}

impl ProxiedProducer {
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
        let leader = Leader::start(&lifecycle, through, SCHEMA, Clock::system());
        let producer = Producer::start(&leader, &lifecycle, Retention::default());
        // A step that the proxy swallows ends soon, and every other step may be tried again until the write's deadline.
        let timeouts = WriteTimeouts {
            write: LONG,
            step: Duration::from_secs(1),
            outcome: if cut == Cut::ForGood {
                Duration::from_secs(1)
            } else {
                LONG
            },
        };
        Self {
            writer: producer.with_timeouts(timeouts).writer(Notes),
            armed,
            lifecycle,
        }
    }
}

impl Drop for ProxiedProducer {
    fn drop(&mut self) {
        self.lifecycle.stopping().cancel();
    }
}

async fn write_through(pool: &PgPool, cut: Cut) {
    let ProxiedProducer { writer, armed, .. } = &ProxiedProducer::start(pool, cut).await;
    writer.write(Note::Set(NOTE.to_owned())).await.unwrap();
    armed.store(true, Ordering::SeqCst);
    let writing = writer.write(Note::Set(NOTE.to_owned()));
    let written = tokio::time::timeout(LONG, writing).await;
    let (revision, position) = written.unwrap().unwrap();

    assert!(!armed.load(Ordering::SeqCst), "the connection was not cut");
    assert_eq!((revision, position.unwrap().seq), (2, 2));
    let rows: Vec<(i64, i64)> = sqlx::query_as("select seq, revision from kit.feed order by seq")
        .fetch_all(pool)
        .await
        .unwrap();
    assert_eq!(rows, [(1, 1), (2, 2)], "written once");
}

#[testing::database_test]
async fn a_write_whose_commit_never_arrived_is_retried(pool: PgPool) {
    write_through(&pool, Cut::BeforeCommit).await;
}

#[testing::database_test]
async fn a_write_whose_response_was_lost_is_not_made_twice(pool: PgPool) {
    write_through(&pool, Cut::AfterCommit).await;
}

#[testing::database_test]
async fn a_write_is_retried_when_postgresql_does_not_answer(pool: PgPool) {
    write_through(&pool, Cut::SilentBeforeItem).await;
}

#[testing::database_test]
async fn an_unanswered_transaction_is_terminated_and_retried(pool: PgPool) {
    write_through(&pool, Cut::SilentBeforeCommit).await;
}

#[testing::database_test]
async fn an_unanswered_commit_is_not_made_twice(pool: PgPool) {
    write_through(&pool, Cut::SilentAfterCommit).await;
}

#[testing::database_test]
async fn an_unknown_outcome_has_no_retry_after(pool: PgPool) {
    let ProxiedProducer { writer, armed, .. } = &ProxiedProducer::start(&pool, Cut::ForGood).await;
    writer.write(Note::Set(NOTE.to_owned())).await.unwrap();
    armed.store(true, Ordering::SeqCst);
    let written = writer.write(Note::Set(NOTE.to_owned())).await;
    let fault = written.unwrap_err();
    assert_eq!(
        (fault.code, fault.retry_after),
        (Code::OutcomeUnknown, None)
    );
}

/// The advisory lock that delays a commit.
const HOLD: i64 = 7;

#[testing::database_test]
async fn a_commit_that_outlives_its_connection_is_not_made_twice(pool: PgPool) {
    let ProxiedProducer { writer, armed, .. } = &ProxiedProducer::start(&pool, Cut::AtCommit).await;
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
    wait_until("the commit is held without its connection", async || {
        held = waiting_for(&pool, "advisory").await;
        held.is_some() && !armed.load(Ordering::SeqCst)
    })
    .await;
    // Either the backend is terminated, or the write is retried at the same time and waits for the same name.
    wait_until("the writer has reacted", async || {
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
    assert_eq!(notes, ["foo"], "written once");
    let rows: Vec<String> = sqlx::query_scalar("select id from kit.feed")
        .fetch_all(&pool)
        .await
        .unwrap();
    assert_eq!(rows, ["foo"], "published once");
}

/// The pid of a backend that waits for a lock of this type.
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
