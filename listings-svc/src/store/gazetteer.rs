//! Genres, countries and cities. They serve both worlds, so the mode counts for nothing here.

use serde_json::Value;
use sqlx::PgConnection;
use sqlx::types::Json;

use super::Stored;
use crate::domain::city::City;
use crate::domain::country::Country;
use crate::domain::genre::Genre;
use crate::domain::mode::Mode;
use crate::domain::record::Entry;

impl Stored for Entry<Genre> {
    async fn lock(
        connection: &mut PgConnection,
        _mode: Mode,
        names: &[String],
    ) -> Result<Option<Vec<Self>>, sqlx::Error> {
        let held = sqlx::query_scalar!(
            r#"select to_jsonb(genre) as "entry!: Json<Self>" from listings.genre
               where key = any($1) order by key for no key update skip locked"#,
            names
        )
        .fetch_all(&mut *connection)
        .await?;
        let present = sqlx::query_scalar!(
            r#"select count(*) as "count!" from listings.genre where key = any($1)"#,
            names
        )
        .fetch_one(connection)
        .await?;
        Ok(unless_missing(held, present))
    }

    async fn save(connection: &mut PgConnection, records: &Value) -> Result<(), sqlx::Error> {
        sqlx::query!(
            "insert into listings.genre (key, name, source, revision)
             select key, name, source, revision from jsonb_populate_recordset(null::listings.genre, $1)
             on conflict (key) do update set name = excluded.name, source = excluded.source, revision = excluded.revision",
            records
        )
        .execute(connection)
        .await?;
        Ok(())
    }
}

impl Stored for Entry<Country> {
    async fn lock(
        connection: &mut PgConnection,
        _mode: Mode,
        names: &[String],
    ) -> Result<Option<Vec<Self>>, sqlx::Error> {
        let held = sqlx::query_scalar!(
            r#"select to_jsonb(country) as "entry!: Json<Self>" from listings.country
               where code = any($1) order by code for no key update skip locked"#,
            names
        )
        .fetch_all(&mut *connection)
        .await?;
        let present = sqlx::query_scalar!(
            r#"select count(*) as "count!" from listings.country where code = any($1)"#,
            names
        )
        .fetch_one(connection)
        .await?;
        Ok(unless_missing(held, present))
    }

    async fn save(connection: &mut PgConnection, records: &Value) -> Result<(), sqlx::Error> {
        sqlx::query!(
            "insert into listings.country (code, name, source, revision)
             select code, name, source, revision from jsonb_populate_recordset(null::listings.country, $1)
             on conflict (code) do update set name = excluded.name, source = excluded.source, revision = excluded.revision",
            records
        )
        .execute(connection)
        .await?;
        Ok(())
    }
}

impl Stored for Entry<City> {
    async fn lock(
        connection: &mut PgConnection,
        _mode: Mode,
        names: &[String],
    ) -> Result<Option<Vec<Self>>, sqlx::Error> {
        let held = sqlx::query_scalar!(
            r#"select to_jsonb(city) as "entry!: Json<Self>" from listings.city
               where slug = any($1) order by slug for no key update skip locked"#,
            names
        )
        .fetch_all(&mut *connection)
        .await?;
        let present = sqlx::query_scalar!(
            r#"select count(*) as "count!" from listings.city where slug = any($1)"#,
            names
        )
        .fetch_one(connection)
        .await?;
        Ok(unless_missing(held, present))
    }

    async fn save(connection: &mut PgConnection, records: &Value) -> Result<(), sqlx::Error> {
        sqlx::query!(
            "insert into listings.city (slug, name, country_code, population, source, revision)
             select slug, name, country_code, population, source, revision
             from jsonb_populate_recordset(null::listings.city, $1)
             on conflict (slug) do update set name = excluded.name, country_code = excluded.country_code,
                 population = excluded.population, source = excluded.source, revision = excluded.revision",
            records
        )
        .execute(connection)
        .await?;
        Ok(())
    }
}

/// What is held, unless there is more than that: then somebody else has the rest.
pub(super) fn unless_missing<T>(held: Vec<Json<T>>, present: i64) -> Option<Vec<T>> {
    (i64::try_from(held.len()) == Ok(present))
        .then(|| held.into_iter().map(|Json(record)| record).collect())
}
