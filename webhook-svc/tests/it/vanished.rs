//! PostgreSQL vanishes without closing its connections, as a machine does that loses its power.

use std::time::Duration;

use kit::config::Database;
use sqlx::PgPool;
use sqlx::postgres::PgConnectOptions;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;
use tokio::task::JoinSet;

use crate::receiver::{Behaviour, Receiver};
use crate::support::{ADA, replica, start};

/// Forwards bytes to PostgreSQL.
struct Proxy {
    port: u16,
    /// The connections that are open when it changes forward nothing more, and stay open.
    vanish: watch::Sender<()>,
    _tasks: JoinSet<()>,
}

impl Proxy {
    async fn start(host: String, port: u16) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let own = listener.local_addr().unwrap().port();
        let (vanish, vanished) = watch::channel(());
        let mut tasks = JoinSet::new();
        tasks.spawn(async move {
            let mut connections = JoinSet::new();
            loop {
                let (client, _) = listener.accept().await.unwrap();
                let server = TcpStream::connect((host.as_str(), port)).await.unwrap();
                let mut vanished = vanished.clone();
                vanished.mark_unchanged();
                connections.spawn(relay(client, server, vanished));
            }
        });
        Self {
            port: own,
            vanish,
            _tasks: tasks,
        }
    }
}

async fn relay(mut client: TcpStream, mut server: TcpStream, mut vanished: watch::Receiver<()>) {
    let (mut asked, mut answered) = (vec![0; 1 << 16], vec![0; 1 << 16]);
    loop {
        let (length, to) = tokio::select! {
            _ = vanished.changed() => std::future::pending().await,
            read = client.read(&mut asked) => (read, true),
            read = server.read(&mut answered) => (read, false),
        };
        let Some(length) = length.ok().filter(|length| *length > 0) else {
            return;
        };
        let written = if to {
            server.write_all(&asked[..length]).await
        } else {
            client.write_all(&answered[..length]).await
        };
        if written.is_err() {
            return;
        }
    }
}

#[testing::database_test(webhook::MIGRATOR)]
async fn delivery_goes_on_with_new_connections(direct: PgPool) {
    let options: PgConnectOptions = (*direct.connect_options()).clone();
    let proxy = Proxy::start(options.get_host().to_owned(), options.get_port()).await;
    let settings = Database {
        database_url: String::new().into(),
        database_connections: 4,
        database_deadline: Duration::from_secs(5),
        database_statement_timeout: Duration::from_secs(30),
        database_lock_timeout: Duration::from_secs(5),
        database_idle_in_transaction_timeout: Duration::from_secs(10),
    };
    let through = kit::pg::pool(options.host("127.0.0.1").port(proxy.port), &settings, &[]);
    let receiver = Receiver::start(Behaviour::Status(200)).await;
    let service = start(direct, &[&receiver]).await;
    let delivering = replica(through, service.clock.clone(), &[&receiver]).await;
    let _delivering = delivering
        .with_statement_timeout(Duration::from_secs(1))
        .delivering();
    let endpoint = service.added(ADA, &receiver.url(), &["tip.paid"]).await;
    service.ping(ADA, endpoint).await;
    receiver.wait_for(1).await;
    proxy.vanish.send_replace(());
    service.ping(ADA, endpoint).await;
    receiver.wait_for(2).await;
}
