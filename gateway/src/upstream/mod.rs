//! The services behind the gateway: typed calls, with a deadline.

mod catalogue;
mod listings;
pub mod pictures;
mod position;

pub use catalogue::Question;
pub use listings::Order;

use std::future::Future;
use std::time::Duration;

use kit::feed::Position;
use kit::overload::{ConcurrencyLimit, Permit};
use kit::rpc::client::{Client, Idempotent, was_not_sent};
use kit::{Code, Fault};
use tokio::time::Instant;
use tonic::{Request, Response, Status};

use catalogue::Catalogue;
use listings::Listings;
use position::ListingsPosition;

/// The services behind the gateway.
pub struct Upstream {
    catalogue: Catalogue,
    deadline: Duration,
    /// Calls that catalogue-svc has of this thread. When it hangs, no more wait for it than this, and other routes go on.
    load: ConcurrencyLimit,
    listings: Listings,
    write_deadline: Duration,
    /// Calls that listings-svc has of this thread, likewise.
    listings_load: ConcurrencyLimit,
    position: ListingsPosition,
    patience: Duration,
}

/// What calls to a service are held to.
#[derive(Debug, Clone, Copy)]
pub struct Bounds {
    /// What takes longer counts as away.
    pub deadline: Duration,
    /// The same for what changes something. It is waited for longer, since nobody knows what became of it else.
    pub write_deadline: Duration,
    /// Calls that it has at once.
    pub calls: usize,
    /// How long a further one waits for its turn.
    pub patience: Duration,
}

impl Upstream {
    /// Over clients of catalogue-svc and listings-svc.
    pub fn new(catalogue: Client, listings: Client, bounds: Bounds) -> Self {
        Self {
            catalogue: Catalogue::new(catalogue),
            position: ListingsPosition::new(listings.clone()),
            listings: Listings::new(listings),
            write_deadline: bounds.write_deadline,
            listings_load: ConcurrencyLimit::new("listings", bounds.calls),
            deadline: bounds.deadline,
            load: ConcurrencyLimit::new("catalogue", bounds.calls),
            patience: bounds.patience,
        }
    }

    /// Takes a read on when its turn has come.
    ///
    /// # Errors
    /// It did not come soon: catalogue-svc has too many.
    pub async fn take_on(&self) -> Result<Permit, Fault> {
        self.load.acquire(self.patience).await
    }

    /// Asks catalogue-svc. `latest` is how far the listings had come when the read began, where Redis tells it. When what is answered may
    /// lack something of that, it is asked once more, for an answer that reaches as far; the second answer counts, however far it reaches.
    pub async fn read<Q: Question>(
        &self,
        question: Q,
        latest: impl Future<Output = Option<Position>>,
    ) -> Result<Q::Answer, Fault> {
        let give_up = Instant::now() + self.deadline;
        let first = self.ask(question.clone(), give_up).await;
        // A fault says nothing of the listings.
        if let Err(refusal) = &first
            && !matches!(refusal.fault.code, Code::NotFound | Code::Invalid)
        {
            return first.map_err(|refusal| refusal.fault);
        }
        let latest = match latest.await {
            None => self.position.ask().await,
            told => told,
        };
        let counted = match latest {
            Some(latest) if lacks::<Q>(&first, latest) => {
                let after = if first.is_ok() { "answer" } else { "refusal" };
                metrics::counter!("upstream_asked_again_total", "after" => after).increment(1);
                self.ask(question.at_least(latest), give_up).await
            }
            _ => first,
        };
        counted.map_err(|refusal| refusal.fault)
    }

    /// Makes a call to listings-svc. One that changes something is made once: when no answer comes, nobody knows whether it has.
    pub async fn order<O: Order>(&self, order: O) -> Result<O::Answer, Fault> {
        let _permit = self.listings_load.acquire(self.patience).await?;
        let mut request = Request::new(order);
        if O::WRITES {
            request.set_timeout(self.write_deadline);
        } else {
            request.set_timeout(self.deadline);
            request.extensions_mut().insert(Idempotent);
        }
        match O::make(&self.listings, request).await {
            Ok(answer) => Ok(answer.into_inner()),
            Err(status) if O::WRITES && is_unanswered(&status) => Err(outcome_unknown(&status)),
            Err(status) => Err(status.into()),
        }
    }

    /// Makes a call that changes nothing, and may be made again elsewhere.
    async fn ask<Q: Question>(&self, question: Q, give_up: Instant) -> Result<Q::Answer, Refusal> {
        let mut request = Request::new(question);
        request.set_timeout(give_up.saturating_duration_since(Instant::now()));
        request.extensions_mut().insert(Idempotent);
        let response = Q::ask(&self.catalogue, request).await;
        response
            .map(Response::into_inner)
            .map_err(|status| Refusal {
                decided_at: Position::of_refusal(&status),
                fault: status.into(),
            })
    }
}

/// Why catalogue-svc did not answer.
struct Refusal {
    fault: Fault,
    /// How far into the listings' feed the refusal reaches, as [`Question::reached`] of an answer.
    decided_at: Option<Position>,
}

/// Whether the service was sent the call and has not said what came of it: a fault of its own has details.
fn is_unanswered(status: &Status) -> bool {
    let lost = matches!(
        status.code(),
        tonic::Code::Unavailable
            | tonic::Code::DeadlineExceeded
            | tonic::Code::Cancelled
            | tonic::Code::Unknown
            | tonic::Code::Internal
    );
    lost && status.details().is_empty() && !was_not_sent(status)
}

/// What becomes of a write that was not answered. It has no `Retry-After`: clients that heed it by themselves would do the write twice.
fn outcome_unknown(status: &Status) -> Fault {
    tracing::warn!(
        reason = status.message(),
        "a write was not answered: its outcome is unknown"
    );
    Fault::new(
        Code::OutcomeUnknown,
        "the write was not answered in time, and may have taken effect or not: repeat it only with the Idempotency-Key that it was sent \
         with; if it had none, see in GET /me/listings whether it took effect before you send it again",
    )
}

/// Whether an answer may lack some of what was written up to `latest`.
fn lacks<Q: Question>(answer: &Result<Q::Answer, Refusal>, latest: Position) -> bool {
    match answer {
        // A replica that does not say how far it has come could not wait either.
        Ok(answer) => Q::reached(answer).is_some_and(|reached| !reached.reaches(latest)),
        Err(refusal) => !(refusal.decided_at).is_some_and(|decided| decided.reaches(latest)),
    }
}
