//! Follows the gateway's own feed. A change outdates the cached callers that it concerns, and no others.
//!
//! Every replica polls the head of the feed, and reads what is new. Changes of games and pages take a second path: one replica follows
//! listings-svc for all and numbers the changes in the column `change` of `gateway.game` and `gateway.page`.

use std::collections::HashSet;
use std::sync::Arc;
use std::time::Duration;

use anyhow::Context as _;
use kit::Clock;
use kit::feed;
use sqlx::{PgConnection, PgPool};
use tokio::sync::watch;
use uuid::Uuid;

use crate::SCHEMA;
use crate::domain::key::Caller;
use crate::lookup::{self, Lookup};
use crate::store::games;
use crate::switches::SwitchCache;

/// How often a replica polls, in case a notification was lost.
const POLL_INTERVAL: Duration = Duration::from_millis(500);
/// The most changes that are read one by one. More concern every caller.
const MAX_CHANGES: usize = 1_000;

/// Keeps the caller cache and the switches of this replica up to date.
#[derive(Debug)]
pub struct Invalidation {
    pool: PgPool,
    lookup: Arc<Lookup>,
    switches: Arc<SwitchCache>,
    clock: Clock,
    cursor: Cursor,
    applied: watch::Sender<lookup::Changes>,
}

/// The last change that was applied, of the feed and of games and pages.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Cursor {
    feed: feed::Cursor,
    games: i64,
}

/// What the changes since the last poll concern.
#[derive(Debug, Default)]
struct Changes {
    /// There are too many changes, or the database was restored or has lost some.
    everything: bool,
    /// Accounts, and keys.
    ids: HashSet<Uuid>,
    /// Slugs of games.
    games: HashSet<String>,
    key_created: bool,
    switches: bool,
}

impl Invalidation {
    /// Starts at the end of the feed. The cursor is read first: whatever is loaded afterwards is at least as new as the cursor.
    pub async fn start(
        pool: PgPool,
        lookup: Arc<Lookup>,
        switches: Arc<SwitchCache>,
        clock: Clock,
        applied: watch::Sender<lookup::Changes>,
    ) -> Result<Self, sqlx::Error> {
        let started = clock.now();
        let cursor = kit::pg::in_time(&pool, Cursor::read).await?;
        switches.reload().await?;
        applied.send_replace(lookup::Changes::ReadAsOf(started));
        Ok(Self { pool, lookup, switches, clock, cursor, applied })
    }

    /// Runs until the process ends. `notifications` wakes it up before the next poll is due.
    pub async fn run(mut self, mut notifications: watch::Receiver<u64>) -> anyhow::Result<()> {
        let unseen = metrics::gauge!("key_changes_unseen_seconds");
        let mut is_failing = false;
        loop {
            // Before the read: a commit during it is not missed.
            notifications.mark_unchanged();
            let caught_up = self.catch_up().await;
            match &caught_up {
                Ok(()) if is_failing => {
                    tracing::info!("changes of keys and switches are read again");
                }
                Err(error) if !is_failing => tracing::warn!(
                    %error,
                    "cannot read changes of keys and switches; cached keys are accepted for up to keys_outage"
                ),
                _ => {}
            }
            is_failing = caught_up.is_err();
            let behind = self.clock.now() - self.applied.borrow().as_of();
            unseen.set(if is_failing { behind.as_seconds_f64() } else { 0.0 });
            tokio::select! {
                changed = notifications.changed() => changed.context("the sender of notifications is gone")?,
                () = tokio::time::sleep(POLL_INTERVAL) => {}
            }
        }
    }

    /// Applies all changes since the last poll.
    pub async fn catch_up(&mut self) -> Result<(), sqlx::Error> {
        let started = self.clock.now();
        let caught_up = self.apply_changes().await;
        match &caught_up {
            Ok(()) => drop(self.applied.send_replace(lookup::Changes::ReadAsOf(started))),
            Err(error) if kit::pg::is_unavailable(error) => {
                self.applied.send_modify(|it| *it = lookup::Changes::UnreadSince(it.as_of()));
            }
            Err(_) => {}
        }
        caught_up
    }

    async fn apply_changes(&mut self) -> Result<(), sqlx::Error> {
        let (from, pool) = (self.cursor, &self.pool);
        // After the deadline, the next poll uses another connection.
        let deadline = kit::pg::deadline(pool).min(self.lookup.deadline());
        let read = async |connection: &mut PgConnection| from.read_changes(connection).await;
        let (to, changes) = kit::pg::within(pool, deadline, read).await?;
        if let Some(changes) = changes {
            self.lookup.invalidate(|caller| changes.concern(caller));
            if changes.everything || changes.key_created {
                self.lookup.forget_unknown();
            }
            if changes.everything || changes.switches {
                self.switches.reload().await?;
            }
            self.cursor = to;
        }
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

    /// The changes after this cursor, if there are any, and the cursor after them.
    async fn read_changes(
        self,
        connection: &mut PgConnection,
    ) -> Result<(Self, Option<Changes>), sqlx::Error> {
        let mut to = Self::read(connection).await?;
        if to == self {
            return Ok((to, None));
        }
        let mut changes = Changes::default();
        let batch =
            feed::read_changes(connection, SCHEMA, self.feed.position.seq, MAX_CHANGES).await?;
        to.feed = batch.head;
        changes.everything = !batch.continues(self.feed)
            || to.games < self.games
            || !batch.is_complete
            || batch.has_gap(self.feed.position.seq);
        for change in batch.changes {
            changes.switches |= change.entity == "switch";
            changes.key_created |= change.entity == "key" && change.event == "created";
            // Switches have names.
            changes.ids.extend(change.id.parse::<Uuid>().ok());
        }
        let games = games::changed(connection, self.games, to.games).await?;
        changes.games = games.into_iter().collect();
        Ok((to, Some(changes)))
    }
}

impl Changes {
    fn concern(&self, caller: &Caller) -> bool {
        let key = &caller.key;
        let is_of_game = |game| self.games.contains(game);
        self.everything
            || self.ids.contains(&key.id)
            || self.ids.contains(&key.account)
            || key.game.as_ref().is_some_and(is_of_game)
    }
}
