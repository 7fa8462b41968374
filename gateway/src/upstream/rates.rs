//! The exchange rates of economy-svc, which are streamed.

use bytes::Bytes;
use contracts::economy::v1::list_rates_response::Part;
use contracts::economy::v1::rates_service_client::RatesServiceClient;
use contracts::economy::v1::{ListRatesRequest, ListRatesResponse, RatesHead};
use kit::Fault;
use kit::rpc::client::{Client, Idempotent};
use tonic::Streaming;

use super::Upstream;

/// A stream of rates: its head, and the pieces that follow.
pub struct Rates {
    pub head: RatesHead,
    pieces: Streaming<ListRatesResponse>,
    /// Bytes that were announced and have not been read.
    left: u64,
}

impl Rates {
    /// Requests rates. The first request of a version calculates them, which takes longer than other reads.
    ///
    /// # Errors
    /// economy-svc rejects the request or does not respond, or too many calls are running.
    pub async fn request(economy: &Upstream, request: ListRatesRequest) -> Result<Self, Fault> {
        // The permit is released with the head, so that slow clients do not hold permits. The deadline bounds the time until then,
        // and then the time between two pieces.
        let _permit = economy.limit.acquire().await?;
        let request = Idempotent::ServerStreaming.request(request, economy.write_deadline);
        let mut client: RatesServiceClient<Client> = economy.client();
        let response = client.list_rates(request).await;
        economy.limit.record(&response);
        let mut pieces = response?.into_inner();
        match pieces.message().await?.and_then(|message| message.part) {
            Some(Part::Head(head)) => Ok(Self {
                left: head.length,
                head,
                pieces,
            }),
            _ => Err(Fault::unavailable("economy-svc has sent no head")),
        }
    }

    /// The next piece; `None` after the last.
    ///
    /// # Errors
    /// economy-svc broke off, was silent for the deadline of the call, or sent other than it announced.
    pub async fn next(&mut self) -> Result<Option<Bytes>, Fault> {
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
