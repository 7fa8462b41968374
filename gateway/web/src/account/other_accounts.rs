//! The other accounts of a person, for the name of an account at the head of its pages.

use futures::future::join_all;
use pages::{OtherAccount, OtherAccounts};
use uuid::Uuid;

use super::choice::account_name;
use crate::person_request::PersonRequest;
use crate::store::members;

/// Accounts in the menu: every page of an account reads their names. The list of accounts has all.
const SHOWN: usize = 8;

/// All accounts of the person but `own`, whose page it is. Oldest membership first, as in the list. A page is shown without them if they cannot be read.
pub(super) async fn of(request: &PersonRequest, own: Uuid) -> OtherAccounts {
    let memberships = members::of_person(&request.app.pool, request.person().id).await;
    let memberships = memberships.unwrap_or_else(|error| {
        tracing::warn!(%error, "the accounts of a person cannot be read");
        Vec::new()
    });
    let mut others: Vec<_> = memberships.into_iter().map(|it| it.account).collect();
    others.retain(|account| *account != own);
    let has_more = others.len() > SHOWN;
    others.truncate(SHOWN);
    let names = others
        .iter()
        .map(|account| account_name(&request.app, *account));
    let names = join_all(names).await;
    let accounts = others.iter().zip(names);
    let accounts = accounts.map(|(account, name)| OtherAccount {
        href: format!("/accounts/{account}"),
        name,
    });
    OtherAccounts {
        accounts: accounts.collect(),
        has_more,
    }
}
