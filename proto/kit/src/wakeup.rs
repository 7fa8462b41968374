//! Wakes tasks of every replica of a service after a commit.

use std::sync::Arc;
use std::time::Duration;

use sqlx::postgres::{PgListener, PgPool};
use tokio::sync::{Notify, watch};

use crate::ids;
use crate::lifecycle::Lifecycle;

/// Between two notifications of other replicas, at least.
const NOTIFY_GAP: Duration = Duration::from_millis(5);
/// Pause before a lost connection is opened again.
const PAUSE: Duration = Duration::from_secs(1);

/// Wakes tasks that wait for rows. Clones share it.
///
/// A wake-up may be lost with a connection, so who waits also looks by itself now and then.
#[derive(Debug, Clone)]
pub struct Wakeup {
    pool: PgPool,
    channel: Arc<str>,
    /// Tells this process from other replicas.
    name: Arc<str>,
    /// Counts all wake-ups.
    news: Arc<watch::Sender<u64>>,
    /// Counts those for rows that this process may not know of.
    unseen: Arc<watch::Sender<u64>>,
    committed: Arc<Notify>,
}

impl Wakeup {
    /// Starts the tasks that notify other replicas and listen to them, on a channel of PostgreSQL.
    pub fn start(pool: PgPool, channel: impl Into<Arc<str>>, lifecycle: &Lifecycle) -> Self {
        let wakeup = Self {
            pool,
            channel: channel.into(),
            name: ids::row_id().to_string().into(),
            news: Arc::new(watch::Sender::new(0)),
            unseen: Arc::new(watch::Sender::new(0)),
            committed: Arc::default(),
        };
        lifecycle.background("notifier", wakeup.clone().notify());
        lifecycle.background("listener", wakeup.clone().listen());
        wakeup
    }

    /// Changes at each wake-up. Subscribe first, then look: what is committed in between is not missed.
    pub fn subscribe(&self) -> watch::Receiver<u64> {
        self.news.subscribe()
    }

    /// Changes at each wake-up for rows that this process may not know of, before [`subscribe`](Self::subscribe) does.
    pub fn subscribe_unseen(&self) -> watch::Receiver<u64> {
        self.unseen.subscribe()
    }

    /// To be called after a commit: wakes the tasks of this process at once, those of other replicas in a moment.
    pub fn wake(&self) {
        count_up(&self.news);
        self.committed.notify_one();
    }

    /// Wakes the tasks of this process for rows that another replica has committed, or whose commit was not heard of.
    pub fn wake_unseen(&self) {
        count_up(&self.unseen);
        count_up(&self.news);
    }

    /// One notifier a process, after commit: NOTIFY inside the transactions would take a lock that all writers of the cluster share.
    #[expect(
        clippy::disallowed_methods,
        reason = "no table is asked, so there is nothing to check"
    )]
    async fn notify(self) -> anyhow::Result<()> {
        loop {
            self.committed.notified().await;
            let sent = sqlx::query("select pg_notify($1, $2)")
                .bind(&*self.channel)
                .bind(&*self.name)
                .execute(&self.pool)
                .await;
            if let Err(error) = sent {
                tracing::warn!(%error, channel = &*self.channel, "other replicas are not woken; they look by themselves");
            }
            tokio::time::sleep(NOTIFY_GAP).await;
        }
    }

    async fn listen(self) -> anyhow::Result<()> {
        loop {
            if let Err(error) = self.listen_once().await {
                tracing::warn!(%error, channel = &*self.channel, "not listening to other replicas; their work is found by looking");
            }
            tokio::time::sleep(PAUSE).await;
        }
    }

    async fn listen_once(&self) -> Result<(), sqlx::Error> {
        let mut listener = PgListener::connect_with(&self.pool).await?;
        listener.listen(&self.channel).await?;
        loop {
            // This process has woken its own tasks already.
            if listener.recv().await?.payload() != &*self.name {
                self.wake_unseen();
            }
        }
    }
}

fn count_up(counter: &watch::Sender<u64>) {
    counter.send_modify(|count| *count = count.wrapping_add(1));
}
