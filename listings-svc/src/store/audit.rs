//! Audit entries of imports.

use kit::audit::Entry;
use sqlx::PgConnection;
use time::OffsetDateTime;
use uuid::Uuid;

/// Records that a chunk was imported. The chunks of one call share one row, `call`, with their counts added up.
pub async fn record_import(
    connection: &mut PgConnection,
    call: Uuid,
    entry: Entry<'_>,
    created: u64,
    updated: u64,
    now: OffsetDateTime,
) -> Result<(), sqlx::Error> {
    sqlx::query!(
        "insert into listings.audit as existing (id, at, member, role, action, entity, name, refused, details)
         values ($1, $2, $3, $4, $5, $6, $7, false,
             $8::jsonb || jsonb_build_object('created', $9::bigint, 'updated', $10::bigint))
         on conflict (id) do update set details = existing.details || jsonb_build_object(
             'created', (existing.details ->> 'created')::bigint + $9::bigint,
             'updated', (existing.details ->> 'updated')::bigint + $10::bigint
         )",
        call,
        now,
        entry.member,
        entry.role,
        entry.action,
        entry.entity,
        entry.name,
        entry.details,
        created.cast_signed(),
        updated.cast_signed()
    )
    .execute(connection)
    .await?;
    Ok(())
}
