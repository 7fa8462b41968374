//! Accounts: made, and put on another plan.

use contracts::gateway::v1 as proto;
use kit::Fault;
use kit::feed::{Applied, NewChange};
use prost::Message as _;
use sqlx::PgConnection;

use super::{Done, Outcome};
use crate::domain::account::{Account, Named};
use crate::store::{Locked, accounts};

pub(super) async fn create(connection: &mut PgConnection, account: &Account) -> Outcome {
    if !accounts::insert(connection, account).await? {
        return Ok(Applied::Refused(Fault::invalid_field(
            "email",
            "another account has this address",
        )));
    }
    let changes = vec![change(account, "created")];
    Ok(Applied::Done(Done::Account(account.clone()), changes))
}

pub(super) async fn set_plan(connection: &mut PgConnection, named: &Named, plan: &str) -> Outcome {
    let mut account = match accounts::lock(connection, named).await? {
        Locked::Held(account) => account,
        Locked::Busy => return Ok(Applied::Busy),
        Locked::Absent => return Ok(Applied::Refused(nobody())),
    };
    if account.plan == plan {
        return Ok(Applied::Done(Done::Account(account), Vec::new()));
    }
    plan.clone_into(&mut account.plan);
    account.revision += 1;
    accounts::save(connection, &account).await?;
    let changes = vec![change(&account, "updated")];
    Ok(Applied::Done(Done::Account(account), changes))
}

pub(super) fn nobody() -> Fault {
    Fault::not_found("there is no such account")
}

fn change(account: &Account, event: &'static str) -> NewChange {
    NewChange {
        entity: "account",
        id: account.id.to_string(),
        revision: account.revision,
        event,
        announced: false,
        happening: false,
        state: proto::Account::from(account).encode_to_vec(),
    }
}
