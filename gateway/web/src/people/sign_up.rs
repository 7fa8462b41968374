//! Mails a sign-up link to a typed address. The use of the link creates the person.

use axum::Extension;
use axum::extract::{Query, State};
use pages::people::SignUpPage;
use pages::{Field, Fields, Shell};
use serde::Deserialize;

use super::link_mail::{self, LinkRequest};
use crate::app::{App, Web};
use crate::client_info::ClientInfo;
use crate::domain::next_page::{self, NextPage};
use crate::form_body::FormBody;
use crate::page_error::PageResult;
use crate::render::{html, ok, see_other};
use crate::viewer::Viewer;

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub struct Input {
    email: String,
    /// The page to return to.
    next: String,
}

pub async fn show(
    State(app): State<App>,
    Extension(viewer): Extension<Option<Viewer>>,
    Query(next): Query<NextPage>,
) -> PageResult {
    let next = next_page::after_sign_up(&next.next);
    if viewer.is_some() {
        return Ok(see_other(next.unwrap_or("/accounts")));
    }
    Ok(ok(&page(&app, "", next, Fields::default())))
}

pub async fn send(
    State(app): State<App>,
    Extension(client): Extension<ClientInfo>,
    FormBody(form): FormBody<Input>,
) -> PageResult {
    let next = next_page::after_sign_up(&form.next);
    let wanted = LinkRequest::SignUp { next };
    match link_mail::send(&app, &client, &form.email, wanted).await? {
        Ok(sent) => Ok(sent),
        Err(refused) => Ok(html(
            refused.status,
            &page(&app, &form.email, next, refused.errors),
        )),
    }
}

fn page(web: &Web, email: &str, next: Option<&str>, errors: Fields) -> SignUpPage {
    SignUpPage {
        shell: Shell::default(),
        email: Field::email("email", "E-mail")
            .value(email)
            .error_in(&errors),
        next: next.unwrap_or_default().to_owned(),
        mail_folder: web.mail_folder.clone(),
        errors,
    }
}
