//! Pages whose path names no account: they find the account of the signed-in person.

use axum::response::Response;
use futures::future::join_all;
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
            let names = several.iter().map(|account| account_name(&request.app, *account));
            let names = join_all(names).await;
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

/// While the gateway is unavailable, the links still work.
pub(crate) async fn account_name(app: &Web, account: Uuid) -> String {
    let name = app.gateway.account_name(account).await;
    name.unwrap_or_else(|| account.to_string())
}
