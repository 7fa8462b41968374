//! Commands on accounts: create, change, change the plan.

use contracts::gateway::v1 as proto;
use kit::Fault;
use kit::feed::{ApplyError, ApplyResult, NewChange};
use prost::Message as _;
use sqlx::PgConnection;

use super::{AccountUpdate, Outcome, feed_row, locked_row};
use crate::domain::account::{Account, Identifier};
use crate::store::accounts;

/// Creates an account. Staff refer to accounts by address, so that they create only one with it; a person may have several.
pub(super) async fn create(
    connection: &mut PgConnection,
    account: &Account,
    by_staff: bool,
) -> ApplyResult<Outcome> {
    if by_staff {
        let others = accounts::with_address(&mut *connection, &account.email).await?;
        if !others.is_empty() {
            let reason = "Another account has this address.";
            return Err(Fault::invalid_field("email", reason).into());
        }
    }
    if !accounts::insert(connection, account).await? {
        // A person's call was repeated.
        let account = lock(connection, &Identifier::Id(account.id)).await?;
        return Ok((Outcome::Account(account), Vec::new()));
    }
    let change = publish(account, "created");
    Ok((Outcome::Account(account.clone()), vec![change]))
}

pub(super) async fn change(
    connection: &mut PgConnection,
    update: &AccountUpdate,
) -> ApplyResult<Outcome> {
    let account = lock(connection, &Identifier::Id(update.id)).await?;
    let Some(account) = account.renamed(update.name.as_deref(), update.email.as_deref()) else {
        return Ok((Outcome::Account(account), Vec::new()));
    };
    accounts::update(connection, &account).await?;
    let change = publish(&account, "updated");
    Ok((Outcome::Account(account), vec![change]))
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
    let id = match identifier {
        Identifier::Id(id) => *id,
        Identifier::Email(email) => {
            let found = accounts::with_address(&mut *connection, email).await?;
            identifier.only(found)?.id
        }
    };
    let locked = accounts::lock(connection, id).await?;
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
