//! `economy.currency`.

use std::collections::HashMap;

use sqlx::{PgConnection, PgPool};
use time::OffsetDateTime;
use uuid::Uuid;

use crate::domain::renames::Renames;

/// The name of a locked currency, and its renames.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LockedCurrency {
    pub name: String,
    pub renames: Renames,
}

/// Locks the currency of a game. Returns `None` if the game has none.
pub async fn lock(
    connection: &mut PgConnection,
    game: Uuid,
) -> Result<Option<LockedCurrency>, sqlx::Error> {
    let row = sqlx::query!(
        "select name, renamed_on, renames from economy.currency where game_id = $1 for no key update",
        game
    )
    .fetch_optional(connection)
    .await?;
    Ok(row.map(|row| LockedCurrency {
        name: row.name,
        renames: Renames { day: row.renamed_on, count: row.renames },
    }))
}

/// The ids of the games with these slugs that have a currency, by slug.
pub async fn of_slugs(
    pool: &PgPool,
    slugs: &[String],
) -> Result<HashMap<String, Uuid>, sqlx::Error> {
    let rows = sqlx::query!(
        "select game.slug, game.id from economy.game join economy.currency on currency.game_id = game.id
         where game.mode = 'live' and game.slug = any ($1)",
        slugs
    )
    .fetch_all(pool)
    .await?;
    Ok(rows.into_iter().map(|row| (row.slug, row.id)).collect())
}

/// Inserts the currency of a game. Returns false if the game has one.
pub async fn insert(
    connection: &mut PgConnection,
    game: Uuid,
    name: &str,
    given_by: &str,
    since: OffsetDateTime,
) -> Result<bool, sqlx::Error> {
    let inserted = sqlx::query!(
        "insert into economy.currency (game_id, name, since, given_by) values ($1, $2, $3, $4) on conflict do nothing",
        game,
        name,
        since,
        given_by
    )
    .execute(connection)
    .await?;
    Ok(inserted.rows_affected() > 0)
}

/// Renames the currency of a game.
pub async fn rename(
    connection: &mut PgConnection,
    game: Uuid,
    name: &str,
    given_by: &str,
    renames: Renames,
    since: OffsetDateTime,
) -> Result<(), sqlx::Error> {
    sqlx::query!(
        "update economy.currency set name = $2, since = $3, given_by = $4, renamed_on = $5, renames = $6, changes = changes + 1
         where game_id = $1",
        game,
        name,
        since,
        given_by,
        renames.day,
        renames.count
    )
    .execute(connection)
    .await?;
    Ok(())
}

/// The name of a currency.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Row {
    pub slug: String,
    pub name: String,
    pub since: OffsetDateTime,
    pub given_by: String,
}

/// The currency of a game, or all of them, ordered by slug, after this slug.
pub async fn list(
    pool: &PgPool,
    game: Option<Uuid>,
    after: Option<&str>,
    limit: i64,
) -> Result<Vec<Row>, sqlx::Error> {
    sqlx::query_as!(
        Row,
        r#"select game.slug, name, since, given_by
           from economy.currency join economy.game on game.id = currency.game_id
           where ($1::uuid is null or game.id = $1) and ($2::text is null or game.slug collate "C" > $2)
           order by game.slug collate "C" limit $3"#,
        game,
        after,
        limit
    )
    .fetch_all(pool)
    .await
}

/// A game of an account with its currency.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OwnRow {
    pub slug: String,
    pub title: String,
    pub published: bool,
    /// `None` if the game has no currency.
    pub name: Option<String>,
    pub since: Option<OffsetDateTime>,
    pub given_by: Option<String>,
}

/// The live games of an account after the slug `after`, or the one with this slug, ordered by slug.
pub async fn of_account(
    pool: &PgPool,
    account: Uuid,
    slug: Option<&str>,
    after: Option<&str>,
    limit: i64,
) -> Result<Vec<OwnRow>, sqlx::Error> {
    sqlx::query_as!(
        OwnRow,
        r#"select slug, title, published, name as "name?", since as "since?", given_by as "given_by?"
           from economy.game join economy.page on page.id = game.page_id
           left join economy.currency on currency.game_id = game.id
           where mode = 'live' and owners @> array[$1::uuid] and ($2::text is null or slug = $2)
               and ($3::text is null or slug collate "C" > $3)
           order by slug collate "C" limit $4"#,
        account,
        slug,
        after,
        limit
    )
    .fetch_all(pool)
    .await
}
