//! Events.

use sqlx::PgConnection;
use uuid::Uuid;

use crate::feeds::entity::{Body, Entity};

/// Writes events, over what was there.
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
    let mut slugs = Vec::with_capacity(entities.len());
    let mut bodies = Vec::with_capacity(entities.len());
    for entity in entities {
        let Body::Event(header, event) = &entity.body else {
            continue;
        };
        ids.push(header.id);
        modes.push(header.mode.as_str());
        states.push(header.state.as_str());
        revisions.push(event.revision);
        slugs.push(&*event.slug);
        bodies.push(&*entity.encoded);
    }
    sqlx::query!(
        "insert into catalogue.event (epoch, id, mode, state, revision, slug, body)
         select $1, new.id, new.mode, new.state, new.revision, new.slug, new.body
         from unnest($2::uuid[], $3::text[], $4::text[], $5::bigint[], $6::text[], $7::bytea[])
             as new (id, mode, state, revision, slug, body)
         on conflict (id) do update set
             epoch = excluded.epoch,
             mode = excluded.mode,
             state = excluded.state,
             revision = excluded.revision,
             slug = excluded.slug,
             body = excluded.body",
        epoch,
        &ids,
        &modes as &[&str],
        &states as &[&str],
        &revisions,
        &slugs as &[&str],
        &bodies as &[&[u8]],
    )
    .execute(connection)
    .await?;
    Ok(())
}

/// Removes events that no change of `epoch` brought.
pub(super) async fn sweep(connection: &mut PgConnection, epoch: Uuid) -> anyhow::Result<()> {
    sqlx::query!("delete from catalogue.event where epoch <> $1", epoch)
        .execute(connection)
        .await?;
    Ok(())
}
