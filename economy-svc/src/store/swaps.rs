//! `economy.swap`, and its four entries of the ledger.

use sqlx::{PgConnection, PgPool};
use time::OffsetDateTime;
use uuid::Uuid;

use super::reversal::{Reversal, reversal_of_row};

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Swap {
    /// The id that the exchange gave, or the id in the file that staff imported.
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

/// Books the swaps of an exchange (empty: imported by staff) whose ids are new, and returns these ids.
///
/// In each currency the party's account and the exchange's account change by the same amount in opposite directions. The sums of each pair and
/// hour grow by the new swaps.
pub async fn insert(
    connection: &mut PgConnection,
    exchange: &str,
    swaps: &[Swap],
    now: OffsetDateTime,
) -> Result<Vec<String>, sqlx::Error> {
    sqlx::query_scalar!(
        r#"with booked as (
               insert into economy.swap (id, at, party, from_game, to_game, gave, got, recorded_at, exchange, reference)
               select case when $9 = '' then id else gen_random_uuid()::text end, at, party, from_game, to_game, gave, got,
                   $8::timestamptz, $9::text, case when $9 <> '' then id end
               from unnest($1::text[], $2::timestamptz[], $3::text[], $4::uuid[], $5::uuid[], $6::bigint[], $7::bigint[])
                   as sent (id, at, party, from_game, to_game, gave, got)
               on conflict do nothing
               returning id, at, party, from_game, to_game, gave, got, coalesce(reference, id) as sent_id
           ), entries as (
               insert into economy.entry (transfer_kind, transfer_id, game_id, account_kind, holder, amount, at, exchange)
               select 'swap', id, from_game, 'party', party, -gave, at, $9 from booked
               union all select 'swap', id, from_game, 'exchange', '', gave, at, $9 from booked
               union all select 'swap', id, to_game, 'exchange', '', -got, at, $9 from booked
               union all select 'swap', id, to_game, 'party', party, got, at, $9 from booked
           ), hours as (
               insert into economy.swap_hour as sums (from_game, to_game, hour_end, swaps, gave, got, first_party, last_party, last)
               select from_game, to_game, economy.hour_end(at), count(*), sum(gave), sum(got), min($9 || ' ' || party collate "C"),
                   max($9 || ' ' || party collate "C"), max(at)
               from booked group by 1, 2, 3 order by 1, 2, 3
               on conflict (from_game, to_game, hour_end) do update set swaps = sums.swaps + excluded.swaps,
                   gave = sums.gave + excluded.gave, got = sums.got + excluded.got, last = greatest(sums.last, excluded.last),
                   first_party = least(sums.first_party, excluded.first_party),
                   last_party = greatest(sums.last_party, excluded.last_party)
           )
           select sent_id as "sent_id!" from booked"#,
        &column(swaps, |swap| swap.id.clone()),
        &column(swaps, |swap| swap.at),
        &column(swaps, |swap| swap.party.clone()),
        &column(swaps, |swap| swap.from_game),
        &column(swaps, |swap| swap.to_game),
        &column(swaps, |swap| swap.gave),
        &column(swaps, |swap| swap.got),
        now,
        exchange,
    )
    .fetch_all(connection)
    .await
}

fn column<T>(swaps: &[Swap], value: fn(&Swap) -> T) -> Vec<T> {
    swaps.iter().map(value).collect()
}

/// The booked swaps of an exchange (empty: imported by staff) with these ids.
pub async fn find(pool: &PgPool, exchange: &str, ids: &[String]) -> Result<Vec<Swap>, sqlx::Error> {
    sqlx::query_as!(
        Swap,
        r#"select coalesce(reference, id) as "id!", at, party, from_game, to_game, gave, got from economy.swap
           where exchange = $1 and (($1 = '' and id = any ($2)) or ($1 <> '' and reference = any ($2)))"#,
        exchange,
        ids
    )
    .fetch_all(pool)
    .await
}

/// The reversal of an exchange's swap, if staff have reversed it.
pub async fn reversal(
    pool: &PgPool,
    exchange: &str,
    id: &str,
) -> Result<Option<Reversal>, sqlx::Error> {
    let row = sqlx::query!(
        "select reversed_at, reversed_by, reversal_reason from economy.swap where exchange = $1 and reference = $2",
        exchange,
        id
    );
    let row = row.fetch_optional(pool).await?;
    Ok(row.and_then(|row| reversal_of_row!(row)))
}

/// A booked swap.
#[derive(Debug, Clone)]
pub struct Row {
    /// The id of the row. [`Swap::id`] is another one if an exchange recorded the swap.
    pub id: String,
    pub swap: Swap,
    /// Empty: imported by staff.
    pub exchange: String,
    /// Slugs of the two games.
    pub from: String,
    pub to: String,
    pub reversal: Option<Reversal>,
}

