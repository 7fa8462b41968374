//! Commands on tokens for the account API: create, revoke.

use contracts::gateway::v1 as proto;
use kit::Fault;
use kit::feed::{ApplyResult, NewChange};
use prost::Message as _;
use sqlx::PgConnection;
use time::OffsetDateTime;
use uuid::Uuid;

use super::{Outcome, accounts, feed_row, locked_row};
use crate::domain::account::Identifier;
use crate::domain::account_token::{Token, check_limits};
use crate::domain::secret::Hash;
use crate::store::account_tokens;

pub(super) async fn create(
    connection: &mut PgConnection,
    token: &Token,
    hash: Hash,
    now: OffsetDateTime,
) -> ApplyResult<Outcome> {
    // The lock lets two tokens be counted one after the other.
    accounts::lock(connection, &Identifier::Id(token.account)).await?;
    let (working, new) = account_tokens::counts(connection, token.account, now).await?;
    check_limits(working, new)?;
    account_tokens::insert(connection, token, hash).await?;
    let change = publish(token, "created");
    Ok((Outcome::Token(token.clone()), vec![change]))
}

pub(super) async fn revoke(
    connection: &mut PgConnection,
    id: Uuid,
    now: OffsetDateTime,
) -> ApplyResult<Outcome> {
    let locked = account_tokens::lock(connection, id).await?;
    let token = locked_row(locked, || {
        Fault::not_found("There is no account token with this id.")
    })?;
    let Some(token) = token.revoked(now) else {
        return Ok((Outcome::Token(token), Vec::new()));
    };
    account_tokens::update_revoked(connection, &token).await?;
    let change = publish(&token, "revoked");
    Ok((Outcome::Token(token), vec![change]))
}

fn publish(token: &Token, event: &'static str) -> NewChange {
    let state = proto::AccountToken::from(token).encode_to_vec();
    let id = token.id.to_string();
    feed_row("account_token", id, token.revision, event, state)
}
