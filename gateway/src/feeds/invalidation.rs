//! Follows the gateway's own feed. Any change outdates the cached callers and reloads the switches.
//!
//! Every replica polls the head of the feed. Changes of games and pages take a second path: one replica follows listings-svc for all and
//! numbers the changes in the column `change` of `gateway.game` and `gateway.page`. Changes are rare, and callers are soon read again.

use std::sync::Arc;
use std::time::Duration;

use kit::Clock;
use kit::feed::{self, Position};
use kit::wakeup::CatchUp;
use sqlx::{PgConnection, PgPool};
use time::OffsetDateTime;
use tokio::sync::watch;

use crate::SCHEMA;
use crate::lookup::Lookup;
use crate::store::games;
use crate::switches::SwitchCache;

/// How often a replica polls, in case a notification was lost.
const POLL_INTERVAL: Duration = Duration::from_millis(500);

/// Keeps the caller cache and the switches of this replica up to date.
#[derive(Debug)]
pub struct Invalidation {
    pool: PgPool,
    lookup: Arc<Lookup>,
    switches: Arc<SwitchCache>,
    clock: Clock,
    cursor: Cursor,
    /// All changes before this time have been applied.
    fresh_as_of: OffsetDateTime,
}

/// The last change that was applied, of the feed and of games and pages.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Cursor {
    feed: Position,
    games: i64,
}

impl Invalidation {
    /// Starts at the end of the feed. The cursor is read first: whatever is loaded afterwards is at least as new as the cursor.
    pub async fn start(
        pool: PgPool,
        lookup: Arc<Lookup>,
        switches: Arc<SwitchCache>,
        clock: Clock,
    ) -> Result<Self, sqlx::Error> {
        let fresh_as_of = clock.now();
        let cursor = kit::pg::within(&pool, kit::pg::deadline(&pool), Cursor::read).await?;
        switches.reload().await?;
        lookup.set_fresh_as_of(fresh_as_of);
        Ok(Self {
            pool,
            lookup,
            switches,
            clock,
            cursor,
            fresh_as_of,
        })
    }

    /// Runs until the process ends. `notifications` wakes it up before the next poll is due.
    pub async fn run(mut self, notifications: watch::Receiver<u64>) -> anyhow::Result<()> {
        let unseen = metrics::gauge!("key_changes_unseen_seconds");
        let changes = CatchUp {
            rows: "changes of keys and switches",
            meanwhile: "cached keys are accepted for up to keys_outage",
            poll: POLL_INTERVAL,
            debounce: Duration::ZERO,
        };
        let mut changes = changes.on(notifications);
        loop {
            changes.begin();
            let outcome = self.catch_up().await;
            let behind = self.clock.now() - self.fresh_as_of;
            unseen.set(if outcome.is_ok() {
                0.0
            } else {
                behind.as_seconds_f64()
            });
            changes.end(outcome).await?;
        }
    }

    /// Applies all changes since the last poll.
    pub async fn catch_up(&mut self) -> Result<(), sqlx::Error> {
        let started = self.clock.now();
        let pool = &self.pool;
        // After the deadline, the next poll uses another connection.
        let cursor = kit::pg::within(pool, kit::pg::deadline(pool), Cursor::read).await?;
        if cursor != self.cursor {
            self.lookup.invalidate();
            self.switches.reload().await?;
            self.cursor = cursor;
        }
        self.fresh_as_of = started;
        self.lookup.set_fresh_as_of(started);
        Ok(())
    }
}

impl Cursor {
    /// The end of both sequences.
    async fn read(connection: &mut PgConnection) -> Result<Self, sqlx::Error> {
        Ok(Self {
            games: games::latest_change(connection).await?,
            feed: feed::read_head(connection, SCHEMA).await?,
        })
    }
}
