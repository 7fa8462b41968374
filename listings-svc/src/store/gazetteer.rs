//! The tables of genres, countries and cities. They serve both datasets, so the mode is ignored.

use serde_json::Value;
use sqlx::PgConnection;
use sqlx::types::Json;

use super::{LockedRows, RecordTable, unwrap_json};
use crate::domain::country::Country;
use crate::domain::gazetteer::City;
use crate::domain::genre::Genre;
use crate::domain::mode::Mode;
use crate::domain::record::GazetteerEntry;

impl RecordTable for GazetteerEntry<Genre> {
    async fn lock(
        connection: &mut PgConnection,
        _mode: Mode,
        names: &[String],
    ) -> Result<LockedRows<Self>, sqlx::Error> {
        let locked = sqlx::query_scalar!(
            r#"select to_json(genre) as "entry!: Json<Self>" from listings.genre
               where key = any($1) order by key for no key update skip locked"#,
            names
        )
        .fetch_all(&mut *connection)
        .await?;
        if locked.len() == names.len() {
            return Ok(LockedRows::all(unwrap_json(locked)));
        }
        let present = sqlx::query_scalar!(
            r#"select key from listings.genre where key = any($1)"#,
            names
        )
        .fetch_all(connection)
        .await?;
        Ok(LockedRows::of(unwrap_json(locked), present))
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

impl RecordTable for GazetteerEntry<Country> {
    async fn lock(
        connection: &mut PgConnection,
        _mode: Mode,
        names: &[String],
    ) -> Result<LockedRows<Self>, sqlx::Error> {
        let locked = sqlx::query_scalar!(
            r#"select to_json(country) as "entry!: Json<Self>" from listings.country
               where code = any($1) order by code for no key update skip locked"#,
            names
        )
        .fetch_all(&mut *connection)
        .await?;
        if locked.len() == names.len() {
            return Ok(LockedRows::all(unwrap_json(locked)));
        }
        let present = sqlx::query_scalar!(
            r#"select code from listings.country where code = any($1)"#,
            names
        )
        .fetch_all(connection)
        .await?;
        Ok(LockedRows::of(unwrap_json(locked), present))
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

impl RecordTable for GazetteerEntry<City> {
    async fn lock(
        connection: &mut PgConnection,
        _mode: Mode,
        names: &[String],
    ) -> Result<LockedRows<Self>, sqlx::Error> {
        let locked = sqlx::query_scalar!(
            r#"select to_json(city) as "entry!: Json<Self>" from listings.city
               where slug = any($1) order by slug for no key update skip locked"#,
            names
        )
        .fetch_all(&mut *connection)
        .await?;
        if locked.len() == names.len() {
            return Ok(LockedRows::all(unwrap_json(locked)));
        }
        let present = sqlx::query_scalar!(
            r#"select slug from listings.city where slug = any($1)"#,
            names
        )
        .fetch_all(connection)
        .await?;
        Ok(LockedRows::of(unwrap_json(locked), present))
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
