//! RPCs for the keys of an account and the requests for them.

use contracts::gateway::v1 as proto;
use kit::Fault;
use kit::bad_fields::BadFields;
use kit::cursor::Binding;
use kit::page::{Limits, Page};
use uuid::Uuid;

use super::{Accounts, account_and_author};
use crate::domain::account::Identifier;
use crate::domain::fields;
use crate::domain::key::Mode;
use crate::domain::staff_action::Action;
use crate::service::operations::{AccountFilter, id, key_fields};
use crate::store::{key_requests, keys as store};
use crate::write::Command;

/// The reason for the rejection of a request whose account has no people any more.
const WITHDRAWN: &str = "The account was closed.";

pub(super) async fn list(
    accounts: &Accounts,
    request: proto::AccountsServiceListKeysRequest,
) -> Result<proto::ListKeysResponse, Fault> {
    let account = id("account_id", &request.account_id)?;
    Ok(accounts.operations.list_keys(account).await?.into())
}

/// Working keys of all accounts that expire until a moment.
pub(super) async fn list_expiring(
    accounts: &Accounts,
    request: proto::AccountsServiceListExpiringKeysRequest,
) -> Result<proto::AccountsServiceListExpiringKeysResponse, Fault> {
    let operations = &accounts.operations;
    let mut bad = BadFields::default();
    let now = operations.clock.now();
    let until = bad.time("until", request.until);
    if until.is_none() {
        bad.add("until", "Give a valid time.");
    }
    let bound = until.map(|until| until.unix_timestamp().to_string());
    let binding = Binding::new("expiring keys", [bound.as_deref()]);
    let page: Page<Uuid> = bad.read_page(Limits::LONG, binding, request.limit, &request.cursor);
    let until = bad.finish(until)?;
    let (pool, rows) = (&operations.pool, page.rows_to_fetch());
    let mut found = store::expiring(pool, now, until, page.after, rows).await?;
    let next_cursor = page.cut(&mut found, |key| key.id)?;
    Ok(proto::AccountsServiceListExpiringKeysResponse {
        keys: found.iter().map(Into::into).collect(),
        next_cursor,
    })
}

pub(super) async fn create(
    accounts: &Accounts,
    request: proto::AccountsServiceCreateKeyRequest,
) -> Result<proto::CreateKeyResponse, Fault> {
    let mut bad = BadFields::default();
    let (actor, action) = (request.actor, Action::CreateKey);
    let (account, by) = account_and_author(&mut bad, &request.account_id, actor, action);
    let operations = &accounts.operations;
    let spec = key_fields!(request).parse(&mut bad, Mode::Test, operations.clock.now());
    bad.check()?;
    let created = operations.create_key(by, Identifier::Id(account), spec);
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
    let spec = key_fields!(request).parse(&mut bad, Mode::Live, operations.clock.now());
    bad.check()?;
    let requested = operations.request_key(by, Identifier::Id(account), spec);
    Ok(proto::RequestKeyResponse {
        request: Some((&requested.await?).into()),
    })
}

pub(super) async fn list_requests(
    accounts: &Accounts,
    request: proto::AccountsServiceListKeyRequestsRequest,
) -> Result<proto::ListKeyRequestsResponse, Fault> {
    let mut bad = BadFields::default();
    let account = bad.id("account_id", &request.account_id);
    let binding = Binding::new("account's key requests", [Some(&*request.account_id)]);
    let page: Page<Uuid> = bad.read_page(Limits::LONG, binding, request.limit, &request.cursor);
    bad.check()?;
    let (pool, rows) = (&accounts.operations.pool, page.rows_to_fetch());
    let mut found = key_requests::of_account(pool, account, page.after, rows).await?;
    let next_cursor = page.cut(&mut found, |request| request.id)?;
    Ok(proto::ListKeyRequestsResponse {
        requests: found.iter().map(Into::into).collect(),
        next_cursor,
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
        let command = Command::RejectKey(id, WITHDRAWN.to_owned());
        let rejected = operations.write_key_request(by.clone(), command).await?;
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
    let operations = &accounts.operations;
    let expires_at = bad.time("expires_at", request.expires_at);
    fields::expires_at(&mut bad, expires_at, operations.clock.now());
    bad.check()?;
    let grace = operations.grace.choose(request.grace_seconds);
    let filter = AccountFilter::Only(account);
    let rotated = operations.rotate_key(by, filter, id, grace, expires_at);
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
