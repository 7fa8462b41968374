//! Dead letters: changes that were refused, in the table `feed_dead_letter` of the follower's schema.

use contracts::common::v1::Change;
use sqlx::postgres::{PgPool, PgRow};
use sqlx::{AssertSqlSafe, PgConnection, Row as _};
use time::OffsetDateTime;
use uuid::Uuid;

use super::project::{self, Item, Refused};
use super::projection::Projection;
use crate::pg::Schema;
use crate::timestamp;

/// Dead letters that one transaction retries.
const BATCH: i64 = 200;

/// A feed that a service follows: the service's schema, and the producer's name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Subscription {
    /// The schema of the follower.
    pub schema: Schema,
    /// The name of the producer.
    pub producer: &'static str,
}

/// The result of a retry.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Retried {
    /// Changes that were applied.
    pub applied: u64,
    /// Changes that were refused again.
    pub refused: u64,
}

/// A dead letter, for staff.
#[derive(Debug, Clone)]
pub(super) struct DeadLetter {
    pub(super) number: i64,
    pub(super) producer: String,
    pub(super) change: Change,
    pub(super) reason: String,
    pub(super) put_aside_at: OffsetDateTime,
}

impl Subscription {
    /// Applies `items`, puts those aside that are refused, and removes older dead letters of the same entities that are no longer needed. Returns whether any was
    /// put aside.
    pub(super) async fn project<P: Projection>(
        self,
        projection: &P,
        connection: &mut PgConnection,
        generation: Uuid,
        items: &[Item],
        has_letters: bool,
    ) -> Result<bool, sqlx::Error> {
        let refused = project::project(projection, connection, generation, items).await?;
        for one in &refused {
            self.put_aside(connection, generation, one).await?;
        }
        if has_letters || !refused.is_empty() {
            self.supersede(connection, generation, items).await?;
            self.count(connection).await?;
        }
        Ok(!refused.is_empty())
    }

