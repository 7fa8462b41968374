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
    secret: Secret,
    /// While it is rotated: the secret that signs alone from then on.
    next_secret: Option<(Secret, OffsetDateTime)>,
    /// Deliveries a second at most.
    pub(super) rate_limit: Option<u32>,
}

impl Target {
    /// The secrets that sign at `now`: the current one, and the next one while it is rotated.
    pub(super) fn secrets(&self, now: OffsetDateTime) -> (&Secret, Option<&Secret>) {
        match &self.next_secret {
            Some((next, from)) if *from <= now => (next, None),
            Some((next, _)) => (&self.secret, Some(next)),
            None => (&self.secret, None),
        }
    }
}

/// The endpoint as it is now; `None` when nothing is to be sent to it.
pub(super) async fn load(parts: &Parts, endpoint: Uuid) -> anyhow::Result<Option<Target>> {
    let found = endpoints::find(&parts.pool, endpoint, None).await?;
    let Some(found) = found.filter(|found| found.state == State::On) else {
        return Ok(None);
    };
    let address = match Address::parse(&found.url, &parts.allow) {
        Ok(address) => address,
        // The rules for addresses have changed since it was added.
        Err(problem) => anyhow::bail!("the address of endpoint {endpoint} is refused: {problem}"),
    };
    let open = |sealed: &[u8]| parts.key_ring.open(endpoint, sealed);
    let next = found.next_secret.as_deref().zip(found.next_secret_from);
    let next = next.map(|(next, from)| open(next).map(|next| (next, from)));
    Ok(Some(Target {
        address,
        secret: open(&found.secret)?,
        next_secret: next.transpose()?,
        rate_limit: found.rate_limit.and_then(|limit| limit.try_into().ok()),
    }))
}
