//! The second factor: setting up an authenticator app, and turning it off.

use axum::response::Response;
use kit::Fault;
use pages::mails::MailText;
use pages::people::{PersonFormPage, RecoveryCodesPage, TotpPage};
use pages::{Field, qr};
use serde::Deserialize;

use super::confirmation::confirm_password;
use super::link_mail::record_and_inform;
use super::second_factor::{NO_CODE, count_wrong_code, use_code};
use crate::domain::action::Action;
use crate::domain::recovery;
use crate::domain::totp::SharedSecret;
use crate::domain::typed_code::TypedCode;
use crate::english::say;
use crate::form_body::FormBody;
use crate::once_form::{self, OnceForm};
use crate::page_error::{PageError, PageResult};
use crate::render::{FormState, html, ok, see_other};
use crate::request::{NewSession, PersonRequest, Viewer};
use crate::store::people::{self, NewSecret};

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub struct Input {
    pub(super) code: String,
    pub(super) password: String,
}

/// The secret that this session offers. It is derived from the session's token, so nothing is stored before the person confirms it.
fn offered(viewer: &Viewer) -> SharedSecret {
    let key = viewer.token.derived_key("authenticator app");
    let mut secret = [0; 20];
    secret.copy_from_slice(&key[..20]);
    SharedSecret(secret)
}

pub async fn show(request: PersonRequest) -> PageResult {
    if request.person().totp_secret.is_some() {
        return Ok(see_other("/you"));
    }
    Ok(page(&request, FormState::default()))
}

pub async fn turn_on(request: PersonRequest, OnceForm(form, sent): OnceForm<Input>) -> PageResult {
    let (app, viewer) = (&request.app, &request.viewer);
    if viewer.person.totp_secret.is_some() {
        return Ok(see_other("/you?done=totp-was-on"));
    }
    let mut state = confirm_password(&request, "password", &form.password).await?;
    if !state.is_accepted() {
        return Ok(page(&request, state));
    }
    let Some(TypedCode::App(code)) = TypedCode::parse(&form.code) else {
        state.add("code", say("totp-no-code"));
        return Ok(page(&request, state));
    };
    let secret = offered(viewer);
    let Some(step) = secret.step_of(&code, app.clock.now()) else {
        state.add("code", say("totp-wrong"));
        return Ok(page(&request, state));
    };
    let sent = format!("{sent} {code}");
    let (codes, hashes) = recovery::derive(&viewer.token, &sent);
    let session = store(&request, &sent, (&secret, step), &hashes).await?;
    let mut page = ok(&RecoveryCodesPage { frame: viewer.frame(), effect: "codes-on", codes });
    session.add_cookies(app, &mut page);
    Ok(page)
}

/// Stores the secret of the app and the step of its code, with new recovery codes, and begins a new session. If the form is sent twice, the
/// second one stores nothing and gets the same session.
async fn store(
    request: &PersonRequest,
    form: &str,
    (secret, step): (&SharedSecret, i64),
    hashes: &[Vec<u8>],
) -> Result<NewSession, PageError> {
    let (app, person) = (&request.app, request.person());
    let sealed = app
        .key_ring
        .seal(person.id.as_bytes(), &secret.0)
        .map_err(|error| Fault::internal(&error))?;
    let mut transaction = kit::pg::begin(&app.pool).await?;
    people::lock(&mut *transaction, person.id).await?;
    if let Some(begun) = NewSession::after(&mut *transaction, &request.viewer.token, form).await? {
        return Ok(begun);
    }
    let secret = NewSecret { sealed: &sealed, step };
    request.lock(&mut transaction).await?;
    people::set_totp(&mut transaction, person.id, Some(secret), hashes).await?;
    let text = MailText::new("totp-on");
    record_and_inform(request, &mut transaction, Action::TotpOn, &text).await?;
    let session = request.renew_session_by(&mut transaction, form).await?;
    transaction.commit().await?;
    Ok(session)
}

fn page(request: &PersonRequest, state: FormState) -> Response {
    let FormState { status, errors } = state;
    let secret = offered(&request.viewer);
    let code = Field::app_code("code", say("totp-code"));
    let page = TotpPage {
        frame: request.viewer.frame(),
        qr: qr::svg(&secret.address(&request.person().email)),
        secret: secret.text(),
        form: once_form::new_id(),
        code: code.error_in(&errors),
        password: Field::password("password", say("password-own")).error_in(&errors),
        errors,
    };
    html(status, &page)
}

pub async fn show_off(request: PersonRequest) -> PageResult {
    Ok(page_off(&request, FormState::default()))
}

pub async fn turn_off(request: PersonRequest, FormBody(form): FormBody<Input>) -> PageResult {
    let (app, person) = (&request.app, request.person());
    let mut state = confirm_password(&request, "password", &form.password).await?;
    if !state.is_accepted() {
        return Ok(page_off(&request, state));
    }
    // The form was sent before: nothing changes, and nobody gets another mail.
    if person.totp_secret.is_none() {
        return Ok(see_other("/you?done=totp-off"));
    }
    let Some(code) = TypedCode::parse(&form.code) else {
        state.add("code", say(NO_CODE));
        return Ok(page_off(&request, state));
    };
    if !use_code(app, &app.pool, person, &code).await? {
        count_wrong_code(app, person).await?;
        state.add("code", say("code-wrong"));
        return Ok(page_off(&request, state));
    }
    let mut transaction = kit::pg::begin(&app.pool).await?;
    request.lock(&mut transaction).await?;
    people::set_totp(&mut transaction, person.id, None, &[]).await?;
    let text = MailText::new("totp-off");
    record_and_inform(&request, &mut transaction, Action::TotpOff, &text).await?;
    let session = request.renew_session(&mut transaction).await?;
    transaction.commit().await?;
    let mut response = see_other("/you?done=totp-off");
    session.add_cookies(app, &mut response);
    Ok(response)
}

fn page_off(request: &PersonRequest, state: FormState) -> Response {
    let FormState { status, errors } = state;
    let page = PersonFormPage {
        frame: request.viewer.frame(),
        heading: say("totp-off-title"),
        text: vec![say("totp-off-text")],
        action: "/you/totp/off",
        form: None,
        inputs: vec![
            Field::code("code", say("code-label")).error_in(&errors),
            Field::password("password", say("password-own")).error_in(&errors),
        ],
        button: say("totp-off-button"),
        is_dangerous: true,
        errors,
    };
    html(status, &page)
}