    #[expect(
        clippy::disallowed_methods,
        reason = "the schema is a parameter; tested against PostgreSQL"
    )]
    async fn put_aside(
        self,
        connection: &mut PgConnection,
        generation: Uuid,
        refused: &Refused<'_>,
    ) -> Result<(), sqlx::Error> {
        let Refused { item, reason } = refused;
        let change = &item.change;
        tracing::error!(
            producer = self.producer,
            entity = change.entity,
            id = change.id,
            seq = change.seq,
            reason,
            "a change cannot be applied and is put aside; see `staff dead-letter list`"
        );
        metrics::counter!("feed_changes_refused_total", "producer" => self.producer).increment(1);
        let sql = format!(
            "insert into {}.feed_dead_letter (producer, generation, seq, entity, id, revision, event, announced, happening, changed_at,
                 state, row_due, message_due, reason)
             values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14)",
            self.schema
        );
        sqlx::query(AssertSqlSafe(sql))
            .bind(self.producer)
            .bind(generation)
            .bind(change.seq)
            .bind(&change.entity)
            .bind(&change.id)
            .bind(change.revision)
            .bind(&change.event)
            .bind(change.announced)
            .bind(change.happening)
            .bind(change.at.and_then(timestamp::decode))
            .bind(&*change.state)
            .bind(item.row_due)
            .bind(item.message_due)
            .bind(reason.replace('\0', "\u{FFFD}"))
            .execute(connection)
            .await?;
        Ok(())
    }

    /// A newer state of an entity makes the row of an older change needless; its message is still to be sent.
    #[expect(
        clippy::disallowed_methods,
        reason = "the schema is a parameter; tested against PostgreSQL"
    )]
    async fn supersede(
        self,
        connection: &mut PgConnection,
        generation: Uuid,
        items: &[Item],
    ) -> Result<(), sqlx::Error> {
        let states = items
            .iter()
            .map(|item| &item.change)
            .filter(|change| !change.happening);
        let (mut entities, mut ids, mut seqs) = (Vec::new(), Vec::new(), Vec::new());
        for change in states {
            entities.push(&*change.entity);
            ids.push(&*change.id);
            seqs.push(change.seq);
        }
        let sql = format!(
            "update {}.feed_dead_letter letter set row_due = false
             from unnest($3::text[], $4::text[], $5::bigint[]) as newer (entity, id, seq)
             where producer = $1 and not happening and row_due and (letter.entity, letter.id) = (newer.entity, newer.id)
                 and (generation <> $2 or letter.seq < newer.seq)",
            self.schema
        );
        sqlx::query(AssertSqlSafe(sql))
            .bind(self.producer)
            .bind(generation)
            .bind(entities)
            .bind(ids)
            .bind(seqs)
            .execute(&mut *connection)
            .await?;
        let sql = format!(
            "delete from {}.feed_dead_letter where producer = $1 and not row_due and not message_due",
            self.schema
        );
        sqlx::query(AssertSqlSafe(sql))
            .bind(self.producer)
            .execute(connection)
            .await?;
        Ok(())
    }

    /// Ends the dead letters of older generations, whose changes the rebuild has read again. It sends no message of a change that the follower
    /// had applied before, so a letter stays while its message is due.
    #[expect(
        clippy::disallowed_methods,
        reason = "the schema is a parameter; tested against PostgreSQL"
    )]
    pub(super) async fn sweep(
        self,
        connection: &mut PgConnection,
        generation: Uuid,
    ) -> Result<(), sqlx::Error> {
        let sql = format!(
            "update {}.feed_dead_letter set row_due = false
             where producer = $1 and generation <> $2 and row_due and message_due",
            self.schema
        );
        sqlx::query(AssertSqlSafe(sql))
            .bind(self.producer)
            .bind(generation)
            .execute(&mut *connection)
            .await?;
        let sql = format!(
            "delete from {}.feed_dead_letter where producer = $1 and generation <> $2 and not message_due",
            self.schema
        );
        sqlx::query(AssertSqlSafe(sql))
            .bind(self.producer)
            .bind(generation)
            .execute(&mut *connection)
            .await?;
        self.count(connection).await?;
        Ok(())
    }

    /// The number of dead letters, also as a metric.
    #[expect(
        clippy::disallowed_methods,
        reason = "the schema is a parameter; tested against PostgreSQL"
    )]
    pub(super) async fn count(self, connection: &mut PgConnection) -> Result<i64, sqlx::Error> {
        let sql = format!(
            "select count(*) from {}.feed_dead_letter where producer = $1",
            self.schema
        );
        let count: i64 = sqlx::query_scalar(AssertSqlSafe(sql))
            .bind(self.producer)
            .fetch_one(connection)
            .await?;
        let value = f64::from(u32::try_from(count).unwrap_or(u32::MAX));
        metrics::gauge!("feed_dead_letters", "producer" => self.producer).set(value);
        Ok(count)
    }

    /// Retries the dead letters of this feed, in the order of their changes; only those with these numbers, if there are any.
    ///
    /// # Errors
    /// The errors of PostgreSQL.
    pub async fn retry<P: Projection>(
        self,
        pool: &PgPool,
        projection: &P,
        numbers: &[i64],
    ) -> Result<Retried, sqlx::Error> {
        let (mut retried, mut after) = (Retried::default(), 0);
        loop {
            let mut transaction = pool.begin().await?;
            // The follower writes no newer state meanwhile.
            let generation = self.lock_cursor(&mut transaction).await?;
            let letters = self.lock_letters(&mut transaction, numbers, after).await?;
            let Some(last) = letters.last() else {
                self.count(&mut transaction).await?;
                transaction.commit().await?;
                return Ok(retried);
            };
            after = last.number;
            for letter in &letters {
                let item = Item {
                    change: letter.change.clone(),
                    // A rebuild reads the current states itself.
                    row_due: letter.row_due && letter.generation == generation,
                    message_due: letter.message_due,
                };
                let items = std::slice::from_ref(&item);
                let refused =
                    project::project(projection, &mut transaction, generation, items).await?;
                let reason = refused.first().map(|refused| &*refused.reason);
                self.record_retry(&mut transaction, letter.number, reason)
                    .await?;
                match reason {
                    Some(_) => retried.refused += 1,
                    None => retried.applied += 1,
                }
            }
            transaction.commit().await?;
            projection.committed();
        }
    }

    /// Locks the cursor and returns the generation of rows; nil when no cursor is stored.
    #[expect(
        clippy::disallowed_methods,
        reason = "the schema is a parameter; tested against PostgreSQL"
    )]
    async fn lock_cursor(self, connection: &mut PgConnection) -> Result<Uuid, sqlx::Error> {
        let sql = format!(
            "select coalesce(generation, epoch) from {}.feed_cursor where producer = $1 for update",
            self.schema
        );
        let generation: Option<Uuid> = sqlx::query_scalar(AssertSqlSafe(sql))
            .bind(self.producer)
            .fetch_optional(connection)
            .await?;
        Ok(generation.unwrap_or_default())
    }

    #[expect(
        clippy::disallowed_methods,
        reason = "the schema is a parameter; tested against PostgreSQL"
    )]
    async fn lock_letters(
        self,
        connection: &mut PgConnection,
        numbers: &[i64],
        after: i64,
    ) -> Result<Vec<Locked>, sqlx::Error> {
        let sql = format!(
            "select * from {}.feed_dead_letter
             where producer = $1 and number > $2 and (cardinality($3::bigint[]) = 0 or number = any($3))
             order by number limit {BATCH} for update",
            self.schema
        );
        let rows = sqlx::query(AssertSqlSafe(sql))
            .bind(self.producer)
            .bind(after)
            .bind(numbers)
            .fetch_all(connection)
            .await?;
        let letters = rows.iter().map(|row| {
            Ok(Locked {
                number: row.try_get("number")?,
                generation: row.try_get("generation")?,
                row_due: row.try_get("row_due")?,
                message_due: row.try_get("message_due")?,
                change: change(row)?,
            })
        });
        letters.collect()
    }

    /// Removes a dead letter that was applied, or stores why it was refused again.
    #[expect(
        clippy::disallowed_methods,
        reason = "the schema is a parameter; tested against PostgreSQL"
    )]
    async fn record_retry(
        self,
        connection: &mut PgConnection,
        number: i64,
        reason: Option<&str>,
    ) -> Result<(), sqlx::Error> {
        let schema = self.schema;
        let sql = match reason {
            None => format!(
                "delete from {schema}.feed_dead_letter where number = $1 and $2::text is null"
            ),
            Some(_) => {
                format!("update {schema}.feed_dead_letter set reason = $2 where number = $1")
            }
        };
        let reason = reason.map(|reason| reason.replace('\0', "\u{FFFD}"));
        sqlx::query(AssertSqlSafe(sql))
            .bind(number)
            .bind(reason)
            .execute(connection)
            .await?;
        Ok(())
    }
}

