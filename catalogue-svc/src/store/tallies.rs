//! `catalogue.tally` and `catalogue.tally_hour`: the votes that count, added up from the catalogue's own feed.

use std::collections::{BTreeMap, BTreeSet};

use contracts::common::v1::Change;
use futures::TryStreamExt as _;
use kit::feed::{
    Position, Projection, ProjectionContext, Subscription, project_changes, read_changes,
};
use sqlx::{Connection as _, PgConnection, PgPool};
use uuid::Uuid;

use crate::SCHEMA;
use crate::domain::rankings::{BoardKind, Hour, Window};
use crate::domain::tally::{Record, Tallies};
use crate::domain::vote::TallyChange;

/// Changes of the feed that are added up in one transaction.
const BATCH: usize = 5_000;

/// The catalogue's own feed, as its dead letters name it.
const OWN_FEED: Subscription = Subscription {
    schema: SCHEMA,
    producer: OWN_PRODUCER,
};
/// The producer of the catalogue's own feed.
pub const OWN_PRODUCER: &str = "catalogue";

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

/// Adds what the feed has above the tallies to them. Of several that do so at once, one does. If the feed lacks changes, the votes are
/// counted again; all of the hour `oldest` and later ones are stored.
///
/// # Errors
/// PostgreSQL's. A change that cannot be decoded is put aside.
pub async fn fold(pool: &PgPool, oldest: Hour) -> anyhow::Result<()> {
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
        if found.has_gap(seq) {
            transaction.rollback().await?;
            tracing::error!(
                seq,
                head = found.head.seq,
                "changes of votes were removed from the feed before they were added up; the stored votes are counted again"
            );
            return Ok(recount(pool, oldest).await?);
        }
        let Some(last) = found.changes.last() else {
            return Ok(());
        };
        let (last, is_full) = (last.seq, !found.is_complete);
        let context = ProjectionContext {
            generation: Uuid::nil(),
            effects_after_seq: last,
        };
        project_changes(&mut transaction, OWN_FEED, &Votes, found.changes, context).await?;
        sqlx::query!("update catalogue.tally_head set seq = $1", last)
            .execute(&mut *transaction)
            .await?;
        transaction.commit().await?;
        if !is_full {
            return Ok(());
        }
    }
}

/// Corrects the tallies by the votes that are stored, of the hour `oldest` and later ones: the feed has not told all of them. The votes in
/// dead letters are stored as well: they are counted here, and their letters go.
async fn recount(pool: &PgPool, oldest: Hour) -> Result<(), sqlx::Error> {
    // It counts all votes, those up to the head of the feed.
    let begin = "begin isolation level repeatable read; set local statement_timeout = 0";
    let mut transaction = pool.begin_with(begin).await?;
    let head = sqlx::query_scalar!(
        "select feed_head.seq from catalogue.tally_head, catalogue.feed_head for no key update of tally_head skip locked"
    )
    .fetch_optional(&mut *transaction)
    .await?;
    let Some(head) = head else {
        return Ok(());
    };
    let rows = sqlx::query!(
        r#"with counted as (
               select kind, listing_id, (extract(epoch from date_bin('1 hour', at, 'epoch'))::bigint / 3600)::integer as hour,
                   count(*) filter (where won) as wins, count(*) filter (where not won) as losses
               from (
                   select voter_id, kind, low as listing_id, low_won as won, at from catalogue.vote
                   union all
                   select voter_id, kind, high, not low_won, at from catalogue.vote
               ) as vote join catalogue.voter on voter.id = voter_id
               where voter.voided_at is null and at >= $1
               group by 1, 2, 3
           ),
           held as (
               select tally.kind, listing_id, hour, tally_hour.wins, tally_hour.losses
               from catalogue.tally_hour join catalogue.tally using (listing_id) where hour >= $2
           )
           select coalesce(counted.kind, held.kind) as "kind!", listing_id as "listing_id!", hour as "hour!",
               coalesce(counted.wins, 0) - coalesce(held.wins, 0) as "wins!",
               coalesce(counted.losses, 0) - coalesce(held.losses, 0) as "losses!"
           from counted full join held using (listing_id, hour)
           where (counted.wins, counted.losses) is distinct from (held.wins::bigint, held.losses::bigint)"#,
        oldest.start(),
        number(oldest)
    )
    .fetch_all(&mut *transaction)
    .await?;
    let sums = rows.into_iter().filter_map(|row| {
        let key = (row.listing_id, hour(row.hour));
        Some((key, (BoardKind::parse(&row.kind)?, (row.wins, row.losses))))
    });
    add(&mut transaction, &sums.collect()).await?;
    sqlx::query!(
        "delete from catalogue.feed_dead_letter where producer = $1 and seq <= $2 and changed_at >= $3",
        OWN_PRODUCER,
        head,
        oldest.start()
    )
    .execute(&mut *transaction)
    .await?;
    sqlx::query!("update catalogue.tally_head set seq = $1", head)
        .execute(&mut *transaction)
        .await?;
    transaction.commit().await
}

