//! Mails a sign-up link to a typed address. The use of the link creates the person.

use axum::Extension;
use axum::extract::State;
use pages::Fields;
use serde::Deserialize;

use super::link_mail::{self, AskedLink};
use crate::app::App;
use crate::client_info::ClientInfo;
use crate::domain::next_page::{self, NextPage};
use crate::form_body::FormBody;
use crate::page_error::PageResult;
use crate::page_language::PageLanguage;
use crate::render::{ok, see_other};
use crate::request::Viewer;
use crate::url_query::UrlQuery;

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
    Extension(language): Extension<PageLanguage>,
    UrlQuery(next): UrlQuery<NextPage>,
) -> PageResult {
    let next = next_page::after_sign_up(&next.next);
    if viewer.is_some() {
        return Ok(see_other(next.unwrap_or("/accounts")));
    }
    Ok(ok(&AskedLink::SignUp { next }.form(&app, language, "", Fields::default())))
}

pub async fn send(
    State(app): State<App>,
    Extension(client): Extension<ClientInfo>,
    Extension(language): Extension<PageLanguage>,
    FormBody(form): FormBody<Input>,
) -> PageResult {
    let next = next_page::after_sign_up(&form.next);
    let wanted = AskedLink::SignUp { next };
    link_mail::send(&app, &client, language, &form.email, wanted).await
}
