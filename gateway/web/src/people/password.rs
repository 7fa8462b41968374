//! Changes the password of a signed-in person, which ends all other sessions.

use axum::response::Response;
use pages::Field;
use pages::mails::MailText;
use pages::people::PersonFormPage;
use serde::Deserialize;

use super::confirmation::confirm_password;
use super::link_mail::record_and_inform;
use super::password_problem;
use crate::domain::action::Action;
use crate::domain::password;
use crate::english::say;
use crate::form_body::FormBody;
use crate::page_error::PageResult;
use crate::page_language::PageLanguage;
use crate::render::{FormState, html, see_other};
use crate::request::PersonRequest;
use crate::store::{links, people};

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub struct Input {
    current: String,
    password: String,
}

pub async fn show(request: PersonRequest) -> PageResult {
    Ok(page(&request, FormState::default()))
}

pub async fn send(request: PersonRequest, FormBody(form): FormBody<Input>) -> PageResult {
    let (app, person) = (&request.app, request.person());
    let mut state = confirm_password(&request, "current", &form.current).await?;
    if let Err(problem) = password::check(&form.password, &[&person.email]) {
        state.add("password", password_problem(problem, PageLanguage::default()));
    }
    if !state.is_accepted() {
        return Ok(page(&request, state));
    }
    let hash = app.admission.rehash(&request.client)?.hash(&form.password).await?;
    let mut transaction = kit::pg::begin(&app.pool).await?;
    request.lock(&mut transaction).await?;
    people::set_password(&mut *transaction, person.id, &hash).await?;
    links::remove_of_person(&mut *transaction, person.id).await?;
    let text = MailText::new("password-changed");
    record_and_inform(&request, &mut transaction, Action::PasswordChanged, &text).await?;
    let session = request.renew_session(&mut transaction).await?;
    transaction.commit().await?;
    let mut response = see_other("/you?done=password");
    session.add_cookies(app, &mut response);
    Ok(response)
}

fn page(request: &PersonRequest, state: FormState) -> Response {
    let FormState { status, errors } = state;
    let new = Field::new_password("password", say("password-new"));
    let page = PersonFormPage {
        frame: request.viewer.frame(),
        heading: say("you-change-password"),
        text: vec![say("password-change-text")],
        action: "/you/password",
        form: None,
        inputs: vec![
            Field::password("current", say("password-current")).error_in(&errors),
            new.hint(say("password-hint")).error_in(&errors),
        ],
        button: say("password-change-button"),
        is_dangerous: false,
        errors,
    };
    html(status, &page)
}
