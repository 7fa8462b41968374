//! The balances of the ledger.

use contracts::economy::v1 as proto;
use kit::Fault;
use kit::page::Page;
use sqlx::PgPool;

use super::page;
use crate::store::balances::{self, Balance};
use crate::store::games;

/// The balances of all accounts of a currency, or only those of an exchange.
pub(super) async fn list(
    pool: &PgPool,
    exchange: Option<&str>,
    request: proto::ListBalancesRequest,
) -> Result<proto::ListBalancesResponse, Fault> {
    let filters = [request.game.as_str(), exchange.unwrap_or_default()];
    let page: Page<(String, String, String)> = page::read("balances", filters, request.page)?;
    let game = games::find(pool, &request.game).await?;
    let game = game.ok_or_else(|| Fault::not_found("There is no game with this slug."))?;
    let after = page.after.clone();
    let mut balances = balances::list(pool, game.id, exchange, after, page.rows_to_fetch()).await?;
    let key = |balance: &Balance| {
        let Balance {
            exchange,
            kind,
            holder,
            ..
        } = balance.clone();
        (exchange, kind, holder)
    };
    let next_cursor = page.cut(&mut balances, key)?;
    let message = |balance: Balance| proto::Balance {
        kind: balance.kind,
        holder: balance.holder,
        units: balance.units,
        exchange: balance.exchange,
    };
    Ok(proto::ListBalancesResponse {
        balances: balances.into_iter().map(message).collect(),
        next_cursor: next_cursor.unwrap_or_default(),
    })
}
