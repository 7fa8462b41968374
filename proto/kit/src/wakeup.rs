//! Wakes tasks in every replica of a service after a commit.

use std::sync::Arc;
use std::time::Duration;

use sqlx::Executor as _;
use sqlx::postgres::{PgConnection, PgListener, PgPool};
use tokio::sync::{Notify, watch};
use tokio::time::timeout;

use crate::ids;
use crate::lifecycle::Lifecycle;
use crate::pg::{statement, with_timeout, within};

/// The minimum time between two notifications of other replicas.
const NOTIFY_INTERVAL: Duration = Duration::from_millis(5);
/// Pause before the listener reconnects.
const RECONNECT_PAUSE: Duration = Duration::from_secs(1);

/// How long PostgreSQL may take to answer. Then the connection is closed.
const DEADLINE: Duration = Duration::from_secs(3);
/// A listener that has heard nothing for this long checks its connection.
const LISTENER_PING_INTERVAL: Duration = Duration::from_secs(10);

/// Wakes tasks that wait for rows. Clones share it.
///
/// A wakeup may be lost with a connection, so a waiting task also polls.
#[derive(Debug, Clone)]
pub struct Wakeup {
    pool: PgPool,
    channel: Arc<str>,
    /// Identifies this process in notifications.
    sender: Arc<str>,
    /// Counts all wakeups.
    all: Arc<watch::Sender<u64>>,
    committed: Arc<Notify>,
}

impl Wakeup {
    /// Starts the tasks that notify other replicas and listen to them, on a LISTEN/NOTIFY channel of PostgreSQL.
    pub fn start(pool: PgPool, channel: impl Into<Arc<str>>, lifecycle: &Lifecycle) -> Self {
        let wakeup = Self::without_tasks(pool, channel);
        lifecycle.spawn_background("notifier", wakeup.clone().notify());
        lifecycle.spawn_background("listener", wakeup.clone().listen());
        wakeup
    }

    /// Wakes nobody in other processes: they find new rows by polling.
    pub(crate) fn without_tasks(pool: PgPool, channel: impl Into<Arc<str>>) -> Self {
        Self {
            pool,
            channel: channel.into(),
            sender: ids::row_id().to_string().into(),
            all: Arc::new(watch::Sender::new(0)),
            committed: Arc::default(),
        }
    }

    /// Changes at each wakeup. Subscribe first, then read: a commit between the two is not missed.
    pub fn subscribe(&self) -> watch::Receiver<u64> {
        self.all.subscribe()
    }

    /// Call this after a commit: wakes the tasks of this process at once, and those of other replicas within milliseconds.
    pub fn wake(&self) {
        self.wake_here();
        self.committed.notify_one();
    }

    /// Wakes the tasks of this process only.
    pub(crate) fn wake_here(&self) {
        increment(&self.all);
    }

    /// Notifies other replicas after commits. NOTIFY inside the transactions would take a lock that all writers of the server share.
    async fn notify(self) -> anyhow::Result<()> {
        loop {
            self.committed.notified().await;
            let notifying = async |connection: &mut PgConnection| {
                statement::query("select pg_notify($1, $2)")
                    .bind(&*self.channel)
                    .bind(&*self.sender)
                    .execute(connection)
                    .await
            };
            let sent = within(&self.pool, DEADLINE, notifying).await;
            if let Err(error) = sent {
                tracing::warn!(%error, channel = &*self.channel, "cannot notify other replicas; they find new rows by polling");
            }
            tokio::time::sleep(NOTIFY_INTERVAL).await;
        }
    }

    async fn listen(self) -> anyhow::Result<()> {
        loop {
            if let Err(error) = self.listen_once().await {
                tracing::warn!(%error, channel = &*self.channel, "cannot listen for notifications of other replicas; their rows are found by polling");
            }
            tokio::time::sleep(RECONNECT_PAUSE).await;
        }
    }

    async fn listen_once(&self) -> Result<(), sqlx::Error> {
        let connecting = async {
            let mut listener = PgListener::connect_with(&self.pool).await?;
            listener.listen(&self.channel).await?;
            Ok::<_, sqlx::Error>(listener)
        };
        let mut listener = with_timeout(DEADLINE, connecting).await?;
        // Commits while nobody listened have woken nobody.
        increment(&self.all);
        loop {
            let Ok(received) = timeout(LISTENER_PING_INTERVAL, listener.try_recv()).await else {
                // A silent connection may be a lost one.
                let pinging = async { listener.execute("").await.map(drop) };
                with_timeout(DEADLINE, pinging).await?;
                continue;
            };
            // This process has already woken its own tasks. Without a notification, the connection was lost, and is a new one.
            if received?.is_none_or(|it| it.payload() != &*self.sender) {
                increment(&self.all);
            }
        }
    }
}

fn increment(counter: &watch::Sender<u64>) {
    counter.send_modify(|count| *count = count.wrapping_add(1));
}
