//! The other accounts of a person, for the name of an account at the head of its pages.

use futures::future::join_all;
use pages::{OtherAccount, OtherAccounts};

use super::choice::account_name;
use crate::app::Web;
use crate::viewer::AccountScope;

/// Accounts in the menu: every page of an account reads their names. The list of accounts has all.
const SHOWN: usize = 8;

/// The viewer's accounts but that of the page, in the order of the list of accounts.
pub(super) async fn of(app: &Web, scope: &AccountScope) -> OtherAccounts {
    let others = &scope.others[..scope.others.len().min(SHOWN)];
    let names = others.iter().map(|account| account_name(app, *account));
    let names = join_all(names).await;
    let accounts = others.iter().zip(names);
    let accounts = accounts.map(|(account, name)| OtherAccount {
        href: format!("/accounts/{account}"),
        name,
    });
    OtherAccounts {
        accounts: accounts.collect(),
        has_more: scope.others.len() > SHOWN,
    }
}
