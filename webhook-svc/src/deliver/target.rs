//! What attempts need of an endpoint: its address, its decrypted secrets, and what it may receive.

use std::sync::Arc;

use time::OffsetDateTime;
use uuid::Uuid;

use super::Shared;
use crate::domain::address::Address;
use crate::domain::rotation;
use crate::domain::signature::Secret;
use crate::domain::signed_headers::Secrets;
use crate::key_ring::open_secret;
use crate::store::endpoints::{self, Endpoint, EndpointState};
use crate::store::plans;

#[derive(Debug)]
pub(super) struct Target {
    /// As the endpoint has it.
    pub(super) url: Arc<str>,
    /// The parsed URL, or why it is not allowed: the rules have changed since the owner entered it.
    pub(super) address: Result<Address, String>,
    /// `None` if a secret cannot be decrypted.
    secrets: Option<DecryptedSecrets>,
    /// Whether the account's plan has real events, in addition to test events.
    pub(super) has_real_events: bool,
}

#[derive(Debug)]
struct DecryptedSecrets {
    current: Secret,
    /// During a rotation: the new secret, and when it replaces the current one.
    next: Option<(Secret, OffsetDateTime)>,
}

impl Target {
    /// The secrets that sign at `now`; `None`: they cannot be decrypted.
    pub(super) fn secrets(&self, now: OffsetDateTime) -> Option<Secrets<'_>> {
        let DecryptedSecrets { current, next } = self.secrets.as_ref()?;
        let next = next.as_ref().map(|(next, from)| (next, *from));
        let (current, next) = rotation::signing_secrets(current, next, now);
        Some(Secrets { current, next })
    }
}

/// Loads an endpoint; `None`: it is removed, paused or off.
///
/// # Errors
/// PostgreSQL fails, or the plan of the account is not known: what it allows must not be guessed.
pub(super) async fn load(shared: &Shared, endpoint: Uuid) -> anyhow::Result<Option<Target>> {
    let found = endpoints::find(&shared.pool, endpoint, None).await?;
    let Some(found) = found.filter(|found| found.state == EndpointState::On) else {
        return Ok(None);
    };
    let account = found.account_id;
    let plan = plans::find(&shared.pool, account).await?.ok_or_else(|| {
        anyhow::anyhow!(
            "the plan of account {account} is not known, so its deliveries wait: is the follower of the gateway behind?"
        )
    })?;
    Ok(Some(Target {
        url: Arc::from(found.url.as_str()),
        address: shared.sender.parse_address(&found.url),
        secrets: open_secrets(shared, &found),
        has_real_events: plan.events,
    }))
}

/// `None`: a secret cannot be decrypted.
fn open_secrets(shared: &Shared, endpoint: &Endpoint) -> Option<DecryptedSecrets> {
    let open = |sealed: &[u8]| {
        open_secret(&shared.key_ring, endpoint.id, sealed)
            .inspect_err(|error| {
                let endpoint = endpoint.id;
                tracing::warn!(%endpoint, %error, "cannot decrypt the secret of an endpoint");
            })
            .ok()
    };
    let next = match (&endpoint.next_secret, endpoint.next_secret_from) {
        (Some(next), Some(from)) => Some((open(next)?, from)),
        _ => None,
    };
    Some(DecryptedSecrets { current: open(&endpoint.secret)?, next })
}
