//! The services behind the gateway: typed calls, with a deadline.

mod catalogue;

pub use catalogue::Question;

use std::time::Duration;

use kit::feed::Position;
use kit::rpc::client::Client;
use kit::{Code, Fault};
use tokio::time::Instant;
use tonic::{Request, Status};

use crate::extract::latest::Latest;
use catalogue::Catalogue;

/// The services behind the gateway.
pub struct Upstream {
    catalogue: Catalogue,
    deadline: Duration,
}

impl Upstream {
    /// Clients on a channel to catalogue-svc. Whatever takes longer than `deadline` counts as away.
    pub fn new(catalogue: Client, deadline: Duration) -> Self {
        Self {
            catalogue: Catalogue::new(catalogue),
            deadline,
        }
    }

    /// Asks catalogue-svc. When what it answers may lack what was written before the read began, it is asked once more, for an answer
    /// that reaches as far; the second answer counts, however far it reaches.
    pub async fn read<Q: Question>(
        &self,
        question: Q,
        latest: &Latest,
    ) -> Result<Q::Answer, Fault> {
        let give_up = Instant::now() + self.deadline;
        let reading = async {
            let first = self.ask(&question, give_up).await;
            match latest.position().await {
                Some(latest) if lacks::<Q>(&first, latest) => {
                    let after = if first.is_ok() { "answer" } else { "refusal" };
                    metrics::counter!("upstream_asked_again_total", "after" => after).increment(1);
                    self.ask(&question.at_least(latest), give_up).await
                }
                _ => first,
            }
        };
        let outcome = tokio::time::timeout_at(give_up, reading).await;
        outcome.unwrap_or_else(|_| Err(Fault::unavailable("a service did not answer in time")))
    }

    /// Makes a call that changes nothing. When the way fails, it is made once more: the channel then goes to another replica.
    async fn ask<Q: Question>(&self, question: &Q, give_up: Instant) -> Result<Q::Answer, Fault> {
        let call = || {
            let mut request = Request::new(question.clone());
            request.set_timeout(give_up.saturating_duration_since(Instant::now()));
            Q::ask(&self.catalogue, request)
        };
        let outcome = match call().await {
            Err(status) if is_lost(&status) => {
                metrics::counter!("upstream_retries_total").increment(1);
                call().await
            }
            outcome => outcome,
        };
        Ok(outcome?.into_inner())
    }
}

/// Whether an answer may lack some of what was written up to `latest`.
fn lacks<Q: Question>(answer: &Result<Q::Answer, Fault>, latest: Position) -> bool {
    match answer {
        // A replica that does not say how far it has come could not wait either.
        Ok(answer) => Q::reached(answer).is_some_and(|reached| !reached.reaches(latest)),
        // A refusal never says; what it does not know may have come since.
        Err(fault) => matches!(fault.code, Code::NotFound | Code::Invalid),
    }
}

/// Whether the call was lost on its way, rather than refused by the service: then the status carries no fault.
fn is_lost(status: &Status) -> bool {
    let codes = [tonic::Code::Unavailable, tonic::Code::Cancelled];
    codes.contains(&status.code()) && status.details().is_empty()
}
