//! Games.

use sqlx::PgConnection;
use uuid::Uuid;

use crate::feeds::entity::{Body, Entity};

/// Writes games, over what was there.
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
    let mut page_ids = Vec::with_capacity(entities.len());
    let mut bodies = Vec::with_capacity(entities.len());
    for entity in entities {
        let Body::Game(header, game) = &entity.body else {
            continue;
        };
        ids.push(header.id);
        modes.push(header.mode.as_str());
        states.push(header.state.as_str());
        revisions.push(game.revision);
        slugs.push(&*game.slug);
        page_ids.push(game.page_id.parse::<Uuid>()?);
        bodies.push(&*entity.encoded);
    }
    sqlx::query!(
        "insert into catalogue.game (epoch, id, mode, state, revision, slug, page_id, body)
         select $1, new.id, new.mode, new.state, new.revision, new.slug, new.page_id, new.body
         from unnest($2::uuid[], $3::text[], $4::text[], $5::bigint[], $6::text[], $7::uuid[], $8::bytea[])
             as new (id, mode, state, revision, slug, page_id, body)
         on conflict (id) do update set
             epoch = excluded.epoch,
             mode = excluded.mode,
             state = excluded.state,
             revision = excluded.revision,
             slug = excluded.slug,
             page_id = excluded.page_id,
             body = excluded.body",
        epoch,
        &ids,
        &modes as &[&str],
        &states as &[&str],
        &revisions,
        &slugs as &[&str],
        &page_ids,
        &bodies as &[&[u8]],
    )
    .execute(connection)
    .await?;
    Ok(())
}

/// Removes games that no change of `epoch` brought.
pub(super) async fn sweep(connection: &mut PgConnection, epoch: Uuid) -> anyhow::Result<()> {
    sqlx::query!("delete from catalogue.game where epoch <> $1", epoch)
        .execute(connection)
        .await?;
    Ok(())
}
