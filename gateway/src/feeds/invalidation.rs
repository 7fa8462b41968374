//! Follows the gateway's own feed and drops changed keys from the caller cache.
//!
//! Every replica polls the feed. A change of a key or an account removes its callers from the cache; a change of a switch reloads all switches.
//! Changes of games and pages take a second path: one replica follows listings-svc for all and numbers the changes in the column
//! `change` of `gateway.game` and `gateway.page`.

use std::sync::Arc;
use std::time::Duration;

use kit::Clock;
use kit::feed::{self, Position};
use kit::wakeup::CatchUp;
use sqlx::{PgConnection, PgPool};
use time::OffsetDateTime;
use tokio::sync::watch;
use uuid::Uuid;

use crate::SCHEMA;
use crate::domain::secret::Hash;
use crate::lookup::Lookup;
use crate::store::{games, keys};
use crate::switches::SwitchCache;

/// How often a replica polls, in case a notification was lost.
const POLL_INTERVAL: Duration = Duration::from_millis(500);
/// Changes that are handled one by one. If there are more, the whole cache is dropped.
const MAX_CHANGES: usize = 1_000;

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

/// The cache entries that changes since the last poll have made stale.
enum StaleEntries {
    None,
    Some {
        hashes: Vec<Hash>,
        switches: bool,
    },
    /// All entries: there are too many changes, or the feed has a new epoch.
    All,
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
        lookup.load_known_keys().await?;
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
        let (from, pool) = (self.cursor, &self.pool);
        // After the deadline, the next poll uses another connection.
        let (to, stale) = kit::pg::within(pool, kit::pg::deadline(pool), async |connection| {
            from.stale_entries(connection).await
        })
        .await?;
        match stale {
            StaleEntries::None => {}
            StaleEntries::Some { hashes, switches } => {
                self.lookup.invalidate(&hashes);
                if switches {
                    self.switches.reload().await?;
                }
            }
            StaleEntries::All => {
                self.lookup.invalidate_all();
                self.switches.reload().await?;
                self.lookup.load_known_keys().await?;
            }
        }
        self.cursor = to;
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
            feed: feed::read_changes(connection, SCHEMA, 0, 0).await?.head,
        })
    }

    /// The entries that changes after this cursor have made stale, and the cursor to go on from.
    async fn stale_entries(
        self,
        connection: &mut PgConnection,
    ) -> Result<(Self, StaleEntries), sqlx::Error> {
        let games = games::latest_change(connection).await?;
        let found = feed::read_changes(connection, SCHEMA, self.feed.seq, MAX_CHANGES).await?;
        let to = Self {
            games,
            feed: found.head,
        };
        let is_continued = found.head.epoch == self.feed.epoch && found.head.seq >= self.feed.seq;
        let has_gap = is_continued && found.has_gap(self.feed.seq);
        if has_gap {
            tracing::warn!(
                from = self.feed.seq,
                to = found.head.seq,
                "the feed lacks changes of keys; all are read again"
            );
        }
        if !is_continued || has_gap || !found.is_complete {
            return Ok((to, StaleEntries::All));
        }
        if to == self {
            return Ok((to, StaleEntries::None));
        }
        let mut hashes = keys::hashes_of_games(connection, self.games, to.games).await?;
        let (mut ids, mut accounts) = (Vec::new(), Vec::new());
        let mut switches = false;
        for change in found.changes {
            switches |= change.entity == "switch";
            let Ok(id) = change.id.parse::<Uuid>() else {
                // Switches and plans have names, not ids. Plans are skipped: each process has those of its own settings.
                continue;
            };
            match change.entity.as_str() {
                "key" => ids.push(id),
                "account" => accounts.push(id),
                _ => {}
            }
        }
        hashes.extend(keys::hashes(connection, &ids, &accounts).await?);
        Ok((to, StaleEntries::Some { hashes, switches }))
    }
}
