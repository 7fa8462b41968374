//! Mails a sign-up link to a typed address. The use of the link creates the person.

use axum::Extension;
use axum::extract::State;
use pages::people::SignUpPage;
use pages::{Field, Fields};
use serde::Deserialize;

use super::link_mail::{self, LinkRequest};
use crate::app::{App, Web};
use crate::client_info::ClientInfo;
use crate::domain::next_page::{self, NextPage};
use crate::form_body::FormBody;
use crate::page_error::PageResult;
use crate::page_language::PageLanguage;
use crate::render::{html, ok, see_other};
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
    let form = SignUpForm { app: &app, language, next };
    Ok(ok(&form.page("", Fields::default())))
}

pub async fn send(
    State(app): State<App>,
    Extension(client): Extension<ClientInfo>,
    Extension(language): Extension<PageLanguage>,
    FormBody(form): FormBody<Input>,
) -> PageResult {
    let next = next_page::after_sign_up(&form.next);
    let wanted = LinkRequest::SignUp { next };
    match link_mail::send(&app, &client, language, &form.email, wanted).await? {
        Ok(sent) => Ok(sent),
        Err(refused) => {
            let shown = SignUpForm { app: &app, language, next };
            Ok(html(refused.status, &shown.page(&form.email, refused.errors)))
        }
    }
}

/// The form, in its language.
struct SignUpForm<'a> {
    app: &'a Web,
    language: PageLanguage,
    /// The page to return to.
    next: Option<&'a str>,
}

impl SignUpForm<'_> {
    fn page(&self, typed: &str, errors: Fields) -> SignUpPage {
        let errors = errors.in_language(self.language.language);
        let email = Field::email("email", self.language.say("email-label"));
        SignUpPage {
            frame: self.language.frame_at(next_page::sign_up(self.next)),
            email: email.value(typed).error_in(&errors),
            next: self.next.unwrap_or_default().to_owned(),
            mail_folder: self.app.mail_folder.clone(),
            errors,
        }
    }
}
