//! The tables of pages, games and events: the same statements, each for the columns of its kind.

/// Implements the tables of a kind of listing.
///
/// `$select!` selects listings by a clause, in literals that it joins, and its arguments. `$key` is the column of the slug or the handle, and
/// `$columns` are those of the content and the columns that only this kind has.
macro_rules! listing_table {
    ($content:ident, $select:ident, $table:literal, $key:literal, $columns:literal) => {
        impl crate::store::RecordTable for Listing<$content> {
            async fn lock(
                connection: &mut sqlx::PgConnection,
                mode: crate::domain::mode::Mode,
                names: &[String],
            ) -> Result<Vec<Self>, sqlx::Error> {
                let locked = $select!(
                    ["where mode = $1 and " $key " = any($2) order by id for no key update"],
                    mode.as_str(),
                    names
                );
                locked.fetch_all(connection).await
            }

            async fn save(
                connection: &mut sqlx::PgConnection,
                records: &serde_json::Value,
            ) -> Result<(), sqlx::Error> {
                // `excluded` is the row that was not inserted. The subquery gives its columns the names that they have in `$columns`.
                sqlx::query!(
                    "insert into listings." + $table + " (
                         id, mode, " + $key + ", state, revision, submitter, waiting_since, created_at, first_published_at,
                         updated_at, " + $columns + "
                     )
                     select
                         id, mode, " + $key + ", state, revision, submitter, waiting_since, created_at, first_published_at,
                         updated_at, " + $columns + "
                     from jsonb_populate_recordset(null::listings." + $table + ", $1)
                     on conflict (id) do update set (
                         state, revision, submitter, waiting_since, created_at, first_published_at, updated_at, " + $columns + "
                     ) = (
                         select
                             state, revision, submitter, waiting_since, created_at, first_published_at, updated_at,
                             " + $columns + "
                         from (select excluded.*) as new
                     )",
                    records
                )
                .execute(connection)
                .await?;
                Ok(())
            }
        }

        impl crate::store::ListingTable for Listing<$content> {
            async fn update(
                connection: &mut sqlx::PgConnection,
                at: time::OffsetDateTime,
                revision: crate::store::revisions::Revision,
            ) -> Result<(), sqlx::Error> {
                let (actor_kind, actor) = revision.actor.columns();
                // The revision has only the changed fields. `jsonb_populate_record` takes the others from its first argument, the row as it
                // is stored.
                sqlx::query!(
                    "with changed as (
                         update listings." + $table + " set (
                             state, revision, submitter, waiting_since, created_at, first_published_at, updated_at,
                             " + $columns + "
                         ) = (
                             select
                                 state, revision, submitter, waiting_since, created_at, first_published_at, updated_at,
                                 " + $columns + "
                             from jsonb_populate_record(" + $table + ", $2) as new
                         )
                         where id = $1
                     )
                     insert into listings.revision (entity, id, revision, at, actor_kind, actor, before, after, reason)
                     values ('" + $table + "', $1, $3, $4, $5, $6, $7, $2, $8)",
                    revision.id,
                    revision.after,
                    revision.number,
                    at,
                    actor_kind,
                    actor,
                    revision.before,
                    revision.reason
                )
                .execute(connection)
                .await?;
                Ok(())
            }

            async fn find(
                connection: &mut sqlx::PgConnection,
                mode: crate::domain::mode::Mode,
                names: &[String],
            ) -> Result<Vec<Self>, sqlx::Error> {
                let found = $select!(
                    ["where mode = $1 and " $key " = any($2)"],
                    mode.as_str(),
                    names
                );
                found.fetch_all(connection).await
            }
        }
    };
}
pub(super) use listing_table;
