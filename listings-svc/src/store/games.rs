//! Games.

use serde_json::Value;
use sqlx::PgConnection;
use sqlx::types::Json;
use uuid::Uuid;

use super::{Changed, Found, Locked, Stored};
use crate::domain::game::Game;
use crate::domain::listing::Listing;
use crate::domain::mode::Mode;

impl Stored for Listing<Game> {
    async fn lock(
        connection: &mut PgConnection,
        mode: Mode,
        names: &[String],
    ) -> Result<Locked<Self>, sqlx::Error> {
        let held = sqlx::query_scalar!(
            r#"select to_json(game) as "listing!: Json<Self>" from listings.game
               where mode = $1 and slug = any($2) for no key update skip locked"#,
            mode.as_str(),
            names
        )
        .fetch_all(&mut *connection)
        .await?;
        if held.len() == names.len() {
            return Ok(Locked::all(held));
        }
        let present = sqlx::query_scalar!(
            r#"select slug from listings.game where mode = $1 and slug = any($2)"#,
            mode.as_str(),
            names
        )
        .fetch_all(connection)
        .await?;
        Ok(Locked::of(held, present))
    }

    async fn save(connection: &mut PgConnection, records: &Value) -> Result<(), sqlx::Error> {
        sqlx::query!(
            "insert into listings.game (
                 id, mode, state, revision, slug, title, tagline, description, cover_url, screenshots, genres,
                 platforms, stage, release_year, trailer_url, links, credits, featured, page_id, source, created_at,
                 updated_at, submitter, waiting_since
             )
             select
                 id, mode, state, revision, slug, title, tagline, description, cover_url, screenshots, genres,
                 platforms, stage, release_year, trailer_url, links, credits, featured, page_id, source, created_at,
                 updated_at, submitter, waiting_since
             from jsonb_populate_recordset(null::listings.game, $1)
             on conflict (id) do update set
                 state = excluded.state, revision = excluded.revision, title = excluded.title,
                 tagline = excluded.tagline, description = excluded.description, cover_url = excluded.cover_url,
                 screenshots = excluded.screenshots, genres = excluded.genres, platforms = excluded.platforms,
                 stage = excluded.stage, release_year = excluded.release_year, trailer_url = excluded.trailer_url,
                 links = excluded.links, credits = excluded.credits, featured = excluded.featured,
                 page_id = excluded.page_id, source = excluded.source, created_at = excluded.created_at,
                 updated_at = excluded.updated_at,
                 submitter = excluded.submitter, waiting_since = excluded.waiting_since",
            records
        )
        .execute(connection)
        .await?;
        Ok(())
    }
}

impl Changed for Listing<Game> {
    async fn update(
        connection: &mut PgConnection,
        ids: &[Uuid],
        fields: Vec<Value>,
    ) -> Result<(), sqlx::Error> {
        sqlx::query!(
            "update listings.game set (
                 state, revision, title, tagline, description, cover_url, screenshots, genres, platforms, stage,
                 release_year, trailer_url, links, credits, featured, page_id, source, created_at, updated_at,
                 submitter, waiting_since
             ) = (
                 select
                     new.state, new.revision, new.title, new.tagline, new.description, new.cover_url, new.screenshots,
                     new.genres, new.platforms, new.stage, new.release_year, new.trailer_url, new.links, new.credits,
                     new.featured, new.page_id, new.source, new.created_at, new.updated_at, new.submitter,
                     new.waiting_since
                 from jsonb_populate_record(game, change.fields) as new
             )
             from unnest($1::uuid[], $2::jsonb[]) as change (id, fields)
             where game.id = change.id and game.id = any($1)",
            ids,
            &fields
        )
        .execute(connection)
        .await?;
        Ok(())
    }
}

impl Found for Listing<Game> {
    async fn find(
        connection: &mut PgConnection,
        mode: Mode,
        names: &[String],
    ) -> Result<Vec<Self>, sqlx::Error> {
        let found = sqlx::query_scalar!(
            r#"select to_json(game) as "listing!: Json<Self>" from listings.game where mode = $1 and slug = any($2)"#,
            mode.as_str(),
            names
        )
        .fetch_all(connection)
        .await?;
        Ok(found.into_iter().map(|Json(listing)| listing).collect())
    }

    async fn taken(
        connection: &mut PgConnection,
        names: &[String],
    ) -> Result<Vec<String>, sqlx::Error> {
        sqlx::query_scalar!(
            "select slug from listings.game where mode = 'live' and slug = any($1)",
            names
        )
        .fetch_all(connection)
        .await
    }
}

/// Games of all worlds by id, those after `after`; each is locked. Rows that somebody else has locked are left out: whoever changes
/// them publishes them.
pub async fn walk(
    connection: &mut PgConnection,
    after: Uuid,
    limit: i64,
) -> Result<Vec<Listing<Game>>, sqlx::Error> {
    let rows = sqlx::query_scalar!(
        r#"select to_json(game) as "listing!: Json<Listing<Game>>" from listings.game
           where id > $1 order by id limit $2 for no key update skip locked"#,
        after,
        limit
    )
    .fetch_all(connection)
    .await?;
    Ok(rows.into_iter().map(|Json(row)| row).collect())
}
