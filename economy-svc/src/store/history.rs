//! The counted reports of a game, one after the other.

use sqlx::PgPool;
use time::OffsetDateTime;
use uuid::Uuid;

use super::reports::report_of_row;
use crate::domain::figures::Counted;

/// A counted report.
#[derive(Debug, Clone)]
pub struct Entry {
    /// Its number.
    pub id: i64,
    /// Name of the currency then.
    pub currency: String,
    /// When it came, and what it says.
    pub counted: Counted,
}

/// Which counted reports of a game are wanted.
#[derive(Debug, Clone, Copy)]
pub struct Wanted {
    /// The game.
    pub game: Uuid,
    /// From this moment on.
    pub from: Option<OffsetDateTime>,
    /// Before this moment.
    pub to: Option<OffsetDateTime>,
    /// After this report.
    pub after: Option<(OffsetDateTime, i64)>,
}

/// Up to `most` counted reports, the oldest first.
pub async fn counted(pool: &PgPool, wanted: Wanted, most: i64) -> Result<Vec<Entry>, sqlx::Error> {
    let (after, after_id) = wanted.after.unzip();
    let rows = sqlx::query!(
        r#"select report.id, at, supply, minted, burned, meal, ride, wage, rent, output, active_players,
               policy_rate::text, naira_per_unit::text,
               (select name from economy.currency_name where game_id = $1 and since <= report.at
                order by since desc limit 1) as "currency!"
           from economy.report
           where game_id = $1 and counted
               and ($2::timestamptz is null or at >= $2) and ($3::timestamptz is null or at < $3)
               and ($4::timestamptz is null or (at, report.id) > ($4, $5::bigint))
           order by at, report.id limit $6"#,
        wanted.game,
        wanted.from,
        wanted.to,
        after,
        after_id,
        most
    )
    .fetch_all(pool)
    .await?;
    Ok(rows
        .into_iter()
        .map(|row| Entry {
            id: row.id,
            counted: Counted {
                at: row.at,
                report: report_of_row!(row),
            },
            currency: row.currency,
        })
        .collect())
}

/// How many counted reports of a game there are in all between two moments.
pub async fn count(pool: &PgPool, wanted: Wanted) -> Result<i64, sqlx::Error> {
    sqlx::query_scalar!(
        r#"select count(*) as "count!" from economy.report
           where game_id = $1 and counted
               and ($2::timestamptz is null or at >= $2) and ($3::timestamptz is null or at < $3)"#,
        wanted.game,
        wanted.from,
        wanted.to
    )
    .fetch_one(pool)
    .await
}

/// The two counted reports before this one, the newest first.
pub async fn before(
    pool: &PgPool,
    game: Uuid,
    (at, id): (OffsetDateTime, i64),
) -> Result<Vec<Counted>, sqlx::Error> {
    let rows = sqlx::query!(
        "select at, supply, minted, burned, meal, ride, wage, rent, output, active_players,
             policy_rate::text, naira_per_unit::text
         from economy.report where game_id = $1 and counted and (at, id) < ($2, $3)
         order by at desc, id desc limit 2",
        game,
        at,
        id
    )
    .fetch_all(pool)
    .await?;
    Ok(rows
        .into_iter()
        .map(|row| Counted {
            at: row.at,
            report: report_of_row!(row),
        })
        .collect())
}
