//! A followed feed, for staff: how far it is applied, and reading it again from a change on.

use contracts::common::v1 as proto;
use sqlx::{AssertSqlSafe, PgConnection};

use super::Subscription;

impl Subscription {
    /// How far the feed is applied, and its dead letters.
    #[expect(
        clippy::disallowed_methods,
        reason = "the schema is a parameter; tested against PostgreSQL"
    )]
    pub(super) async fn status(
        self,
        connection: &mut PgConnection,
    ) -> Result<proto::FollowedFeed, sqlx::Error> {
        let sql = format!(
            "select seq from {}.feed_cursor where producer = $1",
            self.schema
        );
        let seq = sqlx::query_scalar(AssertSqlSafe(sql))
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
    #[expect(
        clippy::disallowed_methods,
        reason = "the schema is a parameter; tested against PostgreSQL"
    )]
    pub(super) async fn replay(
        self,
        connection: &mut PgConnection,
        from: i64,
    ) -> Result<Option<i64>, sqlx::Error> {
        let schema = self.schema;
        let back = format!(
            "with applied as (select producer, seq from {schema}.feed_cursor where producer = $1 and seq >= $2 for update)
             update {schema}.feed_cursor as held
             set seq = $2 - 1, last_row = null, acts_after = greatest(held.acts_after, applied.seq)
             from applied where held.producer = applied.producer
             returning applied.seq"
        );
        let applied = sqlx::query_scalar(AssertSqlSafe(back))
            .bind(self.producer)
            .bind(from)
            .fetch_optional(&mut *connection)
            .await?;
        if applied.is_some() {
            // Their rows are read again; a message that was not sent stays.
            for letters in [
                "update {schema}.feed_dead_letter set row_due = false where producer = $1 and seq >= $2",
                "delete from {schema}.feed_dead_letter where producer = $1 and seq >= $2 and not row_due and not message_due",
            ] {
                let letters = letters.replace("{schema}", schema.0);
                sqlx::query(AssertSqlSafe(letters))
                    .bind(self.producer)
                    .bind(from)
                    .execute(&mut *connection)
                    .await?;
            }
        }
        Ok(applied)
    }
}
