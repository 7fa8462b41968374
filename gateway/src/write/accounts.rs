//! Commands on accounts: create, change the plan.

use contracts::gateway::v1 as proto;
use kit::Fault;
use kit::feed::{ApplyError, ApplyResult, NewChange};
use prost::Message as _;
use sqlx::PgConnection;

use super::{Outcome, feed_row, locked_row};
use crate::domain::account::{Account, Identifier};
use crate::store::accounts;

pub(super) async fn create(
    connection: &mut PgConnection,
    account: &Account,
) -> ApplyResult<Outcome> {
    if !accounts::insert(connection, account).await? {
        return Err(Fault::invalid_field("email", "Another account has this address.").into());
    }
    let change = publish(account, "created");
    Ok((Outcome::Account(account.clone()), vec![change]))
}

pub(super) async fn set_plan(
    connection: &mut PgConnection,
    identifier: &Identifier,
    plan: &str,
) -> ApplyResult<Outcome> {
    let account = lock(connection, identifier).await?;
    let Some(account) = account.on_plan(plan) else {
        return Ok((Outcome::Account(account), Vec::new()));
    };
    accounts::update(connection, &account).await?;
    let change = publish(&account, "updated");
    Ok((Outcome::Account(account), vec![change]))
}

/// Locks an account. The lock also keeps the number of its keys from changing.
pub(super) async fn lock(
    connection: &mut PgConnection,
    identifier: &Identifier,
) -> Result<Account, ApplyError> {
    let locked = accounts::lock(connection, identifier).await?;
    locked_row(locked, || identifier.unknown())
}

fn publish(account: &Account, event: &'static str) -> NewChange {
    let state = proto::Account::from(account).encode_to_vec();
    feed_row(
        "account",
        account.id.to_string(),
        account.revision,
        event,
        state,
    )
}
