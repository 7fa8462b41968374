//! The RPC that lists the changes by programs with tokens in an account.

use contracts::gateway::v1 as proto;
use kit::bad_fields::BadFields;
use kit::page::Limits;
use kit::{Fault, pg, timestamp};

use super::Accounts;
use crate::store::token_changes::{self, Filter, TokenChange};

pub(super) async fn list(
    accounts: &Accounts,
    request: proto::AccountsServiceListTokenChangesRequest,
) -> Result<proto::AccountsServiceListTokenChangesResponse, Fault> {
    let mut bad = BadFields::default();
    let account = bad.id("account_id", &request.account_id);
    let before = (!request.before.is_empty()).then(|| bad.id("before", &request.before));
    let since = bad.time("since", request.since);
    let limit = Limits::LONG.read(request.limit, &mut bad);
    bad.check()?;
    let filter = Filter {
        account,
        before,
        since,
        limit: i64::try_from(limit).unwrap_or(i64::MAX),
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
