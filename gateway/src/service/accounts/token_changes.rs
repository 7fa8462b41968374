//! The RPC that lists the changes by programs with tokens in an account.

use contracts::gateway::v1 as proto;
use kit::{Fault, pg, timestamp};

use super::Accounts;
use crate::domain::fields::Problems;
use crate::store::token_changes::{self, Filter, TokenChange};

/// Rows by default, and at most.
const DEFAULT_LIMIT: u32 = 100;
const MAX_LIMIT: u32 = 500;

pub(super) async fn list(
    accounts: &Accounts,
    request: proto::AccountsServiceListTokenChangesRequest,
) -> Result<proto::AccountsServiceListTokenChangesResponse, Fault> {
    let mut problems = Problems::default();
    let account = problems.id("account_id", &request.account_id);
    let before = (!request.before.is_empty()).then(|| problems.id("before", &request.before));
    let since = request.since.map(timestamp::decode);
    if since == Some(None) {
        problems.add("since", "It is not a valid timestamp.");
    }
    let limit = match request.limit {
        0 => DEFAULT_LIMIT,
        limit => limit,
    };
    if limit > MAX_LIMIT {
        let reason = format!("Give a whole number from 1 to {MAX_LIMIT}.");
        problems.add("limit", reason);
    }
    problems.finish()?;
    let filter = Filter {
        account,
        before,
        since: since.flatten(),
        limit: limit.into(),
    };
    let found = token_changes::list(&accounts.operations.pool, filter).await;
    let found = found.map_err(|error| pg::fault(&error))?;
    Ok(proto::AccountsServiceListTokenChangesResponse {
        changes: found.into_iter().map(message).collect(),
    })
}

fn message(found: TokenChange) -> proto::TokenChange {
    proto::TokenChange {
        id: found.id.to_string(),
        at: Some(timestamp::encode(found.at)),
        token: Some(proto::TokenActor {
            id: found.token_id,
            name: found.token_name,
        }),
        address: found.address,
        action: found.action,
        endpoint_change: found.endpoint_change,
        subject: found.subject,
    }
}
