//! Revokes the account tokens of people who have lost the role for tokens. The transaction that changes the role queues the revocation, so
//! that it takes place however long the gateway is away.

use std::time::Duration;

use kit::{Code, Fault};
use tokio::time::timeout;

use super::RunResults;
use crate::app::Web;
use crate::store::token_revocations::{self, TokenRevocation};

/// How long a form waits for revocations. The queue has those of all accounts.
const WAIT: Duration = Duration::from_secs(3);

/// Revokes the tokens of queued people right after a change. A revocation that fails or takes long waits for the next run of the job.
pub async fn run_now(app: &Web) {
    let ran = timeout(WAIT, run(app)).await;
    let late = |_elapsed| Err(anyhow::anyhow!("the gateway takes long"));
    if let Err(error) = ran.unwrap_or_else(late) {
        tracing::warn!(%error, "tokens of a person who lost a role are revoked later");
    }
}

/// Revokes the tokens of queued people; returns the number of queue entries. An entry that fails waits for the next run, and the others do
/// not wait for it.
pub async fn run(app: &Web) -> anyhow::Result<u64> {
    let mut results = RunResults::default();
    for waiting in token_revocations::all(&app.pool).await? {
        match revoke(app, &waiting).await {
            // A missing account has no tokens.
            Err(fault) if fault.code != Code::NotFound => {
                results.add(Err(fault.into()));
                continue;
            }
            Ok(()) | Err(_) => {}
        }
        token_revocations::remove(&app.pool, waiting.id).await?;
        results.add(Ok(1));
    }
    results.result()
}

async fn revoke(app: &Web, waiting: &TokenRevocation) -> Result<(), Fault> {
    let maker = waiting.person.to_string();
    for token in app.gateway.tokens(waiting.account).await? {
        if token.created_by == maker && token.revoked_at.is_none() {
            let revoked = app
                .gateway
                .revoke_token(&waiting.actor, waiting.account, &token.id);
            revoked.await?;
        }
    }
    Ok(())
}
