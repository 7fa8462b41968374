//! `economy.currency` and `economy.currency_name`.

use std::collections::HashMap;

use kit::pg::RowLock;
use sqlx::{PgConnection, PgPool};
use time::OffsetDateTime;
use uuid::Uuid;

/// Locks the currency of a game; returns its revision.
pub async fn lock(connection: &mut PgConnection, game: Uuid) -> Result<RowLock<i64>, sqlx::Error> {
    let locked = sqlx::query_scalar!(
        "select revision from economy.currency where game_id = $1 for no key update skip locked",
        game
    )
    .fetch_optional(&mut *connection)
    .await?;
    let exists = locked.is_some() || exists(connection, game).await?;
    Ok(RowLock::new(locked, exists))
}

/// Whether a game has a currency.
pub async fn exists(connection: &mut PgConnection, game: Uuid) -> Result<bool, sqlx::Error> {
    sqlx::query_scalar!(
        r#"select exists (select 1 from economy.currency where game_id = $1) as "exists!""#,
        game
    )
    .fetch_one(connection)
    .await
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

/// The current name of a currency, and since when.
pub async fn name(
    connection: &mut PgConnection,
    game: Uuid,
) -> Result<Option<(String, OffsetDateTime)>, sqlx::Error> {
    let row = sqlx::query!(
        "select name, since from economy.currency_name where game_id = $1 order by since desc limit 1",
        game
    )
    .fetch_optional(connection)
    .await?;
    Ok(row.map(|row| (row.name, row.since)))
}

/// Names a game's currency from `since` on, and creates the currency if the game has none. Returns its revision.
///
/// A name is always newer than the one before it, by a millisecond at least, also when another replica's clock was ahead.
pub async fn set_name(
    connection: &mut PgConnection,
    game: Uuid,
    name: &str,
    given_by: &str,
    since: OffsetDateTime,
) -> Result<i64, sqlx::Error> {
    let revision = sqlx::query_scalar!(
        "insert into economy.currency as existing (game_id, revision) values ($1, 1)
         on conflict (game_id) do update set revision = existing.revision + 1 returning revision",
        game
    )
    .fetch_one(&mut *connection)
    .await?;
    sqlx::query!(
        "insert into economy.currency_name (game_id, since, name, given_by)
         select $1::uuid, greatest($2::timestamptz, max(since) + interval '1 millisecond'), $3::text, $4::text
         from economy.currency_name where game_id = $1",
        game,
        since,
        name,
        given_by
    )
    .execute(connection)
    .await?;
    Ok(revision)
}

/// A name of a currency.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Row {
    pub slug: String,
    pub name: String,
    pub since: OffsetDateTime,
    pub given_by: String,
}

/// The names of all currencies, or of one game's currency, ordered by slug, the newest name of a currency first; after the name with this
/// slug and time.
pub async fn names(
    pool: &PgPool,
    game: Option<Uuid>,
    after: Option<(String, OffsetDateTime)>,
    limit: i64,
) -> Result<Vec<Row>, sqlx::Error> {
    let (after, after_since) = after.unzip();
    sqlx::query_as!(
        Row,
        r#"select game.slug, currency_name.name, currency_name.since, currency_name.given_by
           from economy.currency_name join economy.game on game.id = currency_name.game_id
           where ($1::uuid is null or game.id = $1)
               and ($2::text is null or game.slug collate "C" > $2 or game.slug = $2 and currency_name.since < $3)
           order by game.slug collate "C", currency_name.since desc limit $4"#,
        game,
        after,
        after_since,
        limit
    )
    .fetch_all(pool)
    .await
}

/// A game of an account with one of its currency's names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OwnRow {
    pub slug: String,
    pub title: String,
    pub published: bool,
    /// `None`: the game has no currency.
    pub name: Option<String>,
    pub since: Option<OffsetDateTime>,
    pub given_by: Option<String>,
}

/// The live games of an account after the slug `after`, or the one with this slug, ordered by slug; at most `limit` games with at most
/// `names` names each, the newest first.
pub async fn of_account(
    pool: &PgPool,
    account: Uuid,
    slug: Option<&str>,
    after: Option<&str>,
    limit: i64,
    names: i64,
) -> Result<Vec<OwnRow>, sqlx::Error> {
    sqlx::query_as!(
        OwnRow,
        r#"select own.slug as "slug!", own.title as "title!", own.published as "published!",
               currency_name.name as "name?", currency_name.since as "since?", currency_name.given_by as "given_by?"
           from (
               select game.id, slug, title, published from economy.game join economy.page on page.id = game.page_id
               where mode = 'live' and owners @> array[$1::uuid] and ($2::text is null or slug = $2)
                   and ($3::text is null or slug collate "C" > $3)
               order by slug collate "C" limit $4
           ) as own
           left join lateral (
               select name, since, given_by from economy.currency_name where game_id = own.id order by since desc limit $5
           ) as currency_name on true
           order by own.slug collate "C", currency_name.since desc"#,
        account,
        slug,
        after,
        limit,
        names
    )
    .fetch_all(pool)
    .await
}