/// The swaps from or to a game's currency, or all, the newest first, after the one with this time and row id.
pub async fn list(
    pool: &PgPool,
    game: Option<Uuid>,
    after: Option<(OffsetDateTime, String)>,
    limit: i64,
) -> Result<Vec<Row>, sqlx::Error> {
    let (after, after_id) = after.unzip();
    let rows = sqlx::query!(
        r#"select swap.id, coalesce(reference, swap.id) as "sent_id!", exchange, at, party, from_game, to_game, gave, got, one.slug as "from!", other.slug as "to!",
               reversed_at, reversed_by, reversal_reason
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
    .await?;
    Ok(rows
        .into_iter()
        .map(|row| Row {
            id: row.id,
            exchange: row.exchange,
            swap: Swap {
                id: row.sent_id,
                at: row.at,
                party: row.party,
                from_game: row.from_game,
                to_game: row.to_game,
                gave: row.gave,
                got: row.got,
            },
            from: row.from,
            to: row.to,
            reversal: reversal_of_row!(row),
        })
        .collect())
}

/// The row id of an exchange's swap (empty: imported by staff), and the game whose currency was given.
pub async fn row(
    connection: &mut PgConnection,
    exchange: &str,
    id: &str,
) -> Result<Option<(String, Uuid)>, sqlx::Error> {
    let row = sqlx::query!(
        "select id, from_game from economy.swap where exchange = $1 and (($1 = '' and id = $2) or ($1 <> '' and reference = $2))",
        exchange,
        id
    )
    .fetch_optional(connection)
    .await?;
    Ok(row.map(|row| (row.id, row.from_game)))
}

/// Reverses the swap with this row id by counter-entries; returns false if it was reversed before.
///
/// The caller holds the lock of the currency that was given: of two reversals of an hour at once, neither would sum without the other's swap.
pub async fn reverse(
    connection: &mut PgConnection,
    id: &str,
    reversal: &Reversal,
) -> Result<bool, sqlx::Error> {
    let reversed = sqlx::query!(
        r#"with reversed as (
               update economy.swap set reversed_at = $2, reversed_by = $3, reversal_reason = $4
               where id = $1 and reversed_at is null returning id, exchange, party, from_game, to_game, gave, got, at
           ), entries as (
               insert into economy.entry (transfer_kind, transfer_id, game_id, account_kind, holder, amount, at, exchange)
               select 'swap reversal', id, from_game, 'party', party, gave, $2, exchange from reversed
               union all select 'swap reversal', id, from_game, 'exchange', '', -gave, $2, exchange from reversed
               union all select 'swap reversal', id, to_game, 'exchange', '', got, $2, exchange from reversed
               union all select 'swap reversal', id, to_game, 'party', party, -got, $2, exchange from reversed
           )
           select from_game, to_game, economy.hour_end(at) as "hour_end!" from reversed"#,
        id,
        reversal.at,
        reversal.by,
        reversal.reason
    )
    .fetch_optional(&mut *connection)
    .await?;
    let Some(reversed) = reversed else {
        return Ok(false);
    };
    let (from, to, hour_end) = (reversed.from_game, reversed.to_game, reversed.hour_end);
    sum_again(connection, from, to, hour_end).await?;
    Ok(true)
}

/// Sums the swaps of a pair and an hour again: which parties are left cannot be told from the sums.
async fn sum_again(
    connection: &mut PgConnection,
    from: Uuid,
    to: Uuid,
    hour_end: OffsetDateTime,
) -> Result<(), sqlx::Error> {
    sqlx::query!(
        "delete from economy.swap_hour where from_game = $1 and to_game = $2 and hour_end = $3",
        from,
        to,
        hour_end
    )
    .execute(&mut *connection)
    .await?;
    // The row may be there again: another replica books a swap of the hour at the same time.
    sqlx::query!(
        r#"insert into economy.swap_hour (from_game, to_game, hour_end, swaps, gave, got, first_party, last_party, last)
           select $1, $2, $3, count(*), sum(gave), sum(got), min(exchange || ' ' || party collate "C"),
               max(exchange || ' ' || party collate "C"), max(at)
           from economy.swap
           where from_game = $1 and to_game = $2 and at > $3::timestamptz - interval '1 hour' and at <= $3 and reversed_at is null
           having count(*) > 0
           on conflict (from_game, to_game, hour_end) do update set (swaps, gave, got, first_party, last_party, last)
               = (excluded.swaps, excluded.gave, excluded.got, excluded.first_party, excluded.last_party, excluded.last)"#,
        from,
        to,
        hour_end
    )
    .execute(connection)
    .await?;
    Ok(())
}
