//! The client of economy-svc: reports, tips, rates and currencies.

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
use tonic::Streaming;

use super::CallLimits;
use super::limit::CallLimit;
use super::read::read;
use super::write::write;

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

/// A stream of rates: its head, and the pieces that follow.
pub struct Rates {
    pub head: RatesHead,
    pieces: Streaming<ListRatesResponse>,
    /// Bytes that were announced and have not been read.
    left: u64,
}

impl Rates {
    /// The next piece; `None` after the last.
    ///
    /// # Errors
    /// economy-svc broke off, was silent for the deadline of the call, or sent other than it announced.
    pub async fn next(&mut self) -> Result<Option<bytes::Bytes>, Fault> {
        let message = self.pieces.message().await?;
        let left = match message.and_then(|message| message.part) {
            None if self.left == 0 => return Ok(None),
            Some(Part::Json(piece)) => {
                let length = u64::try_from(piece.len()).unwrap_or(u64::MAX);
                self.left.checked_sub(length).map(|left| (left, piece))
            }
            None | Some(Part::Head(_)) => None,
        };
        let Some((left, piece)) = left else {
            return Err(Fault::unavailable(
                "economy-svc sent other rates than it announced",
            ));
        };
        self.left = left;
        Ok(Some(piece))
    }
}

impl Economy {
    pub fn new(channel: Client, limits: CallLimits) -> Self {
        Self {
            reports: ReportsServiceClient::new(channel.clone()),
            tips: TipsServiceClient::new(channel.clone()),
            rates: RatesServiceClient::new(channel.clone()),
            history: HistoryServiceClient::new(channel.clone()),
            methodology: MethodologyServiceClient::new(channel.clone()),
            currencies: CurrenciesServiceClient::new(channel)
                .max_decoding_message_size(MAX_MESSAGE_SIZE),
            limit: CallLimit::new("economy", limits),
            deadline: limits.deadline,
            write_deadline: limits.write_deadline,
        }
    }

    pub async fn submit_report(
        &self,
        request: SubmitReportRequest,
    ) -> Result<SubmitReportResponse, Fault> {
        let (reports, method) = (self.reports.clone(), ReportsServiceClient::submit_report);
        write(&self.limit, self.write_deadline, reports, method, request).await
    }

    pub async fn send_tip(&self, request: SendTipRequest) -> Result<SendTipResponse, Fault> {
        let (tips, method) = (self.tips.clone(), TipsServiceClient::send_tip);
        write(&self.limit, self.write_deadline, tips, method, request).await
    }

    pub async fn list_currencies(
        &self,
        request: ListCurrenciesRequest,
    ) -> Result<ListCurrenciesResponse, Fault> {
        let (currencies, method) = (
            self.currencies.clone(),
            CurrenciesServiceClient::list_currencies,
        );
        read(&self.limit, self.deadline, currencies, method, request).await
    }

    pub async fn list_history(
        &self,
        request: ListHistoryRequest,
    ) -> Result<ListHistoryResponse, Fault> {
        let (history, method) = (self.history.clone(), HistoryServiceClient::list_history);
        read(&self.limit, self.deadline, history, method, request).await
    }

    pub async fn get_methodology(&self) -> Result<GetMethodologyResponse, Fault> {
        let (methodology, method) = (
            self.methodology.clone(),
            MethodologyServiceClient::get_methodology,
        );
        let request = GetMethodologyRequest {};
        read(&self.limit, self.deadline, methodology, method, request).await
    }

    /// The head of the rates, without their rows.
    pub async fn rates_head(&self, request: ListRatesRequest) -> Result<RatesHead, Fault> {
        let head_only = ListRatesRequest {
            head_only: true,
            ..request
        };
        Ok(self.list_rates(head_only).await?.head)
    }

    /// The rates. The first request of a version calculates them, which takes longer than other reads.
    pub async fn list_rates(&self, request: ListRatesRequest) -> Result<Rates, Fault> {
        // The permit is released with the head, so that slow clients do not hold permits. The deadline bounds the time until then,
        // and then the time between two pieces.
        let _permit = self.limit.acquire().await?;
        let request = Idempotent::ServerStreaming.request(request, self.write_deadline);
        let response = self.rates.clone().list_rates(request).await;
        self.limit.record(&response);
        let mut pieces = response?.into_inner();
        match pieces.message().await?.and_then(|message| message.part) {
            Some(Part::Head(head)) => Ok(Rates {
                left: head.length,
                head,
                pieces,
            }),
            _ => Err(Fault::unavailable("economy-svc has sent no head")),
        }
    }
}

/// The largest response. A thousand currencies take half a megabyte.
const MAX_MESSAGE_SIZE: usize = 64 * 1024 * 1024;
