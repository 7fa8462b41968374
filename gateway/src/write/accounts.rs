//! Commands on accounts: create, change the plan.

use contracts::gateway::v1 as proto;
use kit::Fault;
use kit::feed::NewChange;
use prost::Message as _;
use sqlx::PgConnection;

use super::{Done, Stop, feed_row, locked_row};
use crate::domain::account::{Account, Identifier};
use crate::store::accounts;

pub(super) async fn create(
    connection: &mut PgConnection,
    account: &Account,
) -> Result<(Done, Vec<NewChange>), Stop> {
    if !accounts::insert(connection, account).await? {
        return Err(Fault::invalid_field("email", "Another account has this address.").into());
    }
    let change = publish(account, "created");
    Ok((Done::Account(account.clone()), vec![change]))
}

pub(super) async fn set_plan(
    connection: &mut PgConnection,
    identifier: &Identifier,
    plan: &str,
) -> Result<(Done, Vec<NewChange>), Stop> {
    let account = lock(connection, identifier).await?;
    let Some(account) = account.on_plan(plan) else {
        return Ok((Done::Account(account), Vec::new()));
    };
    accounts::update(connection, &account).await?;
    let change = publish(&account, "updated");
    Ok((Done::Account(account), vec![change]))
}

/// Locks an account. The lock also keeps the number of its keys from changing.
pub(super) async fn lock(
    connection: &mut PgConnection,
    identifier: &Identifier,
) -> Result<Account, Stop> {
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
