//! Sign-in with address and password, and sign-out.

use axum::Extension;
use axum::extract::State;
use http::HeaderMap;
use pages::people::SignInPage;
use pages::{Field, Fields};
use serde::Deserialize;

use super::links::{self, Invitation};
use super::new_browser;
use crate::app::{App, Web};
use crate::client_info::ClientInfo;
use crate::domain::action::Action;
use crate::domain::email;
use crate::domain::next_page::{self, NextPage};
use crate::domain::percent::encoded;
use crate::form_body::FormBody;
use crate::page_error::{PageError, PageResult};
use crate::page_language::PageLanguage;
use crate::render::{FormState, html, see_other};
use crate::request::{Viewer, begin_session};
use crate::store::activity::{self, NewEntry};
use crate::store::people;
use crate::store::sessions::{self, Stage};
use crate::url_query::UrlQuery;

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub struct Input {
    email: String,
    password: String,
    next: String,
}

pub async fn show(
    State(app): State<App>,
    Extension(viewer): Extension<Option<Viewer>>,
    Extension(language): Extension<PageLanguage>,
    UrlQuery(next): UrlQuery<NextPage>,
) -> PageResult {
    let next = next_page::path(&next.next);
    if viewer.is_some() {
        return Ok(see_other(next));
    }
    page(&app, language, next, None, FormState::default()).await
}

pub async fn send(
    State(app): State<App>,
    Extension(client): Extension<ClientInfo>,
    Extension(language): Extension<PageLanguage>,
    headers: HeaderMap,
    FormBody(form): FormBody<Input>,
) -> PageResult {
    let (now, next) = (app.clock.now(), next_page::path(&form.next));
    let address = email::parse(&form.email);
    // What is no address counts for itself.
    let typed = address.as_ref().unwrap_or(&form.email);
    let person = people::by_email(&app.pool, address.as_deref().unwrap_or_default()).await?;
    let id = person.as_ref().map(|person| person.id);
    let attempt = app.admission.sign_in(&client, typed, id, now).await?;
    let stored = person.as_ref().map(|person| person.password_hash.as_str());
    let checked = attempt.check(&form.password, stored).await?;
    let Some(person) = person.filter(|_| checked.is_right) else {
        let errors = Fields::general(language.say("sign-in-wrong"));
        let state = FormState::invalid(errors);
        return page(&app, language, next, Some(&form.email), state).await;
    };
    let upgraded = if checked.is_outdated {
        Some(app.admission.rehash(&client)?.hash(&form.password).await?)
    } else {
        None
    };
    if person.totp_secret.is_none() {
        new_browser::mail(&app, &person, &client).await?;
    }
    let mut transaction = kit::pg::begin(&app.pool).await?;
    let locked = people::lock(&mut *transaction, person.id).await?;
    // The password may have changed while it was checked.
    let locked = locked.filter(|locked| locked.password_hash == person.password_hash);
    let person = locked.ok_or_else(PageError::sign_in_again)?;
    if let Some(hash) = upgraded {
        people::set_password(&mut *transaction, person.id, &hash).await?;
    }
    let (stage, path) = if person.totp_secret.is_some() {
        let next = encoded(next);
        (Stage::SecondFactor, format!("/sign-in/code?next={next}"))
    } else {
        let entry = NewEntry::new(person.id, &person.email, &client, Action::SignedIn);
        activity::insert(&mut *transaction, entry, now).await?;
        (Stage::SignedIn, next.to_owned())
    };
    if let Some(old) = app.cookie.token(&headers) {
        sessions::end(&mut *transaction, old.hash()).await?;
    }
    let session = begin_session(&app, &mut transaction, person.id, stage, &client).await?;
    transaction.commit().await?;
    let mut response = see_other(&path);
    session.add_cookies(&app, &mut response);
    Ok(response)
}

/// Ends the session, and redirects to the next page if the request names one.
pub async fn sign_out(
    State(app): State<App>,
    Extension(language): Extension<PageLanguage>,
    headers: HeaderMap,
    UrlQuery(next): UrlQuery<NextPage>,
) -> PageResult {
    if let Some(token) = app.cookie.token(&headers) {
        sessions::end(&app.pool, token.hash()).await?;
    }
    let mut response = if next.next.is_empty() {
        language.redirect_signed_out(&headers, "signed-out")
    } else {
        see_other(next_page::path(&next.next))
    };
    app.cookie.clear(response.headers_mut());
    Ok(response)
}

/// The page, with the typed address. Before anything is typed, it has the address of the invitation that it leads to.
async fn page(
    app: &Web,
    language: PageLanguage,
    next: &str,
    typed: Option<&str>,
    state: FormState,
) -> PageResult {
    let FormState { status, errors } = state;
    let errors = errors.in_language(language.language);
    let invitation = links::invitation(app, language, next).await?.unwrap_or_else(|| Invitation {
        text: next_page::reason(next).map_or_else(String::new, |key| language.say(key).into()),
        email: String::new(),
    });
    let email = Field::email("email", language.say("email-label"));
    let page = SignInPage {
        frame: language.frame_at(format!("/sign-in?next={}", encoded(next))),
        reason: invitation.text,
        email: email.value(typed.unwrap_or(&invitation.email)),
        password: Field::password("password", language.say("password-label")),
        next: next.to_owned(),
        sign_up: language.path(&next_page::sign_up(next_page::after_sign_up(next))),
        errors,
    };
    Ok(html(status, &page))
}
