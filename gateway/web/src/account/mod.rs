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

use std::time::Duration;

use kit::Fault;
use pages::{ApiCall, Shell};
use sqlx::PgExecutor;
use time::OffsetDateTime;
use tokio::time::timeout;

use crate::app::Web;
use crate::store::activity::{self as store, NewEntry};
use crate::upstream::gateway::READ_ONLY;
use crate::viewer::{AccountScope, ClientInfo, Section, Viewer};

/// How long a page waits for its frame. A form that was refused because a service hangs has waited before, and its page must still meet the
/// deadline of the request.
const FRAME: Duration = Duration::from_secs(5);

/// The frame of a page of this account. While the gateway is away, the frame lacks the account's name, and the page itself shows the
/// reason.
async fn shell(web: &Web, viewer: &Viewer, scope: &AccountScope, section: Section) -> Shell {
    let asked = async { futures::join!(web.gateway.account(scope.id), closed(web)) };
    let asked = timeout(FRAME, asked).await.ok();
    let (found, closed) = asked.map_or((None, None), |(found, closed)| (found.ok(), closed));
    let account = found.and_then(|found| found.account);
    let name = account.map_or_else(|| "Account".to_owned(), |account| account.name);
    Shell {
        closed,
        // A page whose data an API call returns sets that call instead.
        api_call: Some(ApiCall::none()),
        ..scope.shell(viewer, &name, section)
    }
}

/// The reason why the forms of an account are closed, for a page. The handlers of forms check it again.
async fn closed(web: &Web) -> Option<&'static str> {
    let switches = web.gateway.switches().await;
    switches
        .unwrap_or_default()
        .is_read_only
        .then_some(READ_ONLY)
}

/// Records a completed action of a person in an account. A failure to record it is only logged.
pub async fn record_done(
    web: &Web,
    by: (&Viewer, &ClientInfo),
    scope: &AccountScope,
    (action, subject): (&'static str, &str),
) {
    let recorded = record(&web.pool, by, scope, (action, subject), web.clock.now());
    if let Err(fault) = recorded.await {
        tracing::warn!(%fault, action, "an activity is not recorded");
    }
}

/// Records a person's action in an account, in the transaction of the change.
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
