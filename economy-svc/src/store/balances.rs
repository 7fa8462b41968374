//! The balances of accounts: sums of `economy.entry`.

use sqlx::PgPool;
use uuid::Uuid;

/// The balance of an account.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Balance {
    /// Empty for swaps without an exchange, and for tips.
    pub exchange: String,
    /// `player`, `maker`, `party` or `exchange`.
    pub kind: String,
    /// The player or the party; empty for the maker and the exchange.
    pub holder: String,
    /// In decimal: a sum of 64-bit amounts may need more bits.
    pub units: String,
}

/// The balances of the accounts of a currency, ordered by exchange, kind and holder, after the account `after`; with `exchange`, only the
/// accounts of that exchange.
pub async fn list(
    pool: &PgPool,
    game: Uuid,
    exchange: Option<&str>,
    after: Option<(String, String, String)>,
    limit: i64,
) -> Result<Vec<Balance>, sqlx::Error> {
    let (after, kind, holder) = match after {
        Some((exchange, kind, holder)) => (Some(exchange), Some(kind), Some(holder)),
        None => (None, None, None),
    };
    sqlx::query_as!(
        Balance,
        r#"select exchange, account_kind as kind, holder, sum(amount)::text as "units!"
           from economy.entry
           where game_id = $1 and ($2::text is null or exchange = $2)
               and ($3::text is null or (exchange, account_kind, holder) > ($3, $4::text, $5::text))
           group by exchange, account_kind, holder order by exchange, account_kind, holder limit $6"#,
        game,
        exchange,
        after,
        kind,
        holder,
        limit
    )
    .fetch_all(pool)
    .await
}
