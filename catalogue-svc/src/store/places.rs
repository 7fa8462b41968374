//! What the directory is ordered by: genres, countries and cities.

use sqlx::PgConnection;
use uuid::Uuid;

use crate::feeds::entity::{Body, Entity};

/// Writes genres, over what was there.
pub(super) async fn save_genres(
    connection: &mut PgConnection,
    entities: &[Entity],
    epoch: Uuid,
) -> anyhow::Result<()> {
    if entities.is_empty() {
        return Ok(());
    }
    let mut ids = Vec::with_capacity(entities.len());
    let mut keys = Vec::with_capacity(entities.len());
    let mut bodies = Vec::with_capacity(entities.len());
    for entity in entities {
        let Body::Genre(genre) = &entity.body else {
            continue;
        };
        ids.push(&*entity.id);
        keys.push(&*genre.key);
        bodies.push(&*entity.encoded);
    }
    sqlx::query!(
        "insert into catalogue.genre (epoch, id, key, body)
         select $1, new.id, new.key, new.body
         from unnest($2::text[], $3::text[], $4::bytea[]) as new (id, key, body)
         on conflict (id) do update set
             epoch = excluded.epoch, key = excluded.key, body = excluded.body",
        epoch,
        &ids as &[&str],
        &keys as &[&str],
        &bodies as &[&[u8]],
    )
    .execute(connection)
    .await?;
    Ok(())
}

/// Writes countries, over what was there.
pub(super) async fn save_countries(
    connection: &mut PgConnection,
    entities: &[Entity],
    epoch: Uuid,
) -> anyhow::Result<()> {
    if entities.is_empty() {
        return Ok(());
    }
    let mut ids = Vec::with_capacity(entities.len());
    let mut codes = Vec::with_capacity(entities.len());
    let mut bodies = Vec::with_capacity(entities.len());
    for entity in entities {
        let Body::Country(country) = &entity.body else {
            continue;
        };
        ids.push(&*entity.id);
        codes.push(&*country.code);
        bodies.push(&*entity.encoded);
    }
    sqlx::query!(
        "insert into catalogue.country (epoch, id, code, body)
         select $1, new.id, new.code, new.body
         from unnest($2::text[], $3::text[], $4::bytea[]) as new (id, code, body)
         on conflict (id) do update set
             epoch = excluded.epoch, code = excluded.code, body = excluded.body",
        epoch,
        &ids as &[&str],
        &codes as &[&str],
        &bodies as &[&[u8]],
    )
    .execute(connection)
    .await?;
    Ok(())
}

/// Writes cities, over what was there.
pub(super) async fn save_cities(
    connection: &mut PgConnection,
    entities: &[Entity],
    epoch: Uuid,
) -> anyhow::Result<()> {
    if entities.is_empty() {
        return Ok(());
    }
    let mut ids = Vec::with_capacity(entities.len());
    let mut slugs = Vec::with_capacity(entities.len());
    let mut country_codes = Vec::with_capacity(entities.len());
    let mut bodies = Vec::with_capacity(entities.len());
    for entity in entities {
        let Body::City(city) = &entity.body else {
            continue;
        };
        ids.push(&*entity.id);
        slugs.push(&*city.slug);
        country_codes.push(&*city.country_code);
        bodies.push(&*entity.encoded);
    }
    sqlx::query!(
        "insert into catalogue.city (epoch, id, slug, country_code, body)
         select $1, new.id, new.slug, new.country_code, new.body
         from unnest($2::text[], $3::text[], $4::text[], $5::bytea[]) as new (id, slug, country_code, body)
         on conflict (id) do update set
             epoch = excluded.epoch, slug = excluded.slug, country_code = excluded.country_code, body = excluded.body",
        epoch,
        &ids as &[&str],
        &slugs as &[&str],
        &country_codes as &[&str],
        &bodies as &[&[u8]],
    )
    .execute(connection)
    .await?;
    Ok(())
}

/// Removes what no change of `epoch` brought.
pub(super) async fn sweep(connection: &mut PgConnection, epoch: Uuid) -> anyhow::Result<()> {
    sqlx::query!("delete from catalogue.genre where epoch <> $1", epoch)
        .execute(&mut *connection)
        .await?;
    sqlx::query!("delete from catalogue.country where epoch <> $1", epoch)
        .execute(&mut *connection)
        .await?;
    sqlx::query!("delete from catalogue.city where epoch <> $1", epoch)
        .execute(&mut *connection)
        .await?;
    Ok(())
}
