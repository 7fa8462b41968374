//! Pages whose path names no account: they find the account of the signed-in person.

use axum::response::Response;
use futures::future::join_all;
use pages::accounts::{AccountChoice, ChooseAccountPage};
use uuid::Uuid;

use crate::app::Web;
use crate::render::{ok, see_other};
use crate::viewer::Viewer;

/// Redirects to the page of the person's only account. A person with several accounts gets a page to choose one, and a person without an
/// account the page to make one.
pub async fn choose(
    web: &Web,
    viewer: &Viewer,
    accounts: &[Uuid],
    (title, question): (&'static str, &'static str),
    href: impl Fn(&Uuid) -> String,
) -> Response {
    match accounts {
        [] => see_other("/accounts"),
        [only] => see_other(&href(only)),
        several => {
            let names = several.iter().map(|account| account_name(web, *account));
            let names = join_all(names).await;
            let choices = several.iter().zip(names);
            let choices = choices.map(|(account, name)| AccountChoice {
                href: href(account),
                name,
            });
            ok(&ChooseAccountPage {
                shell: viewer.shell(),
                title,
                question,
                choices: choices.collect(),
            })
        }
    }
}

/// While the gateway is away, the links still work.
async fn account_name(web: &Web, account: Uuid) -> String {
    let found = web.gateway.account(account).await.ok();
    let account_found = found.and_then(|found| found.account);
    account_found.map_or_else(|| account.to_string(), |account| account.name)
}
