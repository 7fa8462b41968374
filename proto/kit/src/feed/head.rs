//! The head of a feed: its newest `seq` and its epoch.

use sqlx::PgConnection;
use uuid::Uuid;

use crate::ids;
use crate::pg::Schema;

/// Identifies the physical database that a connection has reached.
const HERE: &str = "select concat_ws('/',
         (select system_identifier from pg_control_system()),
         left(pg_walfile_name(pg_current_wal_lsn()), 8),
         (select oid from pg_database where datname = current_database()),
         'kit.feed_head'::regclass::oid) as incarnation";
/// The incarnation in a head that no connection has read, as the migration inserts it.
const NEVER_READ: &str = "";

/// The head of the feed, as a connection has read it.
#[derive(Debug, Clone, Copy)]
pub(super) struct Head {
    pub(super) epoch: Uuid,
    pub(super) seq: i64,
}

impl Head {
    /// Reads the head, and begins a new epoch if the stored one belongs to another database.
    ///
    /// An epoch ends when its data move to another server: rows that followers have seen may be missing there, and their numbers may be
    /// given out again. The move shows in the server's identity or timeline (a base backup with recovery, a promoted replica), in
    /// the database, or in the table itself (a dump). Every connection calls this before it writes, so the new epoch forks from its
    /// parent at the head.
    pub(super) async fn of(
        connection: &mut PgConnection,
        schema: Schema,
    ) -> Result<Self, sqlx::Error> {
        let look = format!(
            "with here as ({HERE})
             select epoch, seq, feed_head.incarnation = here.incarnation
             from kit.feed_head, here"
        );
        loop {
            let query = schema.query_as::<(Uuid, i64, bool)>(&look);
            let (epoch, seq, is_current) = query.fetch_one(&mut *connection).await?;
            if is_current {
                return Ok(Self { epoch, seq });
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

    /// Begins a new epoch because a follower has seen rows that this feed does not have, although server and timeline are the same.
    pub(super) async fn fork(
        self,
        connection: &mut PgConnection,
        schema: Schema,
    ) -> Result<Self, sqlx::Error> {
        let sql = "with parent as (select epoch, seq from kit.feed_head where epoch = $2 for update),
             renewed as (update kit.feed_head set epoch = $1 from parent)
             insert into kit.feed_epoch (epoch, parent, forked_at_seq) select $1, epoch, seq from parent";
        schema
            .query(sql)
            .bind(ids::row_id())
            .bind(self.epoch)
            .execute(&mut *connection)
            .await?;
        tracing::warn!(%schema, "the feed begins a new epoch: a follower has seen rows that this database does not have");
        Self::of(connection, schema).await
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
         parent as (
             select epoch, seq, feed_head.incarnation as previous, here.incarnation from kit.feed_head, here
             where feed_head.incarnation <> here.incarnation for update of feed_head
         ),
         renewed as (
             update kit.feed_head set incarnation = parent.incarnation, epoch = $1 from parent
         ),
         begun as (
             insert into kit.feed_epoch (epoch, parent, forked_at_seq) select $1, epoch, seq from parent
         )
         select previous from parent"
    );
    let query = schema.query_scalar(&sql).bind(ids::row_id());
    query.fetch_optional(connection).await
}

#[cfg(test)]
mod tests {
    use sqlx::PgPool;

    use super::super::PRODUCER_TABLES;
    use super::*;

    const SCHEMA: Schema = Schema("kit");

    /// Only the second is worth a warning.
    #[testing::database_test]
    async fn an_install_and_a_move_to_another_database_are_told_apart(pool: PgPool) {
        let tables = format!("create schema kit; {PRODUCER_TABLES}");
        SCHEMA.raw_sql(&tables).execute(&pool).await.unwrap();
        let mut connection = pool.acquire().await.unwrap();
        let begun = begin_epoch(&mut connection, SCHEMA).await.unwrap();
        assert_eq!(begun.as_deref(), Some(NEVER_READ));
        let begun = begin_epoch(&mut connection, SCHEMA).await.unwrap();
        assert_eq!(begun, None);
        let first = Head::of(&mut connection, SCHEMA).await.unwrap();

        let elsewhere = "update kit.feed_head set incarnation = 'elsewhere'";
        SCHEMA.raw_sql(elsewhere).execute(&pool).await.unwrap();
        let begun = begin_epoch(&mut connection, SCHEMA).await.unwrap();
        assert_eq!(begun.as_deref(), Some("elsewhere"));
        let second = Head::of(&mut connection, SCHEMA).await.unwrap();
        assert_ne!(first.epoch, second.epoch);
        let lineage = "select count(*) from kit.feed_epoch";
        let lineage: i64 = SCHEMA.query_scalar(lineage).fetch_one(&pool).await.unwrap();
        assert_eq!(lineage, 2);
    }
}
