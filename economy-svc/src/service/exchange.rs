//! Swaps, as an exchange records them (`economy/v1/exchange.proto`).

use std::collections::{BTreeMap, HashMap, HashSet};

use contracts::economy::v1 as proto;
use contracts::economy::v1::exchange_service_server::ExchangeService;
use kit::feed::{Writer, unexpected_outcome};
use kit::{Clock, Code, Fault, timestamp};
use sqlx::PgPool;
use time::{Duration, OffsetDateTime};
use tonic::{Request, Response, Status};
use uuid::Uuid;

use super::balances;
use crate::domain::exchange::token_hash;
use crate::domain::fields::MAX_SAFE_INTEGER;
use crate::store::has_nul;
use crate::store::swaps::{self, Swap};
use crate::store::{currencies, exchanges};
use crate::write::{Command, CommandHandler, Outcome, SwapSource};

/// Why the second of two different swaps with one id is refused.
pub(super) const ID_CONFLICT: &str =
    "A different swap with this id is already booked. Use a new id for each swap.";
/// Maximum length of the id of a swap, and of the name of a party.
const MAX_CHARS: usize = 128;
/// How old a swap may be that an exchange records. An older one would change rates that were published days ago: staff import it.
const MAX_AGE: Duration = Duration::days(7);

#[derive(Debug)]
pub(super) struct Service {
    pub(super) pool: PgPool,
    pub(super) writer: Writer<CommandHandler>,
    pub(super) clock: Clock,
}

#[tonic::async_trait]
impl ExchangeService for Service {
    async fn record_swap(
        &self,
        request: Request<proto::RecordSwapRequest>,
    ) -> Result<Response<proto::RecordSwapResponse>, Status> {
        let exchange = self.caller(&request).await?;
        let sent = request.into_inner().swap.unwrap_or_default();
        Ok(Response::new(self.record(exchange, sent).await?))
    }

    async fn list_balances(
        &self,
        request: Request<proto::ListBalancesRequest>,
    ) -> Result<Response<proto::ListBalancesResponse>, Status> {
        let exchange = self.caller(&request).await?;
        let answer = balances::list(&self.pool, Some(&exchange), request.into_inner()).await?;
        Ok(Response::new(answer))
    }
}

impl Service {
    /// The name of the exchange whose token the call carries.
    async fn caller<T>(&self, request: &Request<T>) -> Result<String, Fault> {
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

    async fn record(
        &self,
        exchange: String,
        sent: proto::Swap,
    ) -> Result<proto::RecordSwapResponse, Fault> {
        let currencies = currencies_of(&self.pool, [&sent]).await?;
        let swap = parse(&sent, &currencies, self.clock.now(), Some(MAX_AGE))?;
        let source = SwapSource::Exchange(exchange.clone());
        let command = Command::Swaps(source, vec![swap.clone()]);
        let (outcome, _) = self.writer.write(command).await?;
        let Outcome::Swapped(booked) = outcome else {
            return Err(unexpected_outcome(&outcome));
        };
        let replayed = booked.is_empty();
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

/// The ids of the games in these swaps that have a currency, by slug.
pub(super) async fn currencies_of(
    pool: &PgPool,
    sent: impl IntoIterator<Item = &proto::Swap>,
) -> Result<HashMap<String, Uuid>, sqlx::Error> {
    let slugs: HashSet<&String> = (sent.into_iter())
        .flat_map(|swap| [&swap.from, &swap.to])
        .filter(|slug| !has_nul(slug))
        .collect();
    let slugs: Vec<String> = slugs.into_iter().cloned().collect();
    currencies::of_slugs(pool, &slugs).await
}

/// Parses a swap between two of these currencies, at most `max_age` old.
///
/// # Errors
/// `invalid`, with every bad field.
pub(super) fn parse(
    sent: &proto::Swap,
    currencies: &HashMap<String, Uuid>,
    now: OffsetDateTime,
    max_age: Option<Duration>,
) -> Result<Swap, Fault> {
    let mut bad = BTreeMap::new();
    let mut refuse = |field: &str, reason: String| {
        bad.insert(field.to_owned(), reason);
    };
    let is_id = (1..=MAX_CHARS).contains(&sent.id.len())
        && sent.id.bytes().all(|byte| byte.is_ascii_graphic());
    if !is_id {
        refuse(
            "id",
            format!("It must be 1 to {MAX_CHARS} visible ASCII characters."),
        );
    }
    let party = sent.party.trim();
    if !(1..=MAX_CHARS).contains(&party.chars().count()) || party.chars().any(char::is_control) {
        refuse(
            "party",
            format!("It must be 1 to {MAX_CHARS} characters without control characters."),
        );
    }
    let mut amount = |field: &str, amount: u64| {
        if !(1..=MAX_SAFE_INTEGER).contains(&amount) {
            refuse(
                field,
                format!("It must be a whole number from 1 to {MAX_SAFE_INTEGER}."),
            );
        }
        amount.cast_signed()
    };
    let (gave, got) = (amount("gave", sent.gave), amount("got", sent.got));
    let at = match sent.at.map(timestamp::decode) {
        None => now,
        Some(Some(at)) if max_age.is_some_and(|age| at < now - age) => {
            refuse(
                "at",
                format!(
                    "It is more than {} days ago. Ask staff to import it.",
                    MAX_AGE.whole_days()
                ),
            );
            now
        }
        Some(Some(at)) => timestamp::not_ahead(at, now).unwrap_or_else(|reason| {
            refuse("at", reason);
            now
        }),
        Some(None) => {
            refuse("at", "It is not a valid timestamp.".to_owned());
            now
        }
    };
    let mut game = |field: &str, slug: &str| {
        let id = currencies.get(slug).copied();
        if id.is_none() {
            refuse(field, "No game with this slug has a currency.".to_owned());
        }
        id
    };
    let games = (game("from", &sent.from), game("to", &sent.to));
    if sent.from == sent.to {
        refuse("to", "It must differ from `from`.".to_owned());
    }
    match games {
        (Some(from_game), Some(to_game)) if bad.is_empty() => Ok(Swap {
            id: sent.id.clone(),
            at,
            party: party.to_owned(),
            from_game,
            to_game,
            gave,
            got,
        }),
        _ => Err(Fault::invalid(bad)),
    }
}
