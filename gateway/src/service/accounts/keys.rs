//! RPCs for the keys of an account and the requests for them.

use contracts::gateway::v1 as proto;
use kit::Fault;
use kit::api::bad_fields::BadFields;

use super::{Accounts, account_and_author};
use crate::domain::key::Mode;
use crate::domain::staff_action::Action;
use crate::service::operations::{AccountFilter, id, key_fields};
use crate::store::key_requests;
use crate::write;

/// The reason for the rejection of a request whose account has no people any more.
const WITHDRAWN: &str = "The account was closed.";

pub(super) async fn list(
    accounts: &Accounts,
    request: proto::AccountsServiceListKeysRequest,
) -> Result<proto::ListKeysResponse, Fault> {
    let account = id("account_id", &request.account_id)?;
    accounts.operations.list_keys(account).await
}

pub(super) async fn create(
    accounts: &Accounts,
    request: proto::AccountsServiceCreateKeyRequest,
) -> Result<proto::CreateKeyResponse, Fault> {
    let mut bad = BadFields::default();
    let (actor, action) = (request.actor, Action::CreateKey);
    let (account, by) = account_and_author(&mut bad, &request.account_id, actor, action);
    let operations = &accounts.operations;
    let spec = key_fields!(request).parse(&mut bad, Mode::Test);
    bad.check()?;
    let created = operations.create_key(by, account, spec);
    let (key, secret) = created.await?;
    Ok(proto::CreateKeyResponse {
        key: Some((&key).into()),
        secret: secret.expose().to_owned(),
    })
}

pub(super) async fn request(
    accounts: &Accounts,
    request: proto::AccountsServiceRequestKeyRequest,
) -> Result<proto::RequestKeyResponse, Fault> {
    let mut bad = BadFields::default();
    let (actor, action) = (request.actor, Action::RequestKey);
    let (account, by) = account_and_author(&mut bad, &request.account_id, actor, action);
    let operations = &accounts.operations;
    let spec = key_fields!(request).parse(&mut bad, Mode::Live);
    bad.check()?;
    let requested = operations.request_key(by, account, spec);
    Ok(proto::RequestKeyResponse {
        request: Some((&requested.await?).into()),
    })
}

pub(super) async fn list_requests(
    accounts: &Accounts,
    request: proto::AccountsServiceListKeyRequestsRequest,
) -> Result<proto::AccountsServiceListKeyRequestsResponse, Fault> {
    let account = id("account_id", &request.account_id)?;
    let found = key_requests::of_account(&accounts.operations.pool, account).await?;
    Ok(proto::AccountsServiceListKeyRequestsResponse {
        requests: found.iter().map(Into::into).collect(),
    })
}

pub(super) async fn reveal(
    accounts: &Accounts,
    request: proto::AccountsServiceRevealKeyRequest,
) -> Result<proto::RevealKeyResponse, Fault> {
    let mut bad = BadFields::default();
    let (actor, action) = (request.actor, Action::RevealKey);
    let (account, by) = account_and_author(&mut bad, &request.account_id, actor, action);
    let id = bad.id("id", &request.id);
    bad.check()?;
    let revealed = accounts
        .operations
        .reveal_key(by, AccountFilter::Only(account), id);
    let (key, secret) = revealed.await?;
    Ok(proto::RevealKeyResponse {
        key: Some((&key).into()),
        secret: secret.expose().to_owned(),
    })
}

pub(super) async fn withdraw_requests(
    accounts: &Accounts,
    request: proto::AccountsServiceWithdrawKeyRequestsRequest,
) -> Result<proto::AccountsServiceWithdrawKeyRequestsResponse, Fault> {
    let mut bad = BadFields::default();
    let (actor, action) = (request.actor, Action::RejectKey);
    let (account, by) = account_and_author(&mut bad, &request.account_id, actor, action);
    bad.check()?;
    let operations = &accounts.operations;
    let mut requests = Vec::new();
    for id in key_requests::open(&operations.pool, account).await? {
        let producer = &operations.producer;
        let rejected = write::key_requests::reject(producer, &by, id, WITHDRAWN).await?;
        requests.push((&rejected).into());
    }
    Ok(proto::AccountsServiceWithdrawKeyRequestsResponse { requests })
}

pub(super) async fn rotate(
    accounts: &Accounts,
    request: proto::AccountsServiceRotateKeyRequest,
) -> Result<proto::RotateKeyResponse, Fault> {
    let mut bad = BadFields::default();
    let (actor, action) = (request.actor, Action::RotateKey);
    let (account, by) = account_and_author(&mut bad, &request.account_id, actor, action);
    let id = bad.id("id", &request.id);
    bad.check()?;
    let filter = AccountFilter::Only(account);
    let rotated = (accounts.operations).rotate_key(by, filter, id, request.revoke_old);
    Ok(rotated.await?.into())
}

pub(super) async fn revoke(
    accounts: &Accounts,
    request: proto::AccountsServiceRevokeKeyRequest,
) -> Result<proto::RevokeKeyResponse, Fault> {
    let mut bad = BadFields::default();
    let (actor, action) = (request.actor, Action::RevokeKey);
    let (account, by) = account_and_author(&mut bad, &request.account_id, actor, action);
    let id = bad.id("id", &request.id);
    bad.check()?;
    let filter = AccountFilter::Only(account);
    let key = accounts.operations.revoke_key(by, filter, id).await?;
    Ok(proto::RevokeKeyResponse {
        key: Some((&key).into()),
    })
}
