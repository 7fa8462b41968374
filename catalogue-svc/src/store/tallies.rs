//! `catalogue.tally` and `catalogue.tally_hour`: the votes that count, added up.

use futures::TryStreamExt as _;
use sqlx::{PgConnection, PgPool};
use uuid::Uuid;

use crate::domain::rankings::{BoardKind, Hour, Window};
use crate::domain::tally::{Record, Tallies};
use crate::domain::vote::Vote;

/// How often tallies have changed. Each committed change raises it.
pub async fn version(connection: &mut PgConnection) -> Result<i64, sqlx::Error> {
    sqlx::query_scalar!(
        r#"select coalesce(sum(changes), 0)::bigint as "version!" from catalogue.tally"#
    )
    .fetch_one(connection)
    .await
}

/// Votes of an hour for and against a listing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HourVotes {
    pub listing_id: Uuid,
    /// A [`BoardKind`], or a kind that only a later release has.
    pub kind: String,
    /// The number of an [`Hour`].
    pub hour: i32,
    pub wins: i64,
    pub losses: i64,
}

impl HourVotes {
    /// The votes of one vote that was cast in an hour.
    pub fn of_vote(vote: &Vote, hour: Hour) -> Vec<Self> {
        let Some(winner) = vote.winner else {
            return Vec::new();
        };
        let of_listing = |listing_id: Uuid| Self {
            listing_id,
            kind: vote.kind.as_str().to_owned(),
            hour: number(hour),
            wins: (listing_id == winner).into(),
            losses: (listing_id != winner).into(),
        };
        [vote.pair.low, vote.pair.high].map(of_listing).into()
    }
}

/// Adds votes to the sums, or (with a `sign` of -1) subtracts them. `now` is the current hour.
///
/// Votes on the same listing wait for each other. Every transaction locks the sums of hours in
/// their order and in that of the listings, and then those of all time. A void of many votes comes
/// to those that votes lock at the end: the current hour, and all time.
pub async fn add(
    connection: &mut PgConnection,
    votes: &[HourVotes],
    sign: i64,
    now: Hour,
) -> Result<(), sqlx::Error> {
    let now = number(now);
    let listings: Vec<Uuid> = votes.iter().map(|it| it.listing_id).collect();
    let kinds: Vec<String> = votes.iter().map(|it| it.kind.clone()).collect();
    let hours: Vec<i32> = votes.iter().map(|it| it.hour).collect();
    let wins: Vec<i64> = votes.iter().map(|it| sign * it.wins).collect();
    let losses: Vec<i64> = votes.iter().map(|it| sign * it.losses).collect();
    if hours.iter().any(|hour| *hour < now) {
        sqlx::query!(
            "insert into catalogue.tally_hour as held (listing_id, hour, wins, losses)
             select listing_id, hour, wins, losses
             from unnest($1::uuid[], $2::integer[], $3::bigint[], $4::bigint[]) as added (listing_id, hour, wins, losses)
             where hour < $5 order by hour, listing_id
             on conflict (listing_id, hour) do update set wins = held.wins + excluded.wins, losses = held.losses + excluded.losses",
            &listings,
            &hours,
            &wins,
            &losses,
            now
        )
        .execute(&mut *connection)
        .await?;
    }
    sqlx::query!(
        "with added as (
             select * from unnest($1::uuid[], $2::text[], $3::integer[], $4::bigint[], $5::bigint[])
                 as added (listing_id, kind, hour, wins, losses)
         ), all_time as (
             insert into catalogue.tally as held (listing_id, kind, wins, losses)
             select listing_id, min(kind), sum(wins), sum(losses) from added group by listing_id order by listing_id
             on conflict (listing_id) do update set wins = held.wins + excluded.wins, losses = held.losses + excluded.losses,
                 changes = held.changes + 1
         )
         insert into catalogue.tally_hour as held (listing_id, hour, wins, losses)
         select listing_id, hour, wins, losses from added where hour >= $6 order by hour, listing_id
         on conflict (listing_id, hour) do update set wins = held.wins + excluded.wins, losses = held.losses + excluded.losses",
        &listings,
        &kinds,
        &hours,
        &wins,
        &losses,
        now
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
