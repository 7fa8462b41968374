//! Pages: creators, to the public.

use sqlx::PgConnection;
use uuid::Uuid;

use crate::feeds::entity::{Body, Entity};

/// Writes pages, over what was there.
pub(super) async fn save(
    connection: &mut PgConnection,
    entities: &[Entity],
    epoch: Uuid,
) -> anyhow::Result<()> {
    if entities.is_empty() {
        return Ok(());
    }
    let mut ids = Vec::with_capacity(entities.len());
    let mut modes = Vec::with_capacity(entities.len());
    let mut states = Vec::with_capacity(entities.len());
    let mut revisions = Vec::with_capacity(entities.len());
    let mut handles = Vec::with_capacity(entities.len());
    let mut bodies = Vec::with_capacity(entities.len());
    for entity in entities {
        let Body::Page(header, page) = &entity.body else {
            continue;
        };
        ids.push(header.id);
        modes.push(header.mode.as_str());
        states.push(header.state.as_str());
        revisions.push(page.revision);
        handles.push(&*page.handle);
        bodies.push(&*entity.encoded);
    }
    sqlx::query!(
        "insert into catalogue.page (epoch, id, mode, state, revision, handle, body)
         select $1, new.id, new.mode, new.state, new.revision, new.handle, new.body
         from unnest($2::uuid[], $3::text[], $4::text[], $5::bigint[], $6::text[], $7::bytea[])
             as new (id, mode, state, revision, handle, body)
         on conflict (id) do update set
             epoch = excluded.epoch,
             mode = excluded.mode,
             state = excluded.state,
             revision = excluded.revision,
             handle = excluded.handle,
             body = excluded.body",
        epoch,
        &ids,
        &modes as &[&str],
        &states as &[&str],
        &revisions,
        &handles as &[&str],
        &bodies as &[&[u8]],
    )
    .execute(connection)
    .await?;
    Ok(())
}

/// Removes pages that no change of `epoch` brought.
pub(super) async fn sweep(connection: &mut PgConnection, epoch: Uuid) -> anyhow::Result<()> {
    sqlx::query!("delete from catalogue.page where epoch <> $1", epoch)
        .execute(connection)
        .await?;
    Ok(())
}
