//! economy-svc: currencies of an account's games and their reports.

use std::time::Duration;

use contracts::economy::v1 as proto;
use contracts::economy::v1::ReportState;
use futures::{StreamExt as _, TryStreamExt as _, stream};
use kit::Fault;
use kit::rpc::client::Client;
use uuid::Uuid;

use super::call::{Calls, page, rpcs};
use super::clients::{Currencies, Reports};

/// The calls at once for the reports of an account's games.
const REPORT_CALLS: usize = 8;

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

    /// The newest report of each game that waits for staff.
    pub async fn held_reports(
        &self,
        account: Uuid,
    ) -> Result<Vec<(proto::OwnCurrency, proto::OwnReport)>, Fault> {
        let listed = self.currencies(account, "", "").await?;
        let named = listed.currencies.into_iter().filter(|own| own.name.is_some());
        let newest_held = |own: proto::OwnCurrency| async move {
            let reports = self.reports(account, &own.game, "").await?.reports.into_iter();
            let mut held = reports.filter(|report| report.state() == ReportState::Held);
            Ok(held.next().map(|report| (own, report)))
        };
        let reads = stream::iter(named).map(newest_held).buffered(REPORT_CALLS);
        reads.try_filter_map(async |held| Ok(held)).try_collect().await
    }
}

rpcs! { Economy:
    /// A page of the games of an account with their currencies, or only of the game with this slug, unless that is empty.
    idempotent currencies(account: Uuid, game: &str, cursor: &str) -> proto::ListOwnCurrenciesResponse =
        Currencies::list_own_currencies(proto::ListOwnCurrenciesRequest {
            account_id: account,
            game,
            page: page(100, Some(cursor)),
        });

    /// Registers or renames the currency of a game. A second call changes nothing.
    idempotent name_currency(account: Uuid, game: &str, name: &str) -> () =
        Currencies::set_own_currency(proto::SetOwnCurrencyRequest { account_id: account, game, name })
        => |_named| ();

    /// The reports of a game, newest first.
    idempotent reports(account: Uuid, game: &str, cursor: &str) -> proto::ListOwnReportsResponse =
        Reports::list_own_reports(proto::ListOwnReportsRequest { account_id: account, game, page: page(20, Some(cursor)) });
}