/// Adds votes that could not be decoded when they were added up, if this version can decode them.
///
/// # Errors
/// PostgreSQL's.
pub async fn retry_dead_letters(pool: &PgPool) -> Result<(), sqlx::Error> {
    OWN_FEED.retry(pool, &Votes, &[]).await?;
    Ok(())
}

/// Adds votes to the tallies. A sum does not depend on the order, so a vote may come late.
#[derive(Debug, Clone, Copy)]
pub struct Votes;

impl Projection for Votes {
    type Row = Vec<TallyChange>;
    type Message = ();

    fn row(&self, change: &Change) -> anyhow::Result<Option<Self::Row>> {
        Ok(Some(TallyChange::read(change)?).filter(|changes| !changes.is_empty()))
    }

    async fn save(
        &self,
        connection: &mut PgConnection,
        _: Uuid,
        rows: Vec<Self::Row>,
    ) -> anyhow::Result<()> {
        let mut sums: BTreeMap<(Uuid, Hour), (BoardKind, Sum)> = BTreeMap::new();
        for change in rows.into_iter().flatten() {
            let key = (change.listing, change.hour);
            let (_, sum) = sums.entry(key).or_insert((change.kind, (0, 0)));
            *sum = (sum.0 + change.wins, sum.1 + change.losses);
        }
        Ok(add(connection, &sums).await?)
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

/// The sums of every listing for the hours of `empty`.
pub async fn load(connection: &mut PgConnection, empty: Tallies) -> Result<Tallies, sqlx::Error> {
    let first = |window: Window| window.first(empty.hour()).map_or(0, number);
    let rows = sqlx::query!(
        r#"select tally.listing_id, tally.kind,
               hours.week_wins as "week_wins?", hours.week_losses as "week_losses?",
               hours.month_wins as "month_wins?", hours.month_losses as "month_losses?",
               tally.wins - coalesce(hours.later_wins, 0) as "wins!", tally.losses - coalesce(hours.later_losses, 0) as "losses!"
           from catalogue.tally
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

/// The votes of these hours as the feed has them up to `at`, one item for each listing and hour. `None`: the tables are of another epoch, or
/// the feed lacks changes between them and `at`.
pub async fn of_hours(
    connection: &mut PgConnection,
    hours: &BTreeSet<Hour>,
    at: Position,
) -> Result<Option<Vec<TallyChange>>, sqlx::Error> {
    let begin = "begin isolation level repeatable read, read only";
    let mut moment = connection.begin_with(begin).await?;
    let position = position(&mut moment).await?;
    let numbers: Vec<i32> = hours.iter().copied().map(number).collect();
    let rows = sqlx::query!(
        "select tally.kind, listing_id, hour, tally_hour.wins, tally_hour.losses
         from catalogue.tally_hour join catalogue.tally using (listing_id) where hour = any($1)",
        &numbers
    )
    .fetch_all(&mut *moment)
    .await?;
    let rows = rows.into_iter().filter_map(|row| {
        let change = TallyChange {
            kind: BoardKind::parse(&row.kind)?,
            listing: row.listing_id,
            hour: hour(row.hour),
            wins: row.wins.into(),
            losses: row.losses.into(),
        };
        Some(((change.listing, change.hour), change))
    });
    let mut votes: BTreeMap<(Uuid, Hour), TallyChange> = rows.collect();
    // The tables are seconds behind `at`, or ahead of it. Votes are cast in the current hour, so the difference is what staff voided.
    let (mut seq, end, sign) = if position.seq < at.seq {
        (position.seq, at.seq, 1)
    } else {
        (at.seq, position.seq, -1)
    };
    while seq < end {
        let found = read_changes(&mut moment, SCHEMA, seq, BATCH).await?;
        for change in found.changes.iter().filter(|change| change.seq <= end) {
            if change.seq != seq + 1 {
                return Ok(None);
            }
            seq = change.seq;
            let changes = TallyChange::read(change).unwrap_or_default();
            for change in changes.iter().filter(|change| hours.contains(&change.hour)) {
                let key = (change.listing, change.hour);
                let vote = votes.entry(key).or_insert(TallyChange {
                    wins: 0,
                    losses: 0,
                    ..*change
                });
                vote.wins += sign * change.wins;
                vote.losses += sign * change.losses;
            }
        }
        if found.changes.is_empty() {
            return Ok(None);
        }
    }
    moment.commit().await?;
    let is_of_epoch = position.epoch == at.epoch;
    Ok(is_of_epoch.then(|| votes.into_values().collect()))
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
