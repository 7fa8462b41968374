//! The address that mails about an account go to: it is that of a member, also after the member has left or has another address.

use kit::Fault;
use uuid::Uuid;

use crate::app::Web;
use crate::domain::role::Role;
use crate::store::members;
use crate::upstream::gateway::Actor;

/// Replaces the address of an account if it is `old`, that of a person who has left or has the address `new` now.
///
/// Without `new`, it becomes that of the owner who has been in the account for longest. The change of the team is made in any case, so a
/// fault is for the log.
pub async fn replace(web: &Web, actor: &Actor, account: Uuid, old: &str, new: Option<&str>) {
    if let Err(fault) = try_replace(web, actor, account, old, new).await {
        tracing::warn!(%account, %fault, "mails about an account still go to the old address of a member");
    }
}

/// Does so in all accounts of a person, who has another address now.
pub async fn replace_in_all(web: &Web, actor: &Actor, old: &str, new: &str) {
    match members::of_person(&web.pool, actor.person).await {
        Ok(memberships) => {
            for membership in memberships {
                replace(web, actor, membership.account, old, Some(new)).await;
            }
        }
        Err(error) => {
            tracing::warn!(%error, "mails about accounts still go to the old address of a member");
        }
    }
}

async fn try_replace(
    web: &Web,
    actor: &Actor,
    account: Uuid,
    old: &str,
    new: Option<&str>,
) -> Result<(), Fault> {
    let found = web.gateway.account(account).await?.account;
    let has_old = found.is_some_and(|found| found.email.eq_ignore_ascii_case(old));
    if !has_old {
        return Ok(());
    }
    let members = members::of_account(&web.pool, account).await?;
    let owner = members.iter().find(|member| member.role == Role::Owner);
    // An account without people gets no mail: nobody can have this name (RFC 2606).
    let nobody = format!("{account}@closed.invalid");
    let new = new.or_else(|| owner.map(|owner| owner.email.as_str()));
    web.gateway
        .set_account_email(actor, account, new.unwrap_or(&nobody))
        .await
}
