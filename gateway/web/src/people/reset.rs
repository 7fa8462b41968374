//! Mails a link to set a new password to a typed address.

use axum::Extension;
use axum::extract::State;
use pages::Fields;
use serde::Deserialize;

use super::link_mail::{self, AskedLink};
use crate::app::App;
use crate::client_info::ClientInfo;
use crate::form_body::FormBody;
use crate::page_error::PageResult;
use crate::page_language::PageLanguage;
use crate::render::ok;

#[derive(Debug, Deserialize)]
pub struct Input {
    #[serde(default)]
    email: String,
}

pub async fn show(
    State(app): State<App>,
    Extension(language): Extension<PageLanguage>,
) -> PageResult {
    Ok(ok(&AskedLink::Reset.form(&app, language, "", Fields::default())))
}

pub async fn send(
    State(app): State<App>,
    Extension(client): Extension<ClientInfo>,
    Extension(language): Extension<PageLanguage>,
    FormBody(form): FormBody<Input>,
) -> PageResult {
    link_mail::send(&app, &client, language, &form.email, AskedLink::Reset).await
}
