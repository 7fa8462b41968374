//! Commands on accounts: create, rename, change the plan.

use contracts::gateway::v1 as proto;
use kit::feed::{ApplyError, ApplyResult, NewChange};
use prost::Message as _;
use sqlx::PgConnection;
use uuid::Uuid;

use super::{Outcome, feed_row, locked_row};
use crate::domain::account::{Account, unknown};
use crate::store::accounts;

/// Creates an account, unless there is one with its id: then the call was repeated.
pub(super) async fn create(
    connection: &mut PgConnection,
    account: &Account,
) -> ApplyResult<Outcome> {
    if !accounts::insert(connection, account).await? {
        let account = lock(connection, account.id).await?;
        return Ok((Outcome::Account(account), Vec::new()));
    }
    let change = publish(account, "created");
    Ok((Outcome::Account(account.clone()), vec![change]))
}

pub(super) async fn rename(
    connection: &mut PgConnection,
    id: Uuid,
    name: &str,
) -> ApplyResult<Outcome> {
    let account = lock(connection, id).await?;
    let Some(account) = account.renamed(name) else {
        return Ok((Outcome::Account(account), Vec::new()));
    };
    accounts::update(connection, &account).await?;
    let change = publish(&account, "updated");
    Ok((Outcome::Account(account), vec![change]))
}

pub(super) async fn set_plan(
    connection: &mut PgConnection,
    id: Uuid,
    plan: &str,
) -> ApplyResult<Outcome> {
    let account = lock(connection, id).await?;
    let Some(account) = account.on_plan(plan) else {
        return Ok((Outcome::Account(account), Vec::new()));
    };
    accounts::update(connection, &account).await?;
    let change = publish(&account, "updated");
    Ok((Outcome::Account(account), vec![change]))
}

/// Locks an account. The lock also keeps the number of its keys from changing.
pub(super) async fn lock(connection: &mut PgConnection, id: Uuid) -> Result<Account, ApplyError> {
    let locked = accounts::lock(connection, id).await?;
    locked_row(locked, || unknown(id))
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
