//! New recovery codes for a person who has a second factor, which stays as it is.

use axum::response::Response;
use pages::Field;
use pages::mails::MailText;
use pages::people::{PersonFormPage, RecoveryCodesPage};

use super::confirmation::confirm_password;
use super::link_mail::record_and_inform;
use super::second_factor::{NO_CODE, count_wrong_code, use_code};
use super::totp::Input;
use crate::domain::action::Action;
use crate::domain::recovery;
use crate::domain::typed_code::TypedCode;
use crate::english::say;
use crate::once_form::{self, OnceForm};
use crate::page_error::{PageError, PageResult};
use crate::render::{FormState, html, ok, see_other};
use crate::request::PersonRequest;
use crate::store::people;

pub async fn show(request: PersonRequest) -> PageResult {
    if request.person().totp_secret.is_none() {
        return Ok(see_other("/you"));
    }
    Ok(page(&request, FormState::default()))
}

pub async fn send(request: PersonRequest, OnceForm(form, sent): OnceForm<Input>) -> PageResult {
    if request.person().totp_secret.is_none() {
        return Ok(see_other("/you"));
    }
    let mut state = confirm_password(&request, "password", &form.password).await?;
    if !state.is_accepted() {
        return Ok(page(&request, state));
    }
    let Some(code) = TypedCode::parse(&form.code) else {
        state.add("code", say(NO_CODE));
        return Ok(page(&request, state));
    };
    let sent = format!("{sent} {}", form.code);
    let (codes, hashes) = recovery::derive(&request.viewer.token, &sent);
    if !replace(&request, &code, &hashes).await? {
        count_wrong_code(&request.app, request.person()).await?;
        state.add("code", say("code-wrong"));
        return Ok(page(&request, state));
    }
    Ok(ok(&RecoveryCodesPage { frame: request.viewer.frame(), effect: "codes-replaced", codes }))
}

/// Uses the typed code, which may be an earlier recovery code, and replaces the recovery codes; false if the code does not work. If the form
/// is sent twice, the first one has used its code and stored the same recovery codes.
async fn replace(
    request: &PersonRequest,
    code: &TypedCode,
    hashes: &[Vec<u8>],
) -> Result<bool, PageError> {
    let (app, person) = (&request.app, request.person());
    let mut transaction = kit::pg::begin(&app.pool).await?;
    request.lock(&mut transaction).await?;
    if people::have_recovery_codes(&mut *transaction, person.id, hashes).await? {
        return Ok(true);
    }
    if !use_code(app, &mut *transaction, person, code).await? {
        return Ok(false);
    }
    people::replace_recovery_codes(&mut transaction, person.id, hashes).await?;
    let text = MailText::new("recovery-codes");
    let action = Action::RecoveryCodesMade;
    record_and_inform(request, &mut transaction, action, &text).await?;
    transaction.commit().await?;
    Ok(true)
}

fn page(request: &PersonRequest, state: FormState) -> Response {
    let FormState { status, errors } = state;
    let page = PersonFormPage {
        frame: request.viewer.frame(),
        heading: say("codes-new-title"),
        text: vec![say("codes-new-text")],
        action: "/you/totp/codes",
        form: Some(once_form::new_id()),
        inputs: vec![
            Field::code("code", say("code-label")).error_in(&errors),
            Field::password("password", say("password-own")).error_in(&errors),
        ],
        button: say("codes-new-button"),
        is_dangerous: false,
        errors,
    };
    html(status, &page)
}
