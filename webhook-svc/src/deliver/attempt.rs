//! One attempt of a delivery.

use std::sync::Arc;
use std::time::Duration;

use time::OffsetDateTime;

use super::Shared;
use super::lease::Lease;
use super::pages::DueDelivery;
use super::target::Target;
use crate::http::{AttemptRequest, AttemptResult};

/// A delivery with its attempt. There is no attempt if the lease ended, or the replica stopped, before the request was sent.
pub(super) type DeliveryAttempt = (DueDelivery, Option<MadeAttempt>);

/// An attempt and its result.
#[derive(Debug)]
pub(super) struct MadeAttempt {
    /// The URL of the endpoint when the attempt was made: the owner may have changed it since then.
    pub(super) url: Arc<str>,
    pub(super) at: OffsetDateTime,
    pub(super) result: AttemptResult,
}

/// Why nothing is sent, for the owner of the endpoint.
const UNREADABLE_SECRET: &str =
    "has a signing secret that we cannot read any more: make a new secret, and switch to it";

/// Sends a delivery, as soon as the replica has a permit for it.
pub(super) async fn run(
    shared: &Shared,
    lease: &Lease,
    target: &Target,
    due: DueDelivery,
) -> DeliveryAttempt {
    // The dispatcher closes the semaphore when the replica stops.
    let permit = shared.in_flight.acquire().await;
    if permit.is_err() || !lease.is_alive() {
        return (due, None);
    }
    let at = shared.now();
    let made = |result| {
        let url = Arc::clone(&target.url);
        Some(MadeAttempt { url, at, result })
    };
    let address = match &target.address {
        Ok(address) => address,
        Err(problem) => {
            let reason = format!("has an address that is not allowed. {problem}");
            let result = AttemptResult::no_response(reason, Duration::ZERO);
            return (due, made(result));
        }
    };
    let Some(secrets) = target.secrets(at) else {
        let result = AttemptResult::no_response(UNREADABLE_SECRET.to_owned(), Duration::ZERO);
        return (due, made(result));
    };
    let attempt = AttemptRequest {
        address,
        event: &due.message.event,
        id: due.message.id,
        at,
        body: due.message.body.clone(),
        secrets,
    };
    let result = shared.sender.attempt(attempt).await;
    (due, made(result))
}
