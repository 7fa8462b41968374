//! The head of a feed: how far it has come, and in which life of its data.

use sqlx::postgres::types::Oid;
use sqlx::{AssertSqlSafe, PgConnection, Row as _};
use uuid::Uuid;

use crate::ids;
use crate::pg::Schema;

/// The head of the feed as a connection met it.
#[derive(Debug, Clone, Copy)]
pub(super) struct Head {
    pub(super) epoch: Uuid,
    pub(super) seq: i64,
    /// The table that holds it; another one after a restore into the same database.
    pub(super) table: Oid,
}

impl Head {
    /// The head, after making sure that its epoch belongs to this very database.
    ///
    /// An epoch ends when the data became those of another server, because rows that followers have seen may be gone and their numbers
    /// may be given out again. That shows in the server's identity or timeline (a base backup with recovery, a promoted replica), in
    /// the database, or in the table itself (a dump). No connection writes before it has come through here, so the head is where the
    /// new epoch forks from its parent.
    #[expect(
        clippy::disallowed_methods,
        reason = "the schema is a parameter; tested against PostgreSQL"
    )]
    pub(super) async fn of(
        connection: &mut PgConnection,
        schema: Schema,
    ) -> Result<Self, sqlx::Error> {
        let here = format!(
            "select concat_ws('/',
                 (select system_identifier from pg_control_system()),
                 left(pg_walfile_name(pg_current_wal_lsn()), 8),
                 (select oid from pg_database where datname = current_database()),
                 '{schema}.feed_head'::regclass::oid) as incarnation"
        );
        let look = format!(
            "with here as ({here})
             select epoch, seq, feed_head.tableoid as head_table, feed_head.incarnation = here.incarnation as is_current
             from {schema}.feed_head, here"
        );
        let renew = format!(
            "with here as ({here}),
             parent as (
                 select epoch, seq, here.incarnation from {schema}.feed_head, here
                 where feed_head.incarnation <> here.incarnation for update of feed_head
             ),
             renewed as (
                 update {schema}.feed_head set incarnation = parent.incarnation, epoch = $1 from parent
             )
             insert into {schema}.feed_epoch (epoch, parent, forked_at_seq) select $1, epoch, seq from parent"
        );
        loop {
            let looking = sqlx::query(AssertSqlSafe(look.as_str()));
            let row = looking.fetch_one(&mut *connection).await?;
            if row.try_get("is_current")? {
                return Ok(Self {
                    epoch: row.try_get("epoch")?,
                    seq: row.try_get("seq")?,
                    table: row.try_get("head_table")?,
                });
            }
            // Of several that come at once one renews it. The others wait for that, and look again: what they saw is over.
            let renewing = sqlx::query(AssertSqlSafe(renew.as_str())).bind(ids::row_id());
            if renewing.execute(&mut *connection).await?.rows_affected() > 0 {
                tracing::warn!(%schema, "the feed begins a new epoch: its data are new, were restored, or a replica was promoted");
            }
        }
    }

    /// Begins a new epoch because a follower has seen rows that are not there: rows were lost that no restore tells of.
    #[expect(
        clippy::disallowed_methods,
        reason = "the schema is a parameter; tested against PostgreSQL"
    )]
    pub(super) async fn fork(
        self,
        connection: &mut PgConnection,
        schema: Schema,
    ) -> Result<Self, sqlx::Error> {
        let sql = format!(
            "with parent as (select epoch, seq from {schema}.feed_head where epoch = $2 for update),
             renewed as (update {schema}.feed_head set epoch = $1 from parent)
             insert into {schema}.feed_epoch (epoch, parent, forked_at_seq) select $1, epoch, seq from parent"
        );
        sqlx::query(AssertSqlSafe(sql))
            .bind(ids::row_id())
            .bind(self.epoch)
            .execute(&mut *connection)
            .await?;
        tracing::warn!(%schema, "the feed begins a new epoch: a follower has seen rows that are not there");
        Self::of(connection, schema).await
    }
}
