//! `catalogue.tally` and `catalogue.tally_hour`: the votes that count, added up from the catalogue's own feed.

use std::collections::BTreeMap;

use kit::feed::{Position, read_changes};
use sqlx::{PgConnection, PgPool};
use uuid::Uuid;

use crate::SCHEMA;
use crate::boards::{Tallies, TallyChange};
use crate::domain::rankings::{BoardKind, Hour};
use crate::domain::tally::{Record, Tally};

/// Changes of the feed that are added up in one transaction.
const BATCH: usize = 5_000;

/// Wins and losses that are added.
type Sum = (i64, i64);

/// How far the tallies have come in the feed.
pub async fn position(connection: &mut PgConnection) -> Result<Position, sqlx::Error> {
    sqlx::query_as!(
        Position,
        "select feed_head.epoch, tally_head.seq from catalogue.tally_head, catalogue.feed_head"
    )
    .fetch_one(connection)
    .await
}

/// Adds what the feed has above the tallies to them. Of several that do so at once, one does.
///
/// # Errors
/// PostgreSQL's, or a change that is damaged.
pub async fn fold(pool: &PgPool) -> anyhow::Result<()> {
    loop {
        let mut transaction = pool.begin().await?;
        let seq = sqlx::query_scalar!(
            "select seq from catalogue.tally_head for no key update skip locked"
        )
        .fetch_optional(&mut *transaction)
        .await?;
        let Some(seq) = seq else {
            return Ok(());
        };
        let found = read_changes(&mut transaction, SCHEMA, seq, BATCH).await?;
        let Some(last) = found.changes.last() else {
            return Ok(());
        };
        let mut sums: BTreeMap<(Uuid, Hour), (BoardKind, Sum)> = BTreeMap::new();
        for change in &found.changes {
            for change in TallyChange::read(change)? {
                let key = (change.listing, change.hour);
                let (_, sum) = sums.entry(key).or_insert((change.kind, (0, 0)));
                *sum = (sum.0 + change.wins, sum.1 + change.losses);
            }
        }
        add(&mut transaction, &sums).await?;
        sqlx::query!("update catalogue.tally_head set seq = $1", last.seq)
            .execute(&mut *transaction)
            .await?;
        transaction.commit().await?;
        if found.changes.len() < BATCH {
            return Ok(());
        }
    }
}

async fn add(
    connection: &mut PgConnection,
    sums: &BTreeMap<(Uuid, Hour), (BoardKind, Sum)>,
) -> Result<(), sqlx::Error> {
    if sums.is_empty() {
        return Ok(());
    }
    let mut all: BTreeMap<Uuid, (BoardKind, Sum)> = BTreeMap::new();
    for ((listing, _), (kind, sum)) in sums {
        let (_, held) = all.entry(*listing).or_insert((*kind, (0, 0)));
        *held = (held.0 + sum.0, held.1 + sum.1);
    }
    sqlx::query!(
        "insert into catalogue.tally as held (listing_id, kind, wins, losses)
         select * from unnest($1::uuid[], $2::text[], $3::bigint[], $4::bigint[])
         on conflict (listing_id) do update set wins = held.wins + excluded.wins, losses = held.losses + excluded.losses",
        &all.keys().copied().collect::<Vec<_>>(),
        &all.values().map(|(kind, _)| kind.as_str().to_owned()).collect::<Vec<_>>(),
        &all.values().map(|(_, sum)| sum.0).collect::<Vec<_>>(),
        &all.values().map(|(_, sum)| sum.1).collect::<Vec<_>>(),
    )
    .execute(&mut *connection)
    .await?;
    sqlx::query!(
        "insert into catalogue.tally_hour as held (listing_id, hour, wins, losses)
         select * from unnest($1::uuid[], $2::integer[], $3::integer[], $4::integer[])
         on conflict (listing_id, hour) do update set wins = held.wins + excluded.wins, losses = held.losses + excluded.losses",
        &sums.keys().map(|(listing, _)| *listing).collect::<Vec<_>>(),
        &sums.keys().map(|(_, hour)| number(*hour)).collect::<Vec<_>>(),
        &sums.values().map(|(_, sum)| small(sum.0)).collect::<Vec<_>>(),
        &sums.values().map(|(_, sum)| small(sum.1)).collect::<Vec<_>>(),
    )
    .execute(connection)
    .await?;
    Ok(())
}

/// Every tally: those of games, and those of creators.
pub async fn load(connection: &mut PgConnection) -> Result<(Tallies, Tallies), sqlx::Error> {
    // A row a listing, for rows cost more than what is in them.
    let rows = sqlx::query!(
        r#"select tally.listing_id, tally.kind, tally.wins, tally.losses,
               hours.hours as "hours?", hours.wins as "hour_wins?", hours.losses as "hour_losses?"
           from catalogue.tally
           left join (
               select listing_id, array_agg(hour order by hour) as hours, array_agg(wins order by hour) as wins,
                   array_agg(losses order by hour) as losses
               from catalogue.tally_hour group by listing_id
           ) as hours using (listing_id)"#
    );
    let mut rows = rows.fetch(connection);
    let (mut games, mut creators) = (Tallies::new(), Tallies::new());
    while let Some(row) = futures::TryStreamExt::try_next(&mut rows).await? {
        let hours = row.hours.unwrap_or_default();
        let wins = row.hour_wins.unwrap_or_default();
        let losses = row.hour_losses.unwrap_or_default();
        let records = wins
            .into_iter()
            .zip(losses)
            .map(|(wins, losses)| Record::default().plus(wins.into(), losses.into()));
        let hours = hours.into_iter().map(hour).zip(records);
        let all = Record::default().plus(row.wins, row.losses);
        let tally = Tally::new(all, hours.collect());
        if row.kind == BoardKind::Games.as_str() {
            games.insert(row.listing_id, tally);
        } else {
            creators.insert(row.listing_id, tally);
        }
    }
    Ok((games, creators))
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

fn hour(number: i32) -> Hour {
    Hour(u32::try_from(number).unwrap_or_default())
}

fn small(count: i64) -> i32 {
    i32::try_from(count).unwrap_or(if count < 0 { i32::MIN } else { i32::MAX })
}
