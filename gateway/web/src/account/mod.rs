//! Accounts: keys, usage, webhooks, team and activity. Every page is an RPC of the service that owns its rules, with the account as scope.

pub mod activity;
pub mod choice;
pub mod keys;
pub mod list;
pub mod member_request;
pub mod overview;
pub mod plans;
pub mod requests;
pub mod settings;
pub mod team;
pub mod tokens;
pub mod try_it;
pub mod usage;
pub mod webhooks;

use kit::Fault;
use pages::Shell;
use sqlx::PgExecutor;
use time::OffsetDateTime;

use crate::app::Web;
use crate::store::activity::{self as store, NewEntry};
use crate::upstream::gateway::READ_ONLY;
use crate::viewer::{AccountScope, ClientInfo, Section, Viewer};

/// The frame of a page of this account. While the gateway is away it lacks the name, and the page says why by itself.
async fn shell(web: &Web, viewer: &Viewer, scope: &AccountScope, section: Section) -> Shell {
    let (found, closed) = futures::join!(web.gateway.account(scope.id), closed(web));
    let account = found.ok().and_then(|found| found.account);
    let name = account.map_or_else(|| "Account".to_owned(), |account| account.name);
    Shell {
        closed,
        ..scope.shell(viewer, &name, section)
    }
}

/// Why the forms of an account are closed, for a page. The forms themselves ask again.
async fn closed(web: &Web) -> Option<&'static str> {
    let switches = web.gateway.switches().await;
    switches
        .unwrap_or_default()
        .is_read_only
        .then_some(READ_ONLY)
}

/// Records what a person did in an account.
pub async fn record(
    executor: impl PgExecutor<'_>,
    (viewer, client): (&Viewer, &ClientInfo),
    scope: &AccountScope,
    (action, subject): (&'static str, &str),
    now: OffsetDateTime,
) -> Result<(), Fault> {
    let entry = NewEntry {
        account: Some(scope.id),
        person: viewer.person.id,
        email: &viewer.person.email,
        action,
        subject,
        address: &client.address(),
        agent: &client.agent,
    };
    Ok(store::insert(executor, entry, now).await?)
}
