//! The table of genres, countries and cities. They serve both datasets, so the mode is ignored.

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;
use sqlx::PgConnection;
use sqlx::types::Json;

use super::{RecordTable, unwrap_json};
use crate::domain::FromImportRow;
use crate::domain::content::Content;
use crate::domain::mode::Mode;
use crate::domain::record::GazetteerEntry;

impl<C: Content + FromImportRow + Serialize + DeserializeOwned + Unpin> RecordTable
    for GazetteerEntry<C>
{
    async fn lock(
        connection: &mut PgConnection,
        _mode: Mode,
        names: &[String],
    ) -> Result<Vec<Self>, sqlx::Error> {
        let locked = sqlx::query_scalar!(
            r#"select jsonb_build_object('revision', revision) || content as "entry!: Json<Self>" from listings.gazetteer
               where kind = $1 and key = any($2) order by key for no key update"#,
            C::ENTITY.as_str(),
            names
        )
        .fetch_all(connection)
        .await?;
        Ok(unwrap_json(locked))
    }

    async fn save(connection: &mut PgConnection, records: &Value) -> Result<(), sqlx::Error> {
        // A genre has a key, a country a code and a city a slug.
        sqlx::query!(
            "insert into listings.gazetteer (kind, key, revision, content)
             select $1, coalesce(entry ->> 'key', entry ->> 'code', entry ->> 'slug'), (entry ->> 'revision')::bigint,
                 entry - 'revision'
             from jsonb_array_elements($2) as entry
             on conflict (kind, key) do update
                 set revision = excluded.revision, content = excluded.content",
            C::ENTITY.as_str(),
            records
        )
        .execute(connection)
        .await?;
        Ok(())
    }
}
