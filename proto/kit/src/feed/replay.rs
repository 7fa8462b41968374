//! A followed feed, for staff: how far it is applied, and reading it again from a change on.

use contracts::common::v1 as proto;
use sqlx::PgConnection;

use super::Subscription;

impl Subscription {
    /// How far the feed is applied, and its dead letters.
    pub(super) async fn status(
        self,
        connection: &mut PgConnection,
    ) -> Result<proto::FollowedFeed, sqlx::Error> {
        let sql = "select seq from kit.feed_cursor where producer = $1";
        let seq = self
            .schema
            .query_scalar(sql)
            .bind(self.producer)
            .fetch_optional(&mut *connection)
            .await?;
        Ok(proto::FollowedFeed {
            producer: self.producer.to_owned(),
            seq,
            dead_letters: self.count(connection).await?,
        })
    }

    /// Moves the cursor back, so that the next change is `from`. The follower finds the moved cursor within ten seconds. Changes up to the
    /// present cursor keep their effects and get no others. Returns that position; `None` when `from` was not applied yet.
    pub(super) async fn replay(
        self,
        connection: &mut PgConnection,
        from: i64,
    ) -> Result<Option<i64>, sqlx::Error> {
        let schema = self.schema;
        let back = "with applied as (select producer, seq from kit.feed_cursor where producer = $1 and seq >= $2 for update)
             update kit.feed_cursor as held
             set seq = $2 - 1, last_row = null, effects_after = greatest(held.effects_after, applied.seq)
             from applied where held.producer = applied.producer
             returning applied.seq";
        let applied = schema
            .query_scalar(back)
            .bind(self.producer)
            .bind(from)
            .fetch_optional(&mut *connection)
            .await?;
        Ok(applied)
    }
}
