//! economy-svc: currencies of an account's games and their reports.

use std::time::Duration;

use contracts::economy::v1 as proto;
use kit::Fault;
use kit::rpc::client::Client;
use uuid::Uuid;

use super::call::{Calls, page, rpcs};

#[derive(Debug, Clone)]
pub struct Economy(Calls);

impl Economy {
    pub fn new(client: Client, deadline: Duration) -> Self {
        Self(Calls { client, deadline })
    }

    /// The game of an account with this slug, and its currency.
    pub async fn currency(
        &self,
        account: Uuid,
        game: &str,
    ) -> Result<Option<proto::OwnCurrency>, Fault> {
        let listed = self.currencies(account, game, "").await?;
        Ok(listed.currencies.into_iter().next())
    }
}

rpcs! { Economy:
    /// A page of the games of an account with their currencies, or only of the game with this slug, unless that is empty.
    idempotent currencies(account: Uuid, game: &str, cursor: &str) -> proto::ListOwnCurrenciesResponse =
        proto::ListOwnCurrenciesRequest {
            account_id: account,
            game,
            page: page(100, Some(cursor)),
        };

    /// Registers or renames the currency of a game. Returns false if it has this name already.
    idempotent name_currency(account: Uuid, game: &str, name: &str) -> bool =
        proto::SetOwnCurrencyRequest { account_id: account, game, name }
        => |named| !named.unchanged;

    /// The games with held reports, with the oldest one of each.
    idempotent held_reports(account: Uuid) -> Vec<proto::OwnHeldReport> =
        proto::ListOwnHeldReportsRequest { account_id: account }
        => |listed| listed.reports;

    /// The reports of a game, newest first.
    idempotent reports(account: Uuid, game: &str, cursor: &str) -> proto::ListOwnReportsResponse =
        proto::ListOwnReportsRequest { account_id: account, game, page: page(20, Some(cursor)) };
}
