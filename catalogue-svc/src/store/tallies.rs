//! `catalogue.tally` and `catalogue.tally_hour`: the votes that count, added up.

use std::collections::BTreeMap;

use futures::TryStreamExt as _;
use sqlx::{PgConnection, PgPool};

use crate::domain::rankings::{BoardKind, Hour, Window};
use crate::domain::tally::{Record, Tallies, TallyChange};

/// How often tallies have changed. Each committed change raises it.
pub async fn version(connection: &mut PgConnection) -> Result<i64, sqlx::Error> {
    sqlx::query_scalar!(
        r#"select coalesce(sum(changes), 0)::bigint as "version!" from catalogue.tally"#
    )
    .fetch_one(connection)
    .await
}

/// Adds votes to the sums. Waits for no other transaction.
pub async fn add(
    connection: &mut PgConnection,
    changes: &[TallyChange],
) -> Result<(), sqlx::Error> {
    if changes.is_empty() {
        return Ok(());
    }
    let all = sums(changes, |change| change.listing);
    sqlx::query!(
        "with change as (
             select * from unnest($1::uuid[], $2::text[], $3::bigint[], $4::bigint[]) as change (listing_id, kind, wins, losses)
         ), unlocked as (
             select change.*, held.slot from change cross join lateral (
                 select slot from catalogue.tally where listing_id = change.listing_id limit 1 for update skip locked
             ) as held
         ), raised as (
             update catalogue.tally as held
             set wins = held.wins + unlocked.wins, losses = held.losses + unlocked.losses, changes = held.changes + 1
             from unlocked where held.listing_id = unlocked.listing_id and held.slot = unlocked.slot
             returning held.listing_id
         )
         insert into catalogue.tally (listing_id, kind, wins, losses)
         select * from change where listing_id not in (select listing_id from raised)",
        &all.iter().map(|sum| sum.listing).collect::<Vec<_>>(),
        &all.iter().map(|sum| sum.kind.as_str().to_owned()).collect::<Vec<_>>(),
        &all.iter().map(|sum| sum.wins).collect::<Vec<_>>(),
        &all.iter().map(|sum| sum.losses).collect::<Vec<_>>(),
    )
    .execute(&mut *connection)
    .await?;
    let hours = sums(changes, |change| (change.listing, change.hour));
    sqlx::query!(
        "with change as (
             select * from unnest($1::uuid[], $2::integer[], $3::integer[], $4::integer[]) as change (listing_id, hour, wins, losses)
         ), unlocked as (
             select change.*, held.slot from change cross join lateral (
                 select slot from catalogue.tally_hour where listing_id = change.listing_id and hour = change.hour
                 limit 1 for update skip locked
             ) as held
         ), raised as (
             update catalogue.tally_hour as held set wins = held.wins + unlocked.wins, losses = held.losses + unlocked.losses
             from unlocked
             where held.listing_id = unlocked.listing_id and held.hour = unlocked.hour and held.slot = unlocked.slot
             returning held.listing_id, held.hour
         )
         insert into catalogue.tally_hour (listing_id, hour, wins, losses)
         select * from change where (listing_id, hour) not in (select listing_id, hour from raised)",
        &hours.iter().map(|sum| sum.listing).collect::<Vec<_>>(),
        &hours.iter().map(|sum| number(sum.hour)).collect::<Vec<_>>(),
        &hours.iter().map(|sum| small(sum.wins)).collect::<Vec<_>>(),
        &hours.iter().map(|sum| small(sum.losses)).collect::<Vec<_>>(),
    )
    .execute(connection)
    .await?;
    Ok(())
}

/// The sums of changes with the same key: one statement cannot write a row twice.
fn sums<K: Ord>(changes: &[TallyChange], key: impl Fn(&TallyChange) -> K) -> Vec<TallyChange> {
    let mut sums: BTreeMap<K, TallyChange> = BTreeMap::new();
    for change in changes {
        let none = TallyChange {
            wins: 0,
            losses: 0,
            ..*change
        };
        let sum = sums.entry(key(change)).or_insert(none);
        sum.wins += change.wins;
        sum.losses += change.losses;
    }
    sums.into_values().collect()
}

/// Loads the sums of every listing into `empty`, which says for which hours.
pub async fn load(connection: &mut PgConnection, empty: Tallies) -> Result<Tallies, sqlx::Error> {
    let first = |window: Window| window.first(empty.hour()).map_or(0, number);
    let rows = sqlx::query!(
        r#"select tally.listing_id as "listing_id!", tally.kind as "kind!",
               hours.week_wins as "week_wins?", hours.week_losses as "week_losses?",
               hours.month_wins as "month_wins?", hours.month_losses as "month_losses?",
               tally.wins - coalesce(hours.later_wins, 0) as "wins!", tally.losses - coalesce(hours.later_losses, 0) as "losses!"
           from (
               select listing_id, kind, sum(wins)::bigint as wins, sum(losses)::bigint as losses from catalogue.tally group by 1, 2
           ) as tally
           left join (
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
    );
    let mut rows = rows.fetch(connection);
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
    let removed = sqlx::query!(
        "delete from catalogue.tally_hour where hour < $1",
        number(oldest)
    )
    .execute(pool)
    .await?;
    Ok(removed.rows_affected())
}

fn number(hour: Hour) -> i32 {
    i32::try_from(hour.0).unwrap_or(i32::MAX)
}

fn small(count: i64) -> i32 {
    i32::try_from(count).unwrap_or(if count < 0 { i32::MIN } else { i32::MAX })
}