/// A dead letter that is retried.
struct Locked {
    number: i64,
    generation: Uuid,
    row_due: bool,
    message_due: bool,
    change: Change,
}

/// The oldest dead letters of a schema after the number `after`, of all producers.
#[expect(
    clippy::disallowed_methods,
    reason = "the schema is a parameter; tested against PostgreSQL"
)]
pub(super) async fn list(
    pool: &PgPool,
    schema: Schema,
    after: i64,
    limit: i64,
) -> Result<Vec<DeadLetter>, sqlx::Error> {
    let sql = format!(
        "select * from {schema}.feed_dead_letter where number > $1 order by number limit $2"
    );
    let rows = sqlx::query(AssertSqlSafe(sql))
        .bind(after)
        .bind(limit)
        .fetch_all(pool)
        .await?;
    let letters = rows.iter().map(|row| {
        Ok(DeadLetter {
            number: row.try_get("number")?,
            producer: row.try_get("producer")?,
            change: change(row)?,
            reason: row.try_get("reason")?,
            put_aside_at: row.try_get("put_aside_at")?,
        })
    });
    letters.collect()
}

fn change(row: &PgRow) -> Result<Change, sqlx::Error> {
    let at: Option<OffsetDateTime> = row.try_get("changed_at")?;
    Ok(Change {
        seq: row.try_get("seq")?,
        entity: row.try_get("entity")?,
        id: row.try_get("id")?,
        revision: row.try_get("revision")?,
        event: row.try_get("event")?,
        announced: row.try_get("announced")?,
        happening: row.try_get("happening")?,
        at: at.map(timestamp::encode),
        state: row.try_get::<Vec<u8>, _>("state")?.into(),
    })
}
