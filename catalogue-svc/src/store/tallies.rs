//! `catalogue.tally` and `catalogue.tally_hour`: the votes that count, added up.

use futures::TryStreamExt as _;
use sqlx::{PgConnection, PgPool};
use time::Date;
use uuid::Uuid;

use crate::domain::rankings::{BoardKind, Hour, Window};
use crate::domain::tally::{Record, Tallies};
use crate::domain::vote::Pair;

/// How often tallies have changed. Each committed change raises it.
pub async fn version(connection: &mut PgConnection) -> Result<i64, sqlx::Error> {
    sqlx::query_scalar!(
        r#"select coalesce(sum(changes), 0)::bigint as "version!" from catalogue.tally"#
    )
    .fetch_one(connection)
    .await
}

/// Adds stored votes of a voter to the sums, or (with a `sign` of -1) subtracts them: one vote, or all of them.
///
/// Votes on the same listing wait for each other. Every transaction locks rows in the order of the listings.
pub async fn add(
    connection: &mut PgConnection,
    voter: Uuid,
    vote: Option<(Date, Pair)>,
    sign: i64,
) -> Result<(), sqlx::Error> {
    let (day, pair) = vote.unzip();
    let (low, high) = pair.map(|Pair { low, high }| (low, high)).unzip();
    sqlx::query!(
        "with added as (
             select listing_id, kind, hour, $5::bigint * sum(wins) as wins, $5 * sum(losses) as losses from catalogue.listing_vote
             where voter_id = $1 and day between coalesce($2::date, '-infinity') and coalesce($2, 'infinity')
                 and low = coalesce($3::uuid, low) and high = coalesce($4::uuid, high)
             group by listing_id, kind, hour
         ), all_time as (
             insert into catalogue.tally as held (listing_id, kind, wins, losses)
             select listing_id, min(kind), sum(wins), sum(losses) from added group by listing_id order by listing_id
             on conflict (listing_id) do update set wins = held.wins + excluded.wins, losses = held.losses + excluded.losses,
                 changes = held.changes + 1
         )
         insert into catalogue.tally_hour as held (listing_id, hour, wins, losses)
         select listing_id, hour, wins, losses from added order by listing_id, hour
         on conflict (listing_id, hour) do update set wins = held.wins + excluded.wins, losses = held.losses + excluded.losses",
        voter,
        day,
        low,
        high,
        sign
    )
    .execute(connection)
    .await?;
    Ok(())
}

/// Loads the sums of every listing into `empty`, which says for which hours.
pub async fn load(connection: &mut PgConnection, empty: Tallies) -> Result<Tallies, sqlx::Error> {
    let first = |window: Window| window.first(empty.hour()).map_or(0, number);
    let mut rows = sqlx::query!(
        r#"select tally.listing_id, kind,
               hours.week_wins as "week_wins?", hours.week_losses as "week_losses?",
               hours.month_wins as "month_wins?", hours.month_losses as "month_losses?",
               wins - coalesce(hours.later_wins, 0) as "wins!", losses - coalesce(hours.later_losses, 0) as "losses!"
           from catalogue.tally left join (
               select listing_id,
                   sum(wins) filter (where hour >= $1 and hour < $3) as week_wins,
                   sum(losses) filter (where hour >= $1 and hour < $3) as week_losses,
                   sum(wins) filter (where hour < $3) as month_wins,
                   sum(losses) filter (where hour < $3) as month_losses,
                   sum(wins) filter (where hour >= $3) as later_wins,
                   sum(losses) filter (where hour >= $3) as later_losses
               from catalogue.tally_hour where hour >= $2 group by listing_id
           ) as hours using (listing_id)"#,
        first(Window::Week),
        first(Window::Month),
        empty.end().map_or(i32::MAX, number)
    ).fetch(connection);
    let mut tallies = empty;
    while let Some(row) = rows.try_next().await? {
        let record = |wins: Option<i64>, losses: Option<i64>| {
            Record::default().plus(wins.unwrap_or_default(), losses.unwrap_or_default())
        };
        if let Some(kind) = BoardKind::parse(&row.kind) {
            let records = [
                record(row.week_wins, row.week_losses),
                record(row.month_wins, row.month_losses),
                record(Some(row.wins), Some(row.losses)),
            ];
            tallies.insert(kind, row.listing_id, records);
        }
    }
    Ok(tallies)
}

/// Removes the hours before this one, which no board needs any more.
pub async fn remove_before(pool: &PgPool, oldest: Hour) -> Result<u64, sqlx::Error> {
    let removed = sqlx::query!("delete from catalogue.tally_hour where hour < $1", number(oldest))
        .execute(pool)
        .await?;
    Ok(removed.rows_affected())
}

fn number(hour: Hour) -> i32 {
    i32::try_from(hour.0).unwrap_or(i32::MAX)
}
