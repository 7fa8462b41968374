//! economy-svc: reports, tips, rates and currencies.

use std::time::Duration;

use contracts::economy::v1::currencies_service_client::CurrenciesServiceClient;
use contracts::economy::v1::history_service_client::HistoryServiceClient;
use contracts::economy::v1::list_rates_response::Part;
use contracts::economy::v1::methodology_service_client::MethodologyServiceClient;
use contracts::economy::v1::rates_service_client::RatesServiceClient;
use contracts::economy::v1::reports_service_client::ReportsServiceClient;
use contracts::economy::v1::tips_service_client::TipsServiceClient;
use contracts::economy::v1::{
    GetMethodologyRequest, GetMethodologyResponse, ListCurrenciesRequest, ListCurrenciesResponse,
    ListHistoryRequest, ListHistoryResponse, ListRatesRequest, ListRatesResponse, RatesHead,
    SendTipRequest, SendTipResponse, SubmitReportRequest, SubmitReportResponse,
};
use kit::Fault;
use kit::rpc::client::{Client, Idempotent};
use tonic::{Request, Streaming};

use super::Bounds;
use super::limit::CallLimit;
use super::write::write;

/// The client of economy-svc.
pub struct Economy {
    reports: ReportsServiceClient<Client>,
    tips: TipsServiceClient<Client>,
    rates: RatesServiceClient<Client>,
    currencies: CurrenciesServiceClient<Client>,
    history: HistoryServiceClient<Client>,
    methodology: MethodologyServiceClient<Client>,
    limit: CallLimit,
    deadline: Duration,
    write_deadline: Duration,
}

/// Rates on their way: the head, and the pieces that follow.
pub struct Rates {
    /// What they are.
    pub head: RatesHead,
    pieces: Streaming<ListRatesResponse>,
}

impl Rates {
    /// The next piece; `None` after the last.
    ///
    /// # Errors
    /// economy-svc broke off.
    pub async fn next(&mut self) -> Result<Option<bytes::Bytes>, Fault> {
        match self
            .pieces
            .message()
            .await?
            .and_then(|message| message.part)
        {
            None => Ok(None),
            Some(Part::Json(piece)) => Ok(Some(piece)),
            Some(Part::Head(_)) => Err(Fault::unavailable("economy-svc has sent a second head")),
        }
    }
}

impl Economy {
    /// Over a client of economy-svc.
    pub fn new(channel: Client, bounds: Bounds) -> Self {
        Self {
            reports: ReportsServiceClient::new(channel.clone()),
            tips: TipsServiceClient::new(channel.clone()),
            rates: RatesServiceClient::new(channel.clone()),
            history: HistoryServiceClient::new(channel.clone()),
            methodology: MethodologyServiceClient::new(channel.clone()),
            currencies: CurrenciesServiceClient::new(channel).max_decoding_message_size(LARGEST),
            limit: CallLimit::new("economy", bounds),
            deadline: bounds.deadline,
            write_deadline: bounds.write_deadline,
        }
    }

    /// Sends a report in.
    pub async fn submit_report(
        &self,
        request: SubmitReportRequest,
    ) -> Result<SubmitReportResponse, Fault> {
        let mut reports = self.reports.clone();
        let call = |request| async move { reports.submit_report(request).await };
        write(&self.limit, self.write_deadline, request, call).await
    }

    /// Sends a tip.
    pub async fn send_tip(&self, request: SendTipRequest) -> Result<SendTipResponse, Fault> {
        let mut tips = self.tips.clone();
        let call = |request| async move { tips.send_tip(request).await };
        write(&self.limit, self.write_deadline, request, call).await
    }

    /// Every currency.
    pub async fn list_currencies(
        &self,
        request: ListCurrenciesRequest,
    ) -> Result<ListCurrenciesResponse, Fault> {
        let _permit = self.limit.acquire().await?;
        let response = (self.currencies.clone())
            .list_currencies(read(request, self.deadline))
            .await;
        self.limit.ended(&response);
        Ok(response?.into_inner())
    }

    /// A page of the figures of a currency over time.
    pub async fn list_history(
        &self,
        request: ListHistoryRequest,
    ) -> Result<ListHistoryResponse, Fault> {
        let _permit = self.limit.acquire().await?;
        let request = read(request, self.deadline);
        let response = self.history.clone().list_history(request).await;
        self.limit.ended(&response);
        Ok(response?.into_inner())
    }

    /// How rates and figures are worked out.
    pub async fn get_methodology(&self) -> Result<GetMethodologyResponse, Fault> {
        let _permit = self.limit.acquire().await?;
        let request = read(GetMethodologyRequest {}, self.deadline);
        let response = self.methodology.clone().get_methodology(request).await;
        self.limit.ended(&response);
        Ok(response?.into_inner())
    }

    /// What the rates are, without their rows.
    pub async fn rates_head(&self, request: ListRatesRequest) -> Result<RatesHead, Fault> {
        let head_only = ListRatesRequest {
            head_only: true,
            ..request
        };
        Ok(self.list_rates(head_only).await?.head)
    }

    /// Rates. The first call of a version works them out, which takes longer than other reads do.
    pub async fn list_rates(&self, request: ListRatesRequest) -> Result<Rates, Fault> {
        // It is released with the head: a caller who reads slowly keeps no other from asking.
        let _permit = self.limit.acquire().await?;
        let request = read(request, self.write_deadline);
        let response = self.rates.clone().list_rates(request).await;
        self.limit.ended(&response);
        let mut pieces = response?.into_inner();
        match pieces.message().await?.and_then(|message| message.part) {
            Some(Part::Head(head)) => Ok(Rates { head, pieces }),
            _ => Err(Fault::unavailable("economy-svc has sent no head")),
        }
    }
}

/// An answer's size at most: a thousand currencies take half a megabyte.
const LARGEST: usize = 64 * 1024 * 1024;

/// A call that changes nothing, and may be made again elsewhere.
fn read<Q>(request: Q, deadline: Duration) -> Request<Q> {
    let mut request = Request::new(request);
    request.set_timeout(deadline);
    request.extensions_mut().insert(Idempotent);
    request
}
