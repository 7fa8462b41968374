//! Commands on accounts: create, change, change the plan.

use contracts::gateway::v1 as proto;
use kit::Fault;
use kit::feed::{NewChange, Producer, Transaction};
use prost::Message as _;
use sqlx::PgConnection;

use super::{AccountUpdate, audit, commit, feed_row};
use crate::domain::account::{Account, Identifier};
use crate::domain::author::Author;
use crate::store::accounts;

/// Creates an account. Staff refer to accounts by address, so that they create only one with it; a person may have several.
pub(crate) async fn create(
    producer: &Producer,
    by: &Author,
    account: Account,
) -> Result<Account, Fault> {
    let mut transaction = producer.begin().await?;
    if matches!(by, Author::Staff(_)) {
        let others = accounts::with_address(&mut *transaction, &account.email).await?;
        if !others.is_empty() {
            let reason = "Another account has this address.";
            return Err(Fault::invalid_field("email", reason));
        }
    }
    if !accounts::insert(&mut transaction, &account).await? {
        // A person's call was repeated.
        let account = lock(&mut transaction, &Identifier::Id(account.id)).await?;
        transaction.commit(&[]).await?;
        return Ok(account);
    }
    let change = publish(&account, "created");
    commit(transaction, by, audit::account(&account), &[change]).await?;
    Ok(account)
}

pub(crate) async fn change(
    producer: &Producer,
    by: &Author,
    update: &AccountUpdate,
) -> Result<Account, Fault> {
    let mut transaction = producer.begin().await?;
    let account = lock(&mut transaction, &Identifier::Id(update.id)).await?;
    let changed = account.renamed(update.name.as_deref(), update.email.as_deref());
    save(transaction, by, account, changed).await
}

pub(crate) async fn set_plan(
    producer: &Producer,
    by: &Author,
    identifier: &Identifier,
    plan: &str,
) -> Result<Account, Fault> {
    let mut transaction = producer.begin().await?;
    let account = lock(&mut transaction, identifier).await?;
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
pub(super) async fn lock(
    connection: &mut PgConnection,
    identifier: &Identifier,
) -> Result<Account, Fault> {
    let id = match identifier {
        Identifier::Id(id) => *id,
        Identifier::Email(email) => {
            let found = accounts::with_address(&mut *connection, email).await?;
            identifier.only(found)?.id
        }
    };
    let locked = accounts::lock(connection, id).await?;
    locked.ok_or_else(|| identifier.unknown())
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
