//! The head of a feed: how far it has come, and in which life of its data.

use sqlx::postgres::types::Oid;
use sqlx::{AssertSqlSafe, PgConnection, Row as _};
use uuid::Uuid;

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
    /// An epoch ends when the data were restored, because rows that followers have seen may be gone and their numbers may be given
    /// out again. A restore shows in the server's identity or timeline (a base backup with recovery, a failover), in the database,
    /// or in the table itself (a dump).
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
            "with here as ({here})
             update {schema}.feed_head set incarnation = here.incarnation, epoch = gen_random_uuid()
             from here where feed_head.incarnation <> here.incarnation"
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
            let renewing = sqlx::query(AssertSqlSafe(renew.as_str()));
            if renewing.execute(&mut *connection).await?.rows_affected() > 0 {
                tracing::warn!(%schema, "the feed begins a new epoch: its data are new or were restored");
            }
        }
    }

    /// Begins a new epoch because a follower has seen more than there is: rows were lost that no restore tells of.
    #[expect(
        clippy::disallowed_methods,
        reason = "the schema is a parameter; tested against PostgreSQL"
    )]
    pub(super) async fn disown(
        self,
        connection: &mut PgConnection,
        schema: Schema,
    ) -> Result<(), sqlx::Error> {
        let sql =
            format!("update {schema}.feed_head set epoch = gen_random_uuid() where epoch = $1");
        sqlx::query(AssertSqlSafe(sql))
            .bind(self.epoch)
            .execute(connection)
            .await?;
        tracing::warn!(%schema, "the feed begins a new epoch: a follower has seen more than there is");
        Ok(())
    }
}
