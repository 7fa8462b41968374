//! Swaps, as an exchange records them (`economy/v1/exchange.proto`).

use contracts::economy::v1 as proto;
use contracts::economy::v1::exchange_service_server::ExchangeService;
use kit::rpc::respond;
use kit::{Code, Fault, timestamp};
use time::OffsetDateTime;
use tonic::{Request, Response, Status};

use super::Service;
use super::balances;
use super::swap_message::{ID_CONFLICT, MAX_AGE, currencies_of, parse, too_old};
use crate::domain::exchange::token_hash;
use crate::store::exchanges;
use crate::store::swaps::{self, Swap};
use crate::write::{Command, Outcome, SwapSource};

#[tonic::async_trait]
impl ExchangeService for Service {
    async fn record_swap(
        &self,
        request: Request<proto::RecordSwapRequest>,
    ) -> Result<Response<proto::RecordSwapResponse>, Status> {
        let exchange = self.calling_exchange(&request).await?;
        let sent = request.into_inner().swap.unwrap_or_default();
        respond(self.book_swap(exchange, sent).await)
    }

    async fn list_balances(
        &self,
        request: Request<proto::ListBalancesRequest>,
    ) -> Result<Response<proto::ListBalancesResponse>, Status> {
        let exchange = self.calling_exchange(&request).await?;
        respond(balances::list(&self.pool, Some(&exchange), request.into_inner()).await)
    }
}

impl Service {
    /// The name of the exchange whose token the call carries.
    async fn calling_exchange<T>(&self, request: &Request<T>) -> Result<String, Fault> {
        let sent = request.metadata().get("authorization");
        let token = sent.and_then(|value| value.to_str().ok()?.strip_prefix("Bearer "));
        let found = match token {
            Some(token) => exchanges::find(&self.pool, &token_hash(token)).await?,
            None => None,
        };
        found.ok_or_else(|| {
            Fault::new(
                Code::InvalidKey,
                "This call needs the token of an exchange. Send it as `authorization: Bearer …`.",
            )
        })
    }

    async fn book_swap(
        &self,
        exchange: String,
        sent: proto::Swap,
    ) -> Result<proto::RecordSwapResponse, Fault> {
        let currencies = currencies_of(&self.pool, [&sent]).await?;
        let now = self.clock.now();
        let swap = parse(&sent, &currencies, now)?;
        // Only a new swap may not be old: a call can be repeated at any time.
        if swap.at < now - MAX_AGE && !self.is_booked(&exchange, &swap.id).await? {
            return Err(too_old());
        }
        let source = SwapSource::Exchange(exchange.clone());
        let command = Command::Swaps(source, vec![swap.clone()]);
        let booked = self.writer.write_as(command, Outcome::try_as_swapped);
        let replayed = booked.await?.is_empty();
        let (at, reversal) = if replayed {
            let at = self.booked_at(&exchange, &swap, sent.at.is_some()).await?;
            let reversal = swaps::reversal(&self.pool, &exchange, &swap.id).await?;
            (at, reversal)
        } else {
            (swap.at, None)
        };
        let (reversed_at, reason) = reversal.map(|it| (it.at, it.reason)).unzip();
        Ok(proto::RecordSwapResponse {
            swap: Some(proto::Swap {
                at: Some(timestamp::encode(at)),
                ..sent
            }),
            replayed,
            reversed_at: reversed_at.map(timestamp::encode),
            reversal_reason: reason.unwrap_or_default(),
        })
    }

    async fn is_booked(&self, exchange: &str, id: &String) -> Result<bool, sqlx::Error> {
        let booked = swaps::find(&self.pool, exchange, std::slice::from_ref(id)).await?;
        Ok(!booked.is_empty())
    }

    /// The time of the booked swap with the id of `swap`, which must be the same swap. Without a time in the request (`with_time`), any
    /// time is the same.
    ///
    /// # Errors
    /// `idempotency_mismatch`: the booked swap is a different one.
    async fn booked_at(
        &self,
        exchange: &str,
        swap: &Swap,
        with_time: bool,
    ) -> Result<OffsetDateTime, Fault> {
        let ids = std::slice::from_ref(&swap.id);
        let booked = swaps::find(&self.pool, exchange, ids).await?;
        let booked = booked.into_iter().next();
        let at = booked.as_ref().map(|booked| booked.at);
        let sent = Swap {
            at: at.filter(|_| !with_time).unwrap_or(swap.at),
            ..swap.clone()
        };
        match (booked, at) {
            (Some(booked), Some(at)) if booked == sent => Ok(at),
            _ => Err(Fault::new(Code::IdempotencyMismatch, ID_CONFLICT)),
        }
    }
}
