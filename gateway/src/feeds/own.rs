//! The gateway's own feed, read by every replica: what any of them has changed is forgotten in the look-up of all, and a switch that
//! any of them has thrown is read again by all.
//!
//! Changes of games come by the same way, though not by the feed: one replica follows listings-svc for all, and numbers what has
//! changed (`gateway.game.change`).

use std::sync::Arc;
use std::time::Duration;

use kit::feed::Position;
use sqlx::PgPool;
use tokio::sync::watch;
use uuid::Uuid;

use crate::lookup::Lookup;
use crate::store::{feed, games, keys};
use crate::switches::Board;

/// How often a replica looks by itself, in case a wake-up was lost.
const PERIOD: Duration = Duration::from_millis(500);
/// So many changes at once are not gone through: everything is forgotten instead.
const TOO_MANY: i64 = 1_000;

/// How far this replica has come.
#[derive(Debug)]
pub struct Own {
    pool: PgPool,
    lookup: Arc<Lookup>,
    switches: Arc<Board>,
    position: Position,
    games: i64,
}

impl Own {
    /// Begins at the end of the feed, before switches are read and anything is looked up: what is read later is not older.
    pub async fn start(
        pool: PgPool,
        lookup: Arc<Lookup>,
        switches: Arc<Board>,
    ) -> Result<Self, sqlx::Error> {
        let games = games::newest(&pool).await?;
        let position = feed::head(&pool).await?;
        switches.read().await?;
        Ok(Self {
            pool,
            lookup,
            switches,
            position,
            games,
        })
    }

    /// Goes on for ever, woken by `news`.
    pub async fn follow(mut self, mut news: watch::Receiver<u64>) -> anyhow::Result<()> {
        loop {
            news.mark_unchanged();
            if let Err(error) = self.catch_up().await {
                tracing::warn!(%error, "changes of keys and switches are not seen for now");
            }
            tokio::select! {
                changed = news.changed() => changed?,
                () = tokio::time::sleep(PERIOD) => {}
            }
        }
    }

    /// Forgets what has changed since the last time, and reads the switches again if one was thrown.
    pub async fn catch_up(&mut self) -> Result<(), sqlx::Error> {
        let games = games::newest(&self.pool).await?;
        if games > self.games {
            let hashes = keys::hashes_of_games(&self.pool, self.games, games).await?;
            if !hashes.is_empty() {
                self.lookup.forget(&hashes).await;
            }
            self.games = games;
        }
        let head = feed::head(&self.pool).await?;
        if head == self.position {
            return Ok(());
        }
        let same_epoch = head.epoch == self.position.epoch;
        if same_epoch && (0..TOO_MANY).contains(&(head.seq - self.position.seq)) {
            self.forget_up_to(head.seq).await?;
        } else {
            self.lookup.forget_all();
            self.switches.read().await?;
        }
        self.position = head;
        Ok(())
    }

    async fn forget_up_to(&self, seq: i64) -> Result<(), sqlx::Error> {
        let (mut ids, mut accounts) = (Vec::new(), Vec::new());
        let changes = feed::between(&self.pool, self.position.seq, seq).await?;
        if changes.iter().any(|change| change.entity == "switch") {
            self.switches.read().await?;
        }
        for change in changes {
            let Ok(id) = change.id.parse::<Uuid>() else {
                // A switch, or a plan: each process has the plans of its own settings.
                continue;
            };
            match change.entity.as_str() {
                "key" => ids.push(id),
                "account" => accounts.push(id),
                _ => {}
            }
        }
        let hashes = keys::hashes(&self.pool, &ids, &accounts).await?;
        self.lookup.forget(&hashes).await;
        Ok(())
    }
}
