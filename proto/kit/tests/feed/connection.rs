//! What becomes of a write whose connection is lost at the worst moment.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use kit::feed::{Producer, Retention};
use kit::{Clock, Lifecycle};
use sqlx::PgPool;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};

use crate::support::{Note, Notes, SCHEMA, tables};

/// Where the way to PostgreSQL is cut, when armed.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Cut {
    BeforeCommit,
    AfterCommit,
}

/// Stands between a writer and PostgreSQL and, once, cuts the connection around a `commit`.
async fn cutting_proxy(to: (String, u16), cut: Cut, armed: Arc<AtomicBool>) -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    tokio::spawn(async move {
        loop {
            let (client, _) = listener.accept().await.unwrap();
            let server = TcpStream::connect((to.0.as_str(), to.1)).await.unwrap();
            tokio::spawn(relay(client, server, cut, Arc::clone(&armed)));
        }
    });
    port
}

async fn relay(mut client: TcpStream, mut server: TcpStream, cut: Cut, armed: Arc<AtomicBool>) {
    let (mut asked, mut answered) = (vec![0; 1 << 16], vec![0; 1 << 16]);
    loop {
        tokio::select! {
            read = client.read(&mut asked) => {
                let message = match read { Ok(0) | Err(_) => return, Ok(length) => &asked[..length] };
                let commits = message.windows(6).any(|w| w == b"commit");
                let cutting = commits && armed.swap(false, Ordering::SeqCst);
                if cutting && cut == Cut::BeforeCommit {
                    return;
                }
                server.write_all(message).await.unwrap();
                if cutting {
                    // PostgreSQL has answered, so it has committed; the answer never arrives.
                    assert_ne!(server.read(&mut answered).await.unwrap(), 0);
                    return;
                }
            }
            read = server.read(&mut answered) => {
                let length = match read { Ok(0) | Err(_) => return, Ok(length) => length };
                if client.write_all(&answered[..length]).await.is_err() {
                    return;
                }
            }
        }
    }
}

async fn write_through(pool: &PgPool, cut: Cut) {
    tables(pool).await;
    let options = pool.connect_options();
    let armed = Arc::new(AtomicBool::new(false));
    let port = cutting_proxy(
        (options.get_host().to_owned(), options.get_port()),
        cut,
        Arc::clone(&armed),
    )
    .await;
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
    let writer = producer.writer(Notes);
    writer.write(Note::Set("a".to_owned())).await.unwrap();
    armed.store(true, Ordering::SeqCst);
    let (revision, position) = writer.write(Note::Set("a".to_owned())).await.unwrap();

    assert!(!armed.load(Ordering::SeqCst), "the connection was not cut");
    assert_eq!((revision, position.unwrap().seq), (2, 2));
    let rows: Vec<(i64, i64)> = sqlx::query_as("select seq, revision from kit.feed order by seq")
        .fetch_all(pool)
        .await
        .unwrap();
    assert_eq!(rows, [(1, 1), (2, 2)], "made once");
    lifecycle.stopping().cancel();
}

#[sqlx::test]
async fn a_write_whose_commit_never_arrived_is_made_again(pool: PgPool) {
    write_through(&pool, Cut::BeforeCommit).await;
}

#[sqlx::test]
async fn a_write_whose_answer_was_lost_is_not_made_twice(pool: PgPool) {
    write_through(&pool, Cut::AfterCommit).await;
}
