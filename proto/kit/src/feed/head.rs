//! The head of a feed: its newest `seq` and its epoch.

use sqlx::PgConnection;
use sqlx::postgres::types::Oid;
use uuid::Uuid;

use crate::ids;
use crate::pg::Schema;

/// The head of the feed, as a connection has read it.
#[derive(Debug, Clone, Copy)]
pub(super) struct Head {
    pub(super) epoch: Uuid,
    pub(super) seq: i64,
    /// The table of the head. It differs after a restore into the same database.
    pub(super) table: Oid,
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
        let here = "select concat_ws('/',
                 (select system_identifier from pg_control_system()),
                 left(pg_walfile_name(pg_current_wal_lsn()), 8),
                 (select oid from pg_database where datname = current_database()),
                 'kit.feed_head'::regclass::oid) as incarnation";
        let look = format!(
            "with here as ({here})
             select epoch, seq, feed_head.tableoid, feed_head.incarnation = here.incarnation
             from kit.feed_head, here"
        );
        let renew = format!("with here as ({here}),
             parent as (
                 select epoch, seq, here.incarnation from kit.feed_head, here
                 where feed_head.incarnation <> here.incarnation for update of feed_head
             ),
             renewed as (
                 update kit.feed_head set incarnation = parent.incarnation, epoch = $1 from parent
             )
             insert into kit.feed_epoch (epoch, parent, forked_at_seq) select $1, epoch, seq from parent");
        loop {
            let query = schema.query_as::<(Uuid, i64, Oid, bool)>(&look);
            let (epoch, seq, table, is_current) = query.fetch_one(&mut *connection).await?;
            if is_current {
                return Ok(Self { epoch, seq, table });
            }
            // One of several concurrent callers begins the epoch. The others wait for its row lock, then read the head again.
            let update = schema.query(&renew).bind(ids::row_id());
            if update.execute(&mut *connection).await?.rows_affected() > 0 {
                tracing::warn!(%schema, "the feed begins a new epoch: the database is new or restored, or a replica was promoted");
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
