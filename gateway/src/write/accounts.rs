//! Commands on accounts: create, rename, change the plan.

use contracts::gateway::v1 as proto;
use kit::Fault;
use kit::feed::{NewChange, Producer, Transaction};
use prost::Message as _;
use sqlx::PgConnection;
use uuid::Uuid;

use super::{audit, commit, feed_row};
use crate::domain::account::{Account, unknown};
use crate::domain::author::Author;
use crate::store::accounts;

/// Creates an account, unless there is one with its id: then the call was repeated.
pub(crate) async fn create(
    producer: &Producer,
    by: &Author,
    account: Account,
) -> Result<Account, Fault> {
    let mut transaction = producer.begin().await?;
    if !accounts::insert(&mut transaction, &account).await? {
        let account = lock(&mut transaction, account.id).await?;
        transaction.commit(&[]).await?;
        return Ok(account);
    }
    let change = publish(&account, "created");
    commit(transaction, by, audit::account(&account), &[change]).await?;
    Ok(account)
}

pub(crate) async fn rename(
    producer: &Producer,
    by: &Author,
    id: Uuid,
    name: &str,
) -> Result<Account, Fault> {
    let mut transaction = producer.begin().await?;
    let account = lock(&mut transaction, id).await?;
    let changed = account.renamed(name);
    save(transaction, by, account, changed).await
}

pub(crate) async fn set_plan(
    producer: &Producer,
    by: &Author,
    id: Uuid,
    plan: &str,
) -> Result<Account, Fault> {
    let mut transaction = producer.begin().await?;
    let account = lock(&mut transaction, id).await?;
    let changed = account.on_plan(plan);
    save(transaction, by, account, changed).await
}

/// Saves a changed account, if it is one, and returns the account after that.
async fn save(
    mut transaction: Transaction,
    by: &Author,
    account: Account,
    changed: Option<Account>,
) -> Result<Account, Fault> {
    let Some(account) = changed else {
        transaction.commit(&[]).await?;
        return Ok(account);
    };
    accounts::update(&mut transaction, &account).await?;
    let change = publish(&account, "updated");
    commit(transaction, by, audit::account(&account), &[change]).await?;
    Ok(account)
}

/// Locks an account. The lock also keeps the number of its keys from changing.
pub(super) async fn lock(connection: &mut PgConnection, id: Uuid) -> Result<Account, Fault> {
    let locked = accounts::lock(connection, id).await?;
    locked.ok_or_else(|| unknown(id))
}

fn publish(account: &Account, event: &'static str) -> NewChange {
    let state = proto::Account::from(account).encode_to_vec();
    feed_row("account", account.id.to_string(), account.revision, event, state)
}
