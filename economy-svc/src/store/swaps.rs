//! `economy.swap`.

use sqlx::{PgConnection, PgPool};
use time::OffsetDateTime;
use uuid::Uuid;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Swap {
    /// The id in the file that staff imported.
    pub id: String,
    pub at: OffsetDateTime,
    pub party: String,
    pub from_game: Uuid,
    pub to_game: Uuid,
    /// Units given in.
    pub gave: i64,
    /// Units given out.
    pub got: i64,
}

/// Books the swaps whose ids are new, and returns these ids.
pub async fn insert(
    connection: &mut PgConnection,
    swaps: &[Swap],
) -> Result<Vec<String>, sqlx::Error> {
    sqlx::query_scalar!(
        "insert into economy.swap (id, at, party, from_game, to_game, gave, got)
         select * from unnest($1::text[], $2::timestamptz[], $3::text[], $4::uuid[], $5::uuid[], $6::bigint[], $7::bigint[])
         -- In one order, so that two imports of the same swaps do not wait for each other.
         order by 1
         on conflict do nothing
         returning id",
        &column(swaps, |swap| swap.id.clone()),
        &column(swaps, |swap| swap.at),
        &column(swaps, |swap| swap.party.clone()),
        &column(swaps, |swap| swap.from_game),
        &column(swaps, |swap| swap.to_game),
        &column(swaps, |swap| swap.gave),
        &column(swaps, |swap| swap.got),
    )
    .fetch_all(connection)
    .await
}

fn column<T>(swaps: &[Swap], value: fn(&Swap) -> T) -> Vec<T> {
    swaps.iter().map(value).collect()
}

/// Removes the swaps with these ids, and returns the ids that there were.
pub async fn remove(
    connection: &mut PgConnection,
    ids: &[String],
) -> Result<Vec<String>, sqlx::Error> {
    sqlx::query_scalar!("delete from economy.swap where id = any ($1) returning id", ids)
        .fetch_all(connection)
        .await
}

/// Counts an import or a removal of swaps, for the [`version`](super::version).
pub async fn count_change(connection: &mut PgConnection) -> Result<(), sqlx::Error> {
    sqlx::query!("update economy.game_and_swap_changes set changes = changes + 1")
        .execute(connection)
        .await?;
    Ok(())
}

/// The swaps with these ids.
pub async fn find(connection: &mut PgConnection, ids: &[String]) -> Result<Vec<Swap>, sqlx::Error> {
    sqlx::query_as!(
        Swap,
        "select id, at, party, from_game, to_game, gave, got from economy.swap where id = any ($1)",
        ids
    )
    .fetch_all(connection)
    .await
}

/// Removes the parties of swaps before this moment, of at most `portion` swaps.
pub async fn remove_parties(
    pool: &PgPool,
    before: OffsetDateTime,
    portion: i64,
) -> Result<u64, sqlx::Error> {
    let removed = sqlx::query!(
        "update economy.swap set party = '' where id in (
             select id from economy.swap where at < $1 and party <> '' limit $2
         )",
        before,
        portion
    )
    .execute(pool)
    .await?;
    Ok(removed.rows_affected())
}

/// A booked swap.
#[derive(Debug, Clone)]
pub struct Row {
    pub id: String,
    pub at: OffsetDateTime,
    pub party: String,
    /// Slugs of the two games.
    pub from: String,
    pub to: String,
    pub gave: i64,
    pub got: i64,
}

/// The swaps from or to a game's currency, or all, the newest first, after the one with this time and id.
pub async fn list(
    pool: &PgPool,
    game: Option<Uuid>,
    after: Option<(OffsetDateTime, String)>,
    limit: i64,
) -> Result<Vec<Row>, sqlx::Error> {
    let (after, after_id) = after.unzip();
    sqlx::query_as!(
        Row,
        r#"select swap.id, at, party, one.slug as "from!", other.slug as "to!", gave, got
           from economy.swap
           join economy.game as one on one.id = from_game join economy.game as other on other.id = to_game
           where ($1::uuid is null or from_game = $1 or to_game = $1)
               and ($2::timestamptz is null or (at, swap.id) < ($2, $3::text))
           order by at desc, swap.id desc limit $4"#,
        game,
        after,
        after_id,
        limit
    )
    .fetch_all(pool)
    .await
}
