//! The address of an endpoint and its decrypted secrets.

use time::OffsetDateTime;
use uuid::Uuid;

use super::DeliveryDependencies;
use crate::domain::address::Address;
use crate::domain::signature::Secret;
use crate::store::endpoints::{self, EndpointState};
use crate::store::plans;

#[derive(Debug)]
pub(super) struct Target {
    /// Or why it is not allowed: the rules have changed since it was entered.
    pub(super) address: Result<Address, String>,
    secret: Secret,
    /// During a rotation: the new secret, and when it replaces `secret`.
    next_secret: Option<(Secret, OffsetDateTime)>,
    /// Maximum deliveries per second.
    pub(super) rate_limit: Option<u32>,
    pub(super) last_success_at: Option<OffsetDateTime>,
    /// Whether the account's plan has real events, in addition to test events.
    pub(super) has_real_events: bool,
}

impl Target {
    /// The secrets that sign at `now`: the current one and, during a rotation, the next one.
    pub(super) fn secrets(&self, now: OffsetDateTime) -> (&Secret, Option<&Secret>) {
        match &self.next_secret {
            Some((next, from)) if *from <= now => (next, None),
            Some((next, _)) => (&self.secret, Some(next)),
            None => (&self.secret, None),
        }
    }
}

/// Loads an endpoint; `None`: it is removed, paused or off.
pub(super) async fn load(
    dependencies: &DeliveryDependencies,
    endpoint: Uuid,
) -> anyhow::Result<Option<Target>> {
    let found = endpoints::find(&dependencies.pool, endpoint, None).await?;
    let Some(found) = found.filter(|found| found.state == EndpointState::On) else {
        return Ok(None);
    };
    let mut connection = dependencies.pool.acquire().await?;
    let allowance = plans::of_account(&mut connection, found.account_id).await?;
    drop(connection);
    let open = |sealed: &[u8]| dependencies.key_ring.open(endpoint, sealed);
    let next = found.next_secret.as_deref().zip(found.next_secret_from);
    let next = next.map(|(next, from)| open(next).map(|next| (next, from)));
    Ok(Some(Target {
        address: Address::parse(&found.url, &dependencies.allow),
        secret: open(&found.secret)?,
        next_secret: next.transpose()?,
        last_success_at: found.last_success_at,
        has_real_events: allowance.is_some_and(|allowance| allowance.events),
        rate_limit: found.rate_limit.and_then(|limit| limit.try_into().ok()),
    }))
}
