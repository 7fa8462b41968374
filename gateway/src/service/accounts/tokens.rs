//! RPCs for the tokens of an account for the account API.

use contracts::gateway::v1 as proto;
use kit::feed::unexpected_outcome;
use kit::{Fault, ids, timestamp};
use time::OffsetDateTime;

use super::{Accounts, account_and_author};
use crate::domain::account_token::{Scopes, Token};
use crate::domain::author::Author;
use crate::domain::fields::Problems;
use crate::domain::staff_action::Action;
use crate::service::operations::{Scope, id};
use crate::write::{Command, Outcome};

pub(super) async fn list(
    accounts: &Accounts,
    request: proto::AccountsServiceListTokensRequest,
) -> Result<proto::AccountsServiceListTokensResponse, Fault> {
    let account = id("account_id", &request.account_id)?;
    let tokens = accounts.operations.list_tokens(account).await?;
    Ok(proto::AccountsServiceListTokensResponse { tokens })
}

pub(super) async fn create(
    accounts: &Accounts,
    request: proto::AccountsServiceCreateTokenRequest,
) -> Result<proto::AccountsServiceCreateTokenResponse, Fault> {
    let operations = &accounts.operations;
    let now = operations.clock.now();
    let mut problems = Problems::default();
    let account = problems.id("account_id", &request.account_id);
    let actor = request.actor.unwrap_or_default();
    let person = problems.person(&actor.person_id, &actor.address);
    let name = problems.name("name", &request.name);
    let scopes = Scopes::parse(&request.scopes).unwrap_or_else(|problem| {
        problems.add("scopes", problem);
        Scopes::default()
    });
    let expires_at: Option<OffsetDateTime> = request.expires_at.and_then(timestamp::decode);
    let is_bad = request.expires_at.is_some() && expires_at.is_none();
    if is_bad || expires_at.is_some_and(|end| end <= now) {
        problems.add("expires_at", "Give a time in the future.");
    }
    problems.finish()?;
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
    match operations.write(by, command).await? {
        Outcome::Token(token) => Ok(proto::AccountsServiceCreateTokenResponse {
            token: Some((&token).into()),
            secret: secret.expose().to_owned(),
        }),
        other => Err(unexpected_outcome(&other)),
    }
}

pub(super) async fn revoke(
    accounts: &Accounts,
    request: proto::AccountsServiceRevokeTokenRequest,
) -> Result<proto::AccountsServiceRevokeTokenResponse, Fault> {
    let mut problems = Problems::default();
    let (account, by) = account_and_author(
        &mut problems,
        &request.account_id,
        request.actor,
        Action::RevokeToken,
    );
    let id = problems.id("id", &request.id);
    problems.finish()?;
    let scope = Scope::Account(account);
    let token = accounts.operations.revoke_token(by, scope, id).await?;
    Ok(proto::AccountsServiceRevokeTokenResponse { token: Some(token) })
}
