//! RPCs for the tokens of an account for the account API.

use contracts::gateway::v1 as proto;
use kit::bad_fields::BadFields;
use kit::{Fault, ids};

use super::{Accounts, account_and_author};
use crate::domain::account_token::Token;
use crate::domain::author::Author;
use crate::domain::fields;
use crate::domain::scope::Scopes;
use crate::domain::staff_action::Action;
use crate::service::operations::{AccountFilter, id};
use crate::write::{Command, Outcome};

pub(super) async fn list(
    accounts: &Accounts,
    request: proto::AccountsServiceListTokensRequest,
) -> Result<proto::AccountsServiceListTokensResponse, Fault> {
    let account = id("account_id", &request.account_id)?;
    let tokens = accounts.operations.list_tokens(account).await?;
    Ok(proto::AccountsServiceListTokensResponse {
        tokens: tokens.iter().map(Into::into).collect(),
    })
}

pub(super) async fn create(
    accounts: &Accounts,
    request: proto::AccountsServiceCreateTokenRequest,
) -> Result<proto::AccountsServiceCreateTokenResponse, Fault> {
    let operations = &accounts.operations;
    let now = operations.clock.now();
    let mut bad = BadFields::default();
    let account = bad.id("account_id", &request.account_id);
    let actor = request.actor.unwrap_or_default();
    let person = fields::person(&mut bad, &actor.person_id, &actor.address);
    let name = fields::name(&mut bad, "name", &request.name);
    let scopes = bad.read("scopes", Scopes::parse(&request.scopes));
    let expires_at = bad.time("expires_at", request.expires_at);
    if expires_at.is_some_and(|end| end <= now) {
        bad.add("expires_at", "Give a time in the future.");
    }
    let scopes = bad.finish(scopes)?;
    let secret = operations.format.generate_token(&mut rand::rng());
    let token = Token {
        id: ids::row_id(),
        account,
        name,
        scopes,
        last4: secret.last4().to_owned(),
        created_at: now,
        last_used_at: None,
        expires_at,
        revoked_at: None,
        revision: 1,
        created_by: person.id,
    };
    let by = Author::Person(person, Action::CreateToken);
    let command = Command::CreateToken(token, secret.hash());
    let token = operations.write(by, command, Outcome::try_as_token).await?;
    Ok(proto::AccountsServiceCreateTokenResponse {
        token: Some((&token).into()),
        secret: secret.expose().to_owned(),
    })
}

pub(super) async fn revoke(
    accounts: &Accounts,
    request: proto::AccountsServiceRevokeTokenRequest,
) -> Result<proto::AccountsServiceRevokeTokenResponse, Fault> {
    let mut bad = BadFields::default();
    let (account, by) = account_and_author(
        &mut bad,
        &request.account_id,
        request.actor,
        Action::RevokeToken,
    );
    let id = bad.id("id", &request.id);
    bad.check()?;
    let filter = AccountFilter::Only(account);
    let token = accounts.operations.revoke_token(by, filter, id).await?;
    Ok(proto::AccountsServiceRevokeTokenResponse {
        token: Some((&token).into()),
    })
}
