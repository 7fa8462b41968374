//! The RPC that lists the changes by programs with tokens in an account: of keys, and of endpoints, which webhook-svc records.

use contracts::gateway::v1 as proto;
use contracts::webhook::v1::endpoints_service_client::EndpointsServiceClient;
use kit::{Fault, token_changes};

use super::Accounts;
use crate::SCHEMA;

pub(super) async fn list(
    accounts: &Accounts,
    request: proto::AccountsServiceListTokenChangesRequest,
) -> Result<proto::AccountsServiceListTokenChangesResponse, Fault> {
    let mut changes = token_changes::list(&accounts.operations.pool, SCHEMA, &request).await?;
    let method = EndpointsServiceClient::list_token_changes;
    let of_endpoints = accounts.webhooks.read(method, request.clone()).await?;
    changes.extend(of_endpoints.changes);
    Ok(proto::AccountsServiceListTokenChangesResponse {
        changes: token_changes::merge(changes, &request),
    })
}
