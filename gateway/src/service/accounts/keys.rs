//! RPCs for the keys of an account and the requests for them.

use std::collections::BTreeMap;

use contracts::gateway::v1 as proto;
use kit::cursor::Binding;
use kit::{Fault, pg, timestamp};

use super::{Accounts, account_and_author};
use crate::domain::account::Identifier;
use crate::domain::fields::Problems;
use crate::domain::key::Mode;
use crate::domain::staff_action::Action;
use crate::service::operations::{KeyFields, ResultPage, Scope, id};
use crate::store::{key_requests, keys as store};
use crate::write::Command;

/// The reason for the rejection of a request whose account has no people any more.
const WITHDRAWN: &str = "The account was closed.";

pub(super) async fn list(
    accounts: &Accounts,
    request: proto::AccountsServiceListKeysRequest,
) -> Result<proto::ListKeysResponse, Fault> {
    let account = id("account_id", &request.account_id)?;
    accounts.operations.list_keys(account).await
}

/// Working keys of all accounts that expire until a moment.
pub(super) async fn list_expiring(
    accounts: &Accounts,
    request: proto::AccountsServiceListExpiringKeysRequest,
) -> Result<proto::AccountsServiceListExpiringKeysResponse, Fault> {
    let operations = &accounts.operations;
    let mut problems = Problems::default();
    let now = operations.clock.now();
    let until = request.until.and_then(timestamp::decode);
    let until = until.unwrap_or_else(|| {
        problems.add("until", "Give a valid time.");
        now
    });
    let bound = until.unix_timestamp().to_string();
    let binding = Binding::new("expiring keys", [Some(&*bound)]);
    let page = ResultPage::parse(&mut problems, binding, request.limit, &request.cursor);
    problems.finish()?;
    let found = store::expiring(
        &operations.pool,
        (now, until),
        page.after,
        page.rows_to_fetch(),
    );
    let mut found = found.await.map_err(|error| pg::fault(&error))?;
    let next_cursor = page.truncate(&mut found, |key| key.id)?;
    Ok(proto::AccountsServiceListExpiringKeysResponse {
        keys: found.iter().map(Into::into).collect(),
        next_cursor,
    })
}

pub(super) async fn create(
    accounts: &Accounts,
    request: proto::AccountsServiceCreateKeyRequest,
) -> Result<proto::CreateKeyResponse, Fault> {
    let mut problems = Problems::default();
    let (account, by) = account_and_author(
        &mut problems,
        &request.account_id,
        request.actor.clone(),
        Action::CreateKey,
    );
    let fields = key_fields(request);
    let account = Identifier::Id(account);
    let created = (accounts.operations).create_key(by, problems, account, (Mode::Test, fields));
    created.await
}

impl Accounts {
    /// The bad fields of a new key, with the reason of each.
    pub fn bad_fields_of_key(
        &self,
        request: proto::AccountsServiceCreateKeyRequest,
    ) -> BTreeMap<String, String> {
        let mut problems = Problems::default();
        // A live key has the same fields.
        key_fields(request).parse(&mut problems, Mode::Test, self.operations.clock.now());
        let checked = problems.finish();
        checked.err().map(|fault| fault.fields).unwrap_or_default()
    }
}

fn key_fields(request: proto::AccountsServiceCreateKeyRequest) -> KeyFields {
    KeyFields {
        name: request.name,
        kind: request.kind,
        may_write: request.may_write,
        game: request.game,
        expires_at: request.expires_at,
    }
}

pub(super) async fn request(
    accounts: &Accounts,
    request: proto::AccountsServiceRequestKeyRequest,
) -> Result<proto::RequestKeyResponse, Fault> {
    let mut problems = Problems::default();
    let (account, by) = account_and_author(
        &mut problems,
        &request.account_id,
        request.actor,
        Action::RequestKey,
    );
    let fields = KeyFields {
        name: request.name,
        kind: request.kind,
        may_write: request.may_write,
        game: request.game,
        expires_at: request.expires_at,
    };
    let account = Identifier::Id(account);
    let requested = (accounts.operations).request_key(by, problems, account, fields);
    requested.await
}

pub(super) async fn list_requests(
    accounts: &Accounts,
    request: proto::AccountsServiceListKeyRequestsRequest,
) -> Result<proto::ListKeyRequestsResponse, Fault> {
    let mut problems = Problems::default();
    let account = problems.id("account_id", &request.account_id);
    let binding = Binding::new("account's key requests", [Some(&*request.account_id)]);
    let page = ResultPage::parse(&mut problems, binding, request.limit, &request.cursor);
    problems.finish()?;
    let (pool, rows) = (&accounts.operations.pool, page.rows_to_fetch());
    let mut found = key_requests::of_account(pool, account, page.after, rows)
        .await
        .map_err(|error| pg::fault(&error))?;
    let next_cursor = page.truncate(&mut found, |request| request.id)?;
    Ok(proto::ListKeyRequestsResponse {
        requests: found.iter().map(Into::into).collect(),
        next_cursor,
    })
}

pub(super) async fn reveal(
    accounts: &Accounts,
    request: proto::AccountsServiceRevealKeyRequest,
) -> Result<proto::RevealKeyResponse, Fault> {
    let mut problems = Problems::default();
    let (account, by) = account_and_author(
        &mut problems,
        &request.account_id,
        request.actor,
        Action::RevealKey,
    );
    let id = problems.id("id", &request.id);
    problems.finish()?;
    let scope = Scope::Account(account);
    accounts.operations.reveal_key(by, scope, id).await
}

pub(super) async fn withdraw_requests(
    accounts: &Accounts,
    request: proto::AccountsServiceWithdrawKeyRequestsRequest,
) -> Result<proto::AccountsServiceWithdrawKeyRequestsResponse, Fault> {
    let mut problems = Problems::default();
    let (account, by) = account_and_author(
        &mut problems,
        &request.account_id,
        request.actor,
        Action::RejectKey,
    );
    problems.finish()?;
    let operations = &accounts.operations;
    let open = key_requests::open(&operations.pool, account).await;
    let mut requests = Vec::new();
    for id in open.map_err(|error| pg::fault(&error))? {
        let command = Command::RejectKey(id, WITHDRAWN.to_owned());
        requests.push(operations.write_key_request(by.clone(), command).await?);
    }
    Ok(proto::AccountsServiceWithdrawKeyRequestsResponse { requests })
}

pub(super) async fn rotate(
    accounts: &Accounts,
    request: proto::AccountsServiceRotateKeyRequest,
) -> Result<proto::RotateKeyResponse, Fault> {
    let mut problems = Problems::default();
    let (account, by) = account_and_author(
        &mut problems,
        &request.account_id,
        request.actor,
        Action::RotateKey,
    );
    let id = problems.id("id", &request.id);
    problems.finish()?;
    let scope = Scope::Account(account);
    let grace = accounts.operations.grace.choose(request.grace_seconds);
    accounts.operations.rotate_key(by, scope, id, grace).await
}

pub(super) async fn revoke(
    accounts: &Accounts,
    request: proto::AccountsServiceRevokeKeyRequest,
) -> Result<proto::RevokeKeyResponse, Fault> {
    let mut problems = Problems::default();
    let (account, by) = account_and_author(
        &mut problems,
        &request.account_id,
        request.actor,
        Action::RevokeKey,
    );
    let id = problems.id("id", &request.id);
    problems.finish()?;
    let scope = Scope::Account(account);
    accounts.operations.revoke_key(by, scope, id).await
}
