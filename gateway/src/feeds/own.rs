//! The gateway's own feed, read by every replica: what any of them has changed is forgotten in the look-up of all, and a switch that
//! any of them has thrown is read again by all.
//!
//! Changes of games come by the same way, though not by the feed: one replica follows listings-svc for all, and numbers what has
//! changed (`gateway.game.change`).

use std::sync::Arc;
use std::time::Duration;

use kit::Clock;
use kit::feed::Position;
use kit::wakeup::CatchUp;
use sqlx::{PgConnection, PgPool};
use time::OffsetDateTime;
use tokio::sync::watch;
use uuid::Uuid;

use crate::domain::secret::Hash;
use crate::lookup::Lookup;
use crate::store::{feed, games, keys};
use crate::switches::Board;

/// How often a replica looks by itself, in case a wake-up was lost.
const PERIOD: Duration = Duration::from_millis(500);
/// A look that takes longer is begun anew, over another connection.
const DEADLINE: Duration = Duration::from_secs(5);
/// So many changes at once are not gone through: everything is forgotten instead.
const TOO_MANY: i64 = 1_000;

/// How far this replica has come.
#[derive(Debug)]
pub struct Own {
    pool: PgPool,
    lookup: Arc<Lookup>,
    switches: Arc<Board>,
    clock: Clock,
    at: At,
    /// When everything that had happened was last known here.
    confirmed: OffsetDateTime,
}

/// Where the changes stand.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct At {
    feed: Position,
    games: i64,
}

/// What has happened since the last look.
enum News {
    Nothing,
    Changes {
        hashes: Vec<Hash>,
        switches: bool,
    },
    /// Too much to go through, or another feed.
    Everything,
}

impl Own {
    /// Begins at the end of the feed, before switches are read and anything is looked up: what is read later is not older.
    pub async fn start(
        pool: PgPool,
        lookup: Arc<Lookup>,
        switches: Arc<Board>,
        clock: Clock,
    ) -> Result<Self, sqlx::Error> {
        let confirmed = clock.now();
        let at = kit::pg::within(&pool, DEADLINE, At::read).await?;
        switches.read().await?;
        lookup.read_issued().await?;
        lookup.confirm(confirmed);
        Ok(Self {
            pool,
            lookup,
            switches,
            clock,
            at,
            confirmed,
        })
    }

    /// Goes on for ever, woken by `news`.
    pub async fn follow(mut self, news: watch::Receiver<u64>) -> anyhow::Result<()> {
        let unseen = metrics::gauge!("key_changes_unseen_seconds");
        let changes = CatchUp {
            rows: "changes of keys and switches",
            meanwhile: "cached keys stay valid for keys_outage",
            poll: PERIOD,
            debounce: Duration::ZERO,
        };
        let mut changes = changes.on(news);
        loop {
            changes.begin();
            let caught_up = self.catch_up().await;
            let behind = self.clock.now() - self.confirmed;
            unseen.set(if caught_up.is_ok() {
                0.0
            } else {
                behind.as_seconds_f64()
            });
            changes.end(caught_up).await?;
        }
    }

    /// Forgets what has changed since the last time, and reads the switches again if one was thrown.
    pub async fn catch_up(&mut self) -> Result<(), sqlx::Error> {
        let begun = self.clock.now();
        let (from, pool) = (self.at, &self.pool);
        let looked = kit::pg::within(pool, DEADLINE, async |connection| {
            let to = At::read(connection).await?;
            Ok((to, from.news(to, connection).await?))
        });
        let (to, news) = looked.await?;
        match news {
            News::Nothing => {}
            News::Changes { hashes, switches } => {
                self.lookup.changed(&hashes);
                if switches {
                    self.switches.read().await?;
                }
            }
            News::Everything => {
                self.lookup.forget_all();
                self.switches.read().await?;
                self.lookup.read_issued().await?;
            }
        }
        self.at = to;
        self.confirmed = begun;
        self.lookup.confirm(begun);
        Ok(())
    }
}

impl At {
    async fn read(connection: &mut PgConnection) -> Result<Self, sqlx::Error> {
        Ok(Self {
            games: games::newest(connection).await?,
            feed: feed::head(connection).await?,
        })
    }

    async fn news(self, to: Self, connection: &mut PgConnection) -> Result<News, sqlx::Error> {
        let is_same_feed = to.feed.epoch == self.feed.epoch;
        if !is_same_feed || !(0..TOO_MANY).contains(&(to.feed.seq - self.feed.seq)) {
            return Ok(News::Everything);
        }
        if to == self {
            return Ok(News::Nothing);
        }
        let mut hashes = keys::hashes_of_games(connection, self.games, to.games).await?;
        let (mut ids, mut accounts, mut switches) = (Vec::new(), Vec::new(), false);
        for change in feed::between(connection, self.feed.seq, to.feed.seq).await? {
            switches |= change.entity == "switch";
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
        hashes.extend(keys::hashes(connection, &ids, &accounts).await?);
        Ok(News::Changes { hashes, switches })
    }
}
