//! Pages whose path names no account: they find the account of the signed-in person.

use axum::response::Response;
use pages::Link;
use pages::accounts::ChooseAccountPage;
use uuid::Uuid;

use crate::app::Web;
use crate::render::{ok, see_other};
use crate::request::PersonRequest;

/// What the person chooses an account for.
pub struct Question {
    pub title: &'static str,
    pub text: &'static str,
}

/// Redirects to the page of the person's only account. A person with several accounts gets a page to choose one, and a person without an
/// account the page to make one.
pub async fn choose(
    request: &PersonRequest,
    accounts: &[Uuid],
    question: Question,
    href: impl Fn(&Uuid) -> String,
) -> Response {
    match accounts {
        [] => see_other("/accounts"),
        [only] => see_other(&href(only)),
        several => {
            let names = account_names(&request.app, several).await;
            let choices = several
                .iter()
                .zip(names)
                .map(|(account, label)| Link { href: href(account), label });
            ok(&ChooseAccountPage {
                frame: request.viewer.frame(),
                title: question.title,
                question: question.text,
                choices: choices.collect(),
            })
        }
    }
}

/// The names of accounts, in the same order. While the gateway is unavailable, their ids stand for
/// them, so that links still work.
pub(crate) async fn account_names(app: &Web, accounts: &[Uuid]) -> Vec<String> {
    let mut names = app.gateway.account_names(accounts).await;
    let names = accounts.iter().map(|id| names.remove(id).unwrap_or_else(|| id.to_string()));
    names.collect()
}

pub(crate) async fn account_name(app: &Web, account: Uuid) -> String {
    account_names(app, &[account]).await.concat()
}
