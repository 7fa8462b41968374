//! The version of the data behind rates and figures, in two rows. Every call reads it, so that no replica serves stale data.

use sqlx::PgExecutor;
use uuid::Uuid;

/// Rates and figures of one version are the same until the clock changes them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Version {
    /// New after a restore of the database.
    pub epoch: Uuid,
    /// Sequence number on the feed of the newest change of reports, swaps or currency names. The feed is in the order of commit: a reader
    /// that has seen a version never misses a change below it.
    pub seq: i64,
    /// The number of changes of games.
    pub games: i64,
}

impl Version {
    /// Whether this version includes every change of `other`.
    pub fn reaches(self, other: Self) -> bool {
        self.epoch == other.epoch && self.seq >= other.seq && self.games >= other.games
    }
}

/// The current version.
pub async fn read(executor: impl PgExecutor<'_>) -> Result<Version, sqlx::Error> {
    sqlx::query_as!(
        Version,
        r#"select epoch,
               coalesce((select max(seq) from economy.feed where entity = 'rates' and id = 'rates'), 0) as "seq!",
               (select version from economy.game_version) as "games!"
           from economy.feed_head"#
    )
    .fetch_one(executor)
    .await
}
