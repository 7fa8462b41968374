//! The version of all that rates and figures show, in two rows: it is read at every call, so that no replica is ever late.

use sqlx::PgExecutor;
use uuid::Uuid;

/// A version. What is shown of the same version is the same until the clock changes it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Version {
    /// The life of the data; new after a restore.
    pub epoch: Uuid,
    /// The newest change of reports, swaps or currency names, by its place on the feed. The order of the feed is the order of commit, so
    /// a reader that has seen a version never misses a change below it.
    pub seq: i64,
    /// Counts the changes of games.
    pub games: i64,
}

impl Version {
    /// Whether it includes all that `other` does.
    pub fn reaches(self, other: Self) -> bool {
        self.epoch == other.epoch && self.seq >= other.seq && self.games >= other.games
    }
}

/// The version of now.
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
