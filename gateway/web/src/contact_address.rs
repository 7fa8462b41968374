//! Keeps the contact address of an account that of a member, when the member leaves or changes the address.

use std::time::Duration;

use futures::future::join_all;
use kit::Fault;
use tokio::time::timeout;
use uuid::Uuid;

use crate::app::Web;
use crate::domain::role::Role;
use crate::store::members;
use crate::upstream::gateway::Actor;

/// How long a form waits for the gateway.
const WAIT: Duration = Duration::from_secs(3);

/// Replaces the address of an account if it is `old`, the address of a person who has left or whose address is now `new`.
///
/// Without `new`, the account gets the address of the owner with the longest membership. The change of the team is already made, so a
/// failure is only logged.
pub async fn replace(app: &Web, actor: &Actor, account: Uuid, old: &str, new: Option<&str>) {
    let replaced = timeout(WAIT, try_replace(app, actor, account, old, new)).await;
    let late = |_elapsed| Err(Fault::unavailable("gateway"));
    if let Err(fault) = replaced.unwrap_or_else(late) {
        tracing::warn!(%account, %fault, "the contact address of an account is still the old one of a member");
    }
}

/// Replaces the address in all accounts of a person whose address has changed.
pub async fn replace_in_all(app: &Web, actor: &Actor, old: &str, new: &str) {
    match members::of_person(&app.pool, actor.person).await {
        Ok(memberships) => {
            let accounts = memberships.iter().map(|it| it.account);
            join_all(accounts.map(|it| replace(app, actor, it, old, Some(new)))).await;
        }
        Err(error) => {
            tracing::warn!(%error, "the contact addresses of accounts are still the old one of a member");
        }
    }
}

async fn try_replace(
    app: &Web,
    actor: &Actor,
    account: Uuid,
    old: &str,
    new: Option<&str>,
) -> Result<(), Fault> {
    let found = app.gateway.account(account).await?.account;
    let has_old = found.is_some_and(|found| found.email.eq_ignore_ascii_case(old));
    if !has_old {
        return Ok(());
    }
    let members = members::of_account(&app.pool, account).await?;
    let owner = members.iter().find(|member| member.role == Role::Owner);
    // An account without people has the address of nobody: this domain cannot exist (RFC 2606).
    let nobody = format!("{account}@closed.invalid");
    let new = new.or_else(|| owner.map(|owner| owner.email.as_str()));
    app.gateway
        .change_account(actor, account, None, new.unwrap_or(&nobody))
        .await
}
