//! Accounts: made, and put on another plan.

use contracts::gateway::v1 as proto;
use kit::Fault;
use kit::feed::NewChange;
use prost::Message as _;
use sqlx::PgConnection;

use super::{Done, Stop, change, held};
use crate::domain::account::{Account, Named};
use crate::store::accounts;

pub(super) async fn create(
    connection: &mut PgConnection,
    account: &Account,
) -> Result<(Done, Vec<NewChange>), Stop> {
    if !accounts::insert(connection, account).await? {
        return Err(Fault::invalid_field("email", "another account has this address").into());
    }
    let change = publish(account, "created");
    Ok((Done::Account(account.clone()), vec![change]))
}

pub(super) async fn set_plan(
    connection: &mut PgConnection,
    named: &Named,
    plan: &str,
) -> Result<(Done, Vec<NewChange>), Stop> {
    let account = lock(connection, named).await?;
    let Some(account) = account.on_plan(plan) else {
        return Ok((Done::Account(account), Vec::new()));
    };
    accounts::save(connection, &account).await?;
    let change = publish(&account, "updated");
    Ok((Done::Account(account), vec![change]))
}

/// Locks an account. Its lock holds the number of its keys still.
pub(super) async fn lock(connection: &mut PgConnection, named: &Named) -> Result<Account, Stop> {
    let locked = accounts::lock(connection, named).await?;
    held(locked, || named.unknown())
}

fn publish(account: &Account, event: &'static str) -> NewChange {
    let state = proto::Account::from(account).encode_to_vec();
    change(
        "account",
        account.id.to_string(),
        account.revision,
        event,
        state,
    )
}
