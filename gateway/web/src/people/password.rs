//! Changes the password of a signed-in person, which ends all other sessions.

use axum::response::Response;
use pages::Field;
use pages::people::PersonFormPage;
use serde::Deserialize;

use super::confirmation::confirm_password;
use super::link_mail::record_and_inform;
use super::sign_in_again;
use crate::domain::action::Action;
use crate::domain::password;
use crate::form_body::FormBody;
use crate::page_error::PageResult;
use crate::person_request::PersonRequest;
use crate::render::{FormState, html, see_other};
use crate::store::{links, people};
use crate::viewer::Viewer;

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub struct Input {
    current: String,
    password: String,
}

pub async fn show(request: PersonRequest) -> PageResult {
    Ok(page(&request.viewer, FormState::default()))
}

pub async fn send(request: PersonRequest, FormBody(form): FormBody<Input>) -> PageResult {
    let (app, person) = (&request.app, request.person());
    let mut state = confirm_password(&request, "current", &form.current).await?;
    if let Err(text) = password::check(&form.password, &[&person.email]) {
        state.add("password", text);
    }
    if !state.is_accepted() {
        return Ok(page(&request.viewer, state));
    }
    let hash = app.passwords.hash(&form.password).await?;
    let mut transaction = app.pool.begin().await?;
    let set = people::set_password(&mut *transaction, person, &hash).await?;
    let version = set.ok_or_else(sign_in_again)?;
    links::remove_of_person(&mut *transaction, person.id).await?;
    let text = "The password of your account was changed, and all other sessions have ended.\n\nIf this was not you, set a new password at once.\n";
    let subject = "Your password was changed";
    record_and_inform(
        &request,
        &mut transaction,
        Action::PasswordChanged,
        subject,
        text,
    )
    .await?;
    transaction.commit().await?;
    let response = see_other("/you?done=password");
    Ok(request.renew_session(version, response).await)
}

fn page(viewer: &Viewer, state: FormState) -> Response {
    let FormState { status, errors } = state;
    let page = PersonFormPage {
        shell: viewer.shell(),
        heading: "Change password",
        text: vec!["Your other sessions end.".to_owned()],
        action: "/you/password",
        inputs: vec![
            Field::password("current", "Current password").error_in(&errors),
            Field::new_password("password", "New password").error_in(&errors),
        ],
        button: "Change the password",
        is_dangerous: false,
        errors,
    };
    html(status, &page)
}
