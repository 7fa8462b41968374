//! Mails a link to set a new password to a typed address.

use axum::Extension;
use axum::extract::State;
use pages::people::ResetPage;
use pages::{Field, Fields};
use serde::Deserialize;

use super::link_mail::{self, LinkRequest};
use crate::app::{App, Web};
use crate::client_info::ClientInfo;
use crate::form_body::FormBody;
use crate::page_error::PageResult;
use crate::page_language::PageLanguage;
use crate::render::{html, ok};

#[derive(Debug, Deserialize)]
pub struct Input {
    #[serde(default)]
    email: String,
}

pub async fn show(
    State(app): State<App>,
    Extension(language): Extension<PageLanguage>,
) -> PageResult {
    Ok(ok(&page(&app, language, "", Fields::default())))
}

pub async fn send(
    State(app): State<App>,
    Extension(client): Extension<ClientInfo>,
    Extension(language): Extension<PageLanguage>,
    FormBody(form): FormBody<Input>,
) -> PageResult {
    match link_mail::send(&app, &client, language, &form.email, LinkRequest::Reset).await? {
        Ok(sent) => Ok(sent),
        Err(refused) => {
            Ok(html(refused.status, &page(&app, language, &form.email, refused.errors)))
        }
    }
}

fn page(app: &Web, language: PageLanguage, email: &str, errors: Fields) -> ResetPage {
    let errors = errors.in_language(language.language);
    ResetPage {
        frame: language.frame_at("/reset"),
        email: Field::email("email", language.say("email-label")).value(email).error_in(&errors),
        mail_folder: app.mail_folder.clone(),
        errors,
    }
}
