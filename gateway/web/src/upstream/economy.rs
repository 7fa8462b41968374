//! economy-svc: currencies of an account's games, their reports and rates.

use std::time::Duration;

use contracts::common::v1 as common;
use contracts::economy::v1 as proto;
use kit::Fault;
use kit::rpc::client::Client;
use uuid::Uuid;

use super::call::Calls;
use super::clients::{self, Rates, Reports};
use super::rates::{self, RatePage};

#[derive(Debug, Clone)]
pub struct Economy(Calls);

impl Economy {
    pub fn new(client: Client, deadline: Duration) -> Self {
        Self(Calls { client, deadline })
    }

    /// A page of the games of an account with their currencies.
    pub async fn currencies(
        &self,
        account: Uuid,
        cursor: &str,
    ) -> Result<proto::ListOwnCurrenciesResponse, Fault> {
        self.own_currencies(account, "", cursor).await
    }

    /// The game of an account with this slug, and its currency.
    pub async fn currency(
        &self,
        account: Uuid,
        game: &str,
    ) -> Result<Option<proto::OwnCurrency>, Fault> {
        let listed = self.own_currencies(account, game, "").await?;
        Ok(listed.currencies.into_iter().next())
    }

    async fn own_currencies(
        &self,
        account: Uuid,
        game: &str,
        cursor: &str,
    ) -> Result<proto::ListOwnCurrenciesResponse, Fault> {
        let request = proto::ListOwnCurrenciesRequest {
            account_id: account.to_string(),
            game: game.to_owned(),
            page: Some(common::PageRequest {
                limit: 100,
                cursor: cursor.to_owned(),
            }),
        };
        self.0
            .read(clients::Currencies::list_own_currencies, request)
            .await
    }

    /// Registers or renames the currency of a game. A second call changes nothing.
    pub async fn name_currency(&self, account: Uuid, game: &str, name: &str) -> Result<(), Fault> {
        let request = proto::SetOwnCurrencyRequest {
            account_id: account.to_string(),
            game: game.to_owned(),
            name: name.to_owned(),
        };
        self.0
            .read(clients::Currencies::set_own_currency, request)
            .await?;
        Ok(())
    }

    /// The reports of a game, newest first.
    pub async fn reports(
        &self,
        account: Uuid,
        game: &str,
        cursor: &str,
    ) -> Result<proto::ListOwnReportsResponse, Fault> {
        let request = proto::ListOwnReportsRequest {
            account_id: account.to_string(),
            game: game.to_owned(),
            page: Some(common::PageRequest {
                limit: 20,
                cursor: cursor.to_owned(),
            }),
        };
        self.0.read(Reports::list_own_reports, request).await
    }

    /// The first `most` rates from the currency of a game to those of games whose slugs come after `after`.
    pub async fn rates(&self, game: &str, after: &str, most: usize) -> Result<RatePage, Fault> {
        rates::page(&self.0, game, after, most).await
    }

    /// The rate of a pair at the beginning of each of the last days, and now.
    pub async fn rate_series(
        &self,
        from: &str,
        to: &str,
        days: u32,
    ) -> Result<Vec<proto::RatePoint>, Fault> {
        let request = proto::ListRateSeriesRequest {
            from: from.to_owned(),
            to: to.to_owned(),
            days,
        };
        Ok(self.0.read(Rates::list_rate_series, request).await?.points)
    }
}
