//! An endpoint as a lane needs it: its address, and its secrets decrypted.

use time::OffsetDateTime;
use uuid::Uuid;

use super::Parts;
use crate::domain::address::Address;
use crate::domain::signature::Secret;
use crate::store::endpoints::{self, State};

/// Where deliveries go, and what signs them.
#[derive(Debug)]
pub(super) struct Target {
    pub(super) address: Address,
    pub(super) secret: Secret,
    pub(super) next_secret: Option<Secret>,
    /// Deliveries a second at most.
    pub(super) rate_limit: Option<u32>,
}

/// The endpoint as it is now; `None` when nothing is to be sent to it.
pub(super) async fn load(
    parts: &Parts,
    endpoint: Uuid,
    now: OffsetDateTime,
) -> anyhow::Result<Option<Target>> {
    let found = endpoints::find(&parts.pool, endpoint, None).await?;
    let Some(found) = found.filter(|found| found.state == State::On) else {
        return Ok(None);
    };
    let address = match Address::parse(&found.url, &parts.allow) {
        Ok(address) => address,
        // The rules for addresses have changed since it was added.
        Err(problem) => anyhow::bail!("the address of endpoint {endpoint} is refused: {problem}"),
    };
    let (secret, next) = found.secrets(now);
    let next = next.map(|next| parts.key_ring.open(endpoint, next));
    Ok(Some(Target {
        address,
        secret: parts.key_ring.open(endpoint, secret)?,
        next_secret: next.transpose()?,
        rate_limit: found.rate_limit.and_then(|limit| limit.try_into().ok()),
    }))
}
