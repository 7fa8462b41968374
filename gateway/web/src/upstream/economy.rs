//! economy-svc: currencies of an account's games, their reports and rates.

use std::time::Duration;

use contracts::common::v1 as common;
use contracts::economy::v1 as proto;
use contracts::economy::v1::currencies_service_client::CurrenciesServiceClient;
use contracts::economy::v1::rates_service_client::RatesServiceClient;
use contracts::economy::v1::reports_service_client::ReportsServiceClient;
use kit::Fault;
use kit::rpc::client::Client;
use uuid::Uuid;

use super::call::Calls;
use super::rates::{self, RatePage};

#[derive(Debug, Clone)]
pub struct Economy {
    calls: Calls,
}

impl Economy {
    pub fn new(client: Client, deadline: Duration) -> Self {
        let calls = Calls { client, deadline };
        Self { calls }
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
        let request = self.calls.read(proto::ListOwnCurrenciesRequest {
            account_id: account.to_string(),
            game: game.to_owned(),
            page: Some(common::PageRequest {
                limit: 100,
                cursor: cursor.to_owned(),
            }),
        });
        let mut currencies = CurrenciesServiceClient::new(self.calls.client.clone());
        let listed = currencies.list_own_currencies(request).await?;
        Ok(listed.into_inner())
    }

    /// Registers or renames the currency of a game. A second call changes nothing.
    pub async fn name_currency(&self, account: Uuid, game: &str, name: &str) -> Result<(), Fault> {
        let request = self.calls.read(proto::SetOwnCurrencyRequest {
            account_id: account.to_string(),
            game: game.to_owned(),
            name: name.to_owned(),
        });
        let mut currencies = CurrenciesServiceClient::new(self.calls.client.clone());
        currencies.set_own_currency(request).await?;
        Ok(())
    }

    /// The reports of a game, newest first.
    pub async fn reports(
        &self,
        account: Uuid,
        game: &str,
        cursor: &str,
    ) -> Result<proto::ListOwnReportsResponse, Fault> {
        let request = self.calls.read(proto::ListOwnReportsRequest {
            account_id: account.to_string(),
            game: game.to_owned(),
            page: Some(common::PageRequest {
                limit: 20,
                cursor: cursor.to_owned(),
            }),
        });
        let mut reports = ReportsServiceClient::new(self.calls.client.clone());
        Ok(reports.list_own_reports(request).await?.into_inner())
    }

    /// The first `most` rates from the currency of a game to those of games whose slugs come after `after`.
    pub async fn rates(&self, game: &str, after: &str, most: usize) -> Result<RatePage, Fault> {
        rates::page(&self.calls, game, after, most).await
    }

    /// The rate of a pair at the beginning of each of the last days, and now.
    pub async fn rate_series(
        &self,
        from: &str,
        to: &str,
        days: u32,
    ) -> Result<Vec<proto::RatePoint>, Fault> {
        let request = self.calls.read(proto::ListRateSeriesRequest {
            from: from.to_owned(),
            to: to.to_owned(),
            days,
        });
        let mut rates = RatesServiceClient::new(self.calls.client.clone());
        Ok(rates.list_rate_series(request).await?.into_inner().points)
    }
}
