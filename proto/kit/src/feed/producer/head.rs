//! The head of a feed: its newest `seq` and its epoch.

use sqlx::PgConnection;
use time::OffsetDateTime;
use uuid::Uuid;

use crate::feed::{Cursor, Position};
use crate::ids;
use crate::pg::Schema;

/// Identifies the physical database that a connection has reached. A standby has no timeline of its own, and is never the database of an
/// epoch: the write that begins one fails there.
const HERE: &str = "select concat_ws('/',
         (select system_identifier from pg_control_system()),
         case when not pg_is_in_recovery() then left(pg_walfile_name(pg_current_wal_lsn()), 8) end,
         (select oid from pg_database where datname = current_database()),
         'kit.feed_head'::regclass::oid) as incarnation";
/// Whether the epoch in the head is that of this database. One of version 4 never is: an operator has set it, or the migration.
const IS_CURRENT: &str =
    "feed_head.incarnation = here.incarnation and substr(feed_head.epoch::text, 15, 1) = '7'";
/// The incarnation in a head that no connection has read, as the migration inserts it.
const NEVER_READ: &str = "";

/// The head of the feed, as a connection has read it.
#[derive(Debug, Clone, Copy)]
pub(super) struct Head {
    pub(super) epoch: Uuid,
    pub(super) seq: i64,
    /// The time of the newest change.
    pub(super) at: OffsetDateTime,
    /// PostgreSQL's time of the read.
    pub(super) read_at: OffsetDateTime,
}

impl Head {
    /// Reads the head, and begins a new epoch if the stored one belongs to another database.
    ///
    /// An epoch ends when its data move to another server, which may lack rows that followers have
    /// seen, and may reuse their numbers. The move shows in the server's identity or timeline (a
    /// base backup with recovery, a promoted replica), in the database, or in the table itself (a
    /// dump). A copy of the disk shows in none of them, but at the next [follower](Self::resume).
    /// Every transaction reads the head before it writes, so that an epoch has each number once.
    /// Epochs are UUIDs of version 7, so that a newer one can be told from an older one.
    pub(super) async fn read(
        connection: &mut PgConnection,
        schema: Schema,
    ) -> Result<Self, sqlx::Error> {
        loop {
            if let Some(head) = Self::read_current(connection, schema).await? {
                return Ok(head);
            }
            match begin_epoch(connection, schema).await?.as_deref() {
                None => {}
                Some(NEVER_READ) => {
                    tracing::info!(%schema, "the feed begins: the database is new");
                }
                Some(_) => {
                    tracing::warn!(%schema, "the feed begins a new epoch: the database was restored, or a replica was promoted");
                }
            }
        }
    }

    /// Reads the head. Returns `None` if its epoch belongs to another database.
    pub(super) async fn read_current(
        connection: &mut PgConnection,
        schema: Schema,
    ) -> Result<Option<Self>, sqlx::Error> {
        let sql = format!(
            "with here as ({HERE})
             select epoch, seq, at, clock_timestamp(), {IS_CURRENT} from kit.feed_head, here"
        );
        let query = schema.query_as::<(Uuid, i64, OffsetDateTime, OffsetDateTime, bool)>(&sql);
        let (epoch, seq, at, read_at, is_current) = query.fetch_one(connection).await?;
        Ok(is_current.then_some(Self { epoch, seq, at, read_at }))
    }

    /// Reads the head, and from where a follower that has applied the changes up to `applied`
    /// continues: `None` if it has to rebuild.
    ///
    /// If it has applied a change of this epoch that the feed does not have, the database has lost
    /// changes, and the epoch ends: their numbers are given again. Of a change that compaction has
    /// deleted nobody can tell.
    pub(super) async fn resume(
        connection: &mut PgConnection,
        schema: Schema,
        applied: Option<Cursor>,
    ) -> Result<(Self, Option<Cursor>), sqlx::Error> {
        let head = Self::read(connection, schema).await?;
        let Some(applied) = applied.filter(|applied| applied.position.epoch == head.epoch) else {
            return Ok((head, None));
        };
        let found = match applied.position.seq {
            0 => Some(applied.at),
            seq if seq == head.seq => Some(head.at),
            seq => {
                let sql = "select at from kit.feed where seq = $1";
                schema.query_scalar(sql).bind(seq).fetch_optional(&mut *connection).await?
            }
        };
        let is_lost = found.map_or(applied.position.seq > head.seq, |at| at != applied.at);
        if !is_lost {
            return Ok((head, found.map(|_| applied)));
        }
        end_epoch(connection, schema, head.epoch).await?;
        tracing::warn!(%schema, seq = applied.position.seq, "the feed begins a new epoch: the database has lost changes that a follower has");
        Ok((Self::read(connection, schema).await?, None))
    }

    pub(super) fn position(&self) -> Position {
        Position { epoch: self.epoch, seq: self.seq }
    }
}

/// Begins an epoch in this database, and returns the incarnation of the previous one. `None` when another connection has begun it: of several
/// concurrent callers one begins it, and the others wait for its row lock.
async fn begin_epoch(
    connection: &mut PgConnection,
    schema: Schema,
) -> Result<Option<String>, sqlx::Error> {
    let sql = format!(
        "with here as ({HERE}),
         ended as (
             select feed_head.incarnation as previous, here.incarnation from kit.feed_head, here
             where not ({IS_CURRENT}) for update of feed_head
         ),
         renewed as (
             update kit.feed_head set incarnation = ended.incarnation, epoch = $1 from ended
         )
         select previous from ended"
    );
    let query = schema.query_scalar(&sql).bind(ids::row_id());
    query.fetch_optional(connection).await
}

/// Begins another epoch, unless somebody has ended this one already.
async fn end_epoch(
    connection: &mut PgConnection,
    schema: Schema,
    ended: Uuid,
) -> Result<(), sqlx::Error> {
    let sql = "update kit.feed_head set epoch = $1 where epoch = $2";
    schema.query(sql).bind(ids::row_id()).bind(ended).execute(connection).await?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use sqlx::PgPool;

    use super::super::TABLES;
    use super::*;

    const SCHEMA: Schema = Schema("kit");

    /// In order: a new database; a move, which is the only one worth a warning; an epoch that an
    /// operator has set.
    #[testing::database_test]
    async fn an_epoch_begins_in_a_new_database_after_a_move_and_when_an_operator_says_so(
        pool: PgPool,
    ) {
        let tables = format!("create schema kit; {TABLES}");
        SCHEMA.raw_sql(&tables).execute(&pool).await.unwrap();
        let mut connection = pool.acquire().await.unwrap();
        let begun = begin_epoch(&mut connection, SCHEMA).await.unwrap();
        assert_eq!(begun.as_deref(), Some(NEVER_READ));
        let begun = begin_epoch(&mut connection, SCHEMA).await.unwrap();
        assert_eq!(begun, None);
        let mut before = Head::read(&mut connection, SCHEMA).await.unwrap().position();
        for change in ["incarnation = 'elsewhere'", "epoch = gen_random_uuid()"] {
            let sql = format!("update kit.feed_head set {change}");
            SCHEMA.raw_sql(&sql).execute(&pool).await.unwrap();
            let after = Head::read(&mut connection, SCHEMA).await.unwrap().position();
            assert!(after.is_of_newer_epoch(before), "{change}");
            before = after;
        }
    }
}
