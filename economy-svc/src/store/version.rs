//! The version of the data behind rates and figures. Every call reads it, so that no replica serves stale data.

use sqlx::PgExecutor;
use uuid::Uuid;

/// Rates and figures of one version are the same until the clock changes them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Version {
    /// New after a restore of the database.
    pub epoch: Uuid,
    /// The number of changes of what rates and figures show: the sum of the counts of each currency, and the count of games and swaps.
    ///
    /// One sum is enough. Currencies are never deleted and counts only grow. The snapshots of one PostgreSQL are ordered by inclusion:
    /// of two of them, one sees every transaction that the other sees. A snapshot with a larger sum therefore has every change of one with
    /// a smaller sum, and snapshots with equal sums have the same changes.
    pub changes: i64,
}

impl Version {
    /// Whether this version includes every change of `other`.
    pub fn reaches(self, other: Self) -> bool {
        self.epoch == other.epoch && self.changes >= other.changes
    }
}

/// The current version.
pub async fn read(executor: impl PgExecutor<'_>) -> Result<Version, sqlx::Error> {
    sqlx::query_as!(
        Version,
        r#"select epoch,
               (select coalesce(sum(changes), 0)::bigint from economy.currency)
                   + (select changes from economy.game_and_swap_changes) as "changes!"
           from economy.feed_head"#
    )
    .fetch_one(executor)
    .await
}
