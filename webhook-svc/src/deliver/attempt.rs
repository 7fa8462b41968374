//! One attempt of a delivery.

use std::time::Duration;

use time::OffsetDateTime;

use super::Shared;
use super::lease::Lease;
use super::pages::DueDelivery;
use super::target::Target;
use crate::http::{AttemptOutcome, AttemptRequest, AttemptResult, OwnFault};

/// A delivery after its attempt; `None`: the lease ended before the request was sent.
pub(super) type Finished = (DueDelivery, Option<(AttemptResult, OffsetDateTime)>);

/// Why nothing is sent, for the owner of the endpoint.
const UNREADABLE_SECRET: &str =
    "has a signing secret that we cannot read any more: make a new secret, and switch to it";

/// Sends a delivery, as soon as the replica has a permit for it.
pub(super) async fn run(
    shared: &Shared,
    lease: &Lease,
    target: &Target,
    due: DueDelivery,
) -> Finished {
    // The semaphore is never closed.
    let _permit = shared.in_flight.acquire().await;
    if !lease.is_alive() {
        return (due, None);
    }
    let at = shared.dependencies.clock.now();
    let address = match &target.address {
        Ok(address) => address,
        Err(problem) => {
            let reason = format!("has an address that is not allowed. {problem}");
            let result = AttemptResult::no_response(AttemptOutcome::Failed, reason, Duration::ZERO);
            return (due, Some((result, at)));
        }
    };
    let Some(secrets) = target.secrets(at) else {
        let (outcome, reason) = (AttemptOutcome::NotMade(OwnFault::Secret), UNREADABLE_SECRET);
        let result = AttemptResult::no_response(outcome, reason.to_owned(), Duration::ZERO);
        return (due, Some((result, at)));
    };
    let attempt = AttemptRequest {
        endpoint: lease.claim.endpoint,
        address,
        event: &due.message.event,
        id: due.message.id,
        at,
        body: due.message.body.clone(),
        secrets,
    };
    let result = shared.dependencies.sender.attempt(attempt).await;
    (due, Some((result, at)))
}
