//! `economy.swap`, and its four entries of the ledger.

use sqlx::{PgConnection, PgPool};
use time::OffsetDateTime;
use uuid::Uuid;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Swap {
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

/// Books the swaps whose ids are new, and returns these ids. In each currency the party's account and the exchange's account change by
/// the same amount in opposite directions.
pub async fn insert(
    connection: &mut PgConnection,
    swaps: &[Swap],
    now: OffsetDateTime,
) -> Result<Vec<String>, sqlx::Error> {
    let column = |of: fn(&Swap) -> String| swaps.iter().map(of).collect::<Vec<_>>();
    let games = |of: fn(&Swap) -> Uuid| swaps.iter().map(of).collect::<Vec<_>>();
    let amounts = |of: fn(&Swap) -> i64| swaps.iter().map(of).collect::<Vec<_>>();
    let times: Vec<OffsetDateTime> = swaps.iter().map(|swap| swap.at).collect();
    sqlx::query_scalar!(
        "with booked as (
             insert into economy.swap (id, at, party, from_game, to_game, gave, got, recorded_at)
             select *, $8::timestamptz
             from unnest($1::text[], $2::timestamptz[], $3::text[], $4::uuid[], $5::uuid[], $6::bigint[], $7::bigint[])
             on conflict (id) do nothing
             returning id, at, party, from_game, to_game, gave, got
         ), entries as (
             insert into economy.entry (transfer_kind, transfer_id, game_id, account_kind, holder, amount, at)
             select 'swap', id, from_game, 'party', party, -gave, at from booked
             union all select 'swap', id, from_game, 'exchange', '', gave, at from booked
             union all select 'swap', id, to_game, 'exchange', '', -got, at from booked
             union all select 'swap', id, to_game, 'party', party, got, at from booked
         )
         select id from booked",
        &column(|swap| swap.id.clone()),
        &times,
        &column(|swap| swap.party.clone()),
        &games(|swap| swap.from_game),
        &games(|swap| swap.to_game),
        &amounts(|swap| swap.gave),
        &amounts(|swap| swap.got),
        now,
    )
    .fetch_all(connection)
    .await
}

/// The booked swaps with these ids.
pub async fn find(pool: &PgPool, ids: &[String]) -> Result<Vec<Swap>, sqlx::Error> {
    sqlx::query_as!(
        Swap,
        "select id, at, party, from_game, to_game, gave, got from economy.swap where id = any ($1)",
        ids
    )
    .fetch_all(pool)
    .await
}

/// The balance of an account.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Balance {
    pub kind: String,
    pub holder: String,
    pub units: String,
}

/// The balances of all accounts of a currency.
pub async fn balances(pool: &PgPool, game: Uuid) -> Result<Vec<Balance>, sqlx::Error> {
    sqlx::query_as!(
        Balance,
        r#"select account_kind as kind, holder, sum(amount)::text as "units!"
           from economy.entry where game_id = $1 group by account_kind, holder order by account_kind, holder"#,
        game
    )
    .fetch_all(pool)
    .await
}
