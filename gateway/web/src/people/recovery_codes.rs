//! New recovery codes for a person who has a second factor, which stays as it is.

use axum::response::Response;
use pages::Field;
use pages::mails::MailText;
use pages::people::{PersonFormPage, RecoveryCodesPage};
use uuid::Uuid;

use super::confirmation::confirm_password;
use super::link_mail::record_and_inform;
use super::second_factor::{NO_CODE, count_wrong_code, use_code};
use super::totp::Input;
use crate::domain::action::Action;
use crate::domain::recovery;
use crate::domain::typed_code::TypedCode;
use crate::once_form::{self, OnceForm, sent_before};
use crate::page_error::{PageError, PageResult};
use crate::render::{FormState, html, ok, see_other};
use crate::request::PersonRequest;
use crate::store::{people, sent_forms};

/// What became of a form.
enum Replacement {
    Replaced,
    WrongCode,
    /// The form was sent before, and other codes have replaced its codes since.
    Outdated,
}

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
    let language = request.language();
    let mut state = confirm_password(&request, "password", &form.password).await?;
    if !state.is_accepted() {
        return Ok(page(&request, state));
    }
    let Some(code) = TypedCode::parse(&form.code) else {
        state.add("code", language.say(NO_CODE));
        return Ok(page(&request, state));
    };
    let (codes, hashes) = recovery::of_form(&request.viewer.token, sent);
    match replace(&request, sent, &code, &hashes).await? {
        Replacement::Replaced => Ok(ok(&RecoveryCodesPage {
            frame: request.viewer.frame(),
            effect: "codes-replaced",
            codes,
        })),
        Replacement::WrongCode => {
            count_wrong_code(&request.app, request.person()).await?;
            state.add("code", language.say("code-wrong"));
            Ok(page(&request, state))
        }
        Replacement::Outdated => Ok(sent_before("/you")),
    }
}

/// Uses the typed code, which may be an earlier recovery code, and replaces the recovery codes. A form that was sent before has used its code
/// and stored the same codes.
async fn replace(
    request: &PersonRequest,
    form: Uuid,
    code: &TypedCode,
    hashes: &[Vec<u8>],
) -> Result<Replacement, PageError> {
    let (app, person) = (&request.app, request.person());
    let mut transaction = kit::pg::begin(&app.pool).await?;
    if !sent_forms::insert(&mut *transaction, person.id, form, app.clock.now()).await? {
        let are_stored = people::have_recovery_codes(&mut *transaction, person.id, hashes).await?;
        return Ok(if are_stored {
            Replacement::Replaced
        } else {
            Replacement::Outdated
        });
    }
    request.lock(&mut transaction).await?;
    if !use_code(app, &mut *transaction, person, code).await? {
        return Ok(Replacement::WrongCode);
    }
    people::replace_recovery_codes(&mut transaction, person.id, hashes).await?;
    let text = MailText::new("recovery-codes");
    let action = Action::RecoveryCodesMade;
    record_and_inform(request, &mut transaction, action, &text).await?;
    transaction.commit().await?;
    Ok(Replacement::Replaced)
}

fn page(request: &PersonRequest, state: FormState) -> Response {
    let language = request.language();
    let FormState { status, errors } = state;
    let page = PersonFormPage {
        frame: request.viewer.frame(),
        heading: language.say("codes-new-title"),
        text: vec![language.say("codes-new-text").to_owned()],
        action: "/you/totp/codes",
        form: Some(once_form::new_id()),
        inputs: vec![
            Field::code("code", language.say("code-label")).error_in(&errors),
            Field::password("password", language.say("password-own")).error_in(&errors),
        ],
        button: language.say("codes-new-button"),
        is_dangerous: false,
        back: "/you",
        errors,
    };
    html(status, &page)
}
