//! The second step of sign-in: a code of the authenticator app, or a recovery code.

use axum::extract::Query;
use kit::Fault;
use pages::people::SecondFactorPage;
use pages::{Field, Fields, Shell};
use serde::Deserialize;

use super::link_mail::inform;
use crate::app::Web;
use crate::domain::action::Action;
use crate::domain::next_page::{self, NextPage};
use crate::domain::typed_code::TypedCode;
use crate::form_body::FormBody;
use crate::page_error::PageResult;
use crate::person_request::PersonRequest;
use crate::render::{FormState, html, ok, refused, see_other};
use crate::session::limits;
use crate::session::sessions::Stage;
use crate::store::people::{self, Person};
use crate::viewer::{NewSession, begin_session};

/// The error of a text that is no code. It is not counted as a try.
pub(super) const NO_CODE: &str =
    "A code of the app has six digits, and a recovery code has 16 letters and digits.";

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub struct CodeForm {
    code: String,
    next: String,
}

pub async fn show(Query(next): Query<NextPage>) -> PageResult {
    Ok(ok(&page(next_page::path(&next.next), Fields::default())))
}

pub async fn send(request: PersonRequest, FormBody(form): FormBody<CodeForm>) -> PageResult {
    let (app, person) = (&request.app, request.person());
    let (now, next) = (app.clock.now(), next_page::path(&form.next));
    let Some(code) = TypedCode::parse(&form.code) else {
        return Ok(refused(&page(next, Fields::one("code", NO_CODE))));
    };
    let id = person.id.to_string();
    if let Err(reached) = app.limits.count(limits::CODES, &id, now).await? {
        let FormState { status, errors } = FormState::refused(&reached.too_many("codes"), &[]);
        return Ok(html(status, &page(next, errors)));
    }
    if !use_code(app, person, &code).await? {
        count_wrong_code(app, person).await?;
        let text = "This code is wrong, or it was used before. Wait for the next one.";
        return Ok(refused(&page(next, Fields::one("code", text))));
    }
    request.record_own(&app.pool, Action::SignedIn).await?;
    let old = request.viewer.token.hash();
    app.sessions.end_of(person.id, old).await?;
    let session = NewSession {
        person: person.id,
        version: person.credential_version,
        stage: Stage::SignedIn,
    };
    let mut response = see_other(next);
    begin_session(app, session, &request.client, &mut response).await?;
    Ok(response)
}

/// Uses a code: each works once.
pub async fn use_code(web: &Web, person: &Person, code: &TypedCode) -> Result<bool, Fault> {
    let code = match code {
        TypedCode::App(code) => code,
        TypedCode::Recovery(hash) => {
            return Ok(people::use_recovery_code(&web.pool, person.id, hash).await?);
        }
    };
    let Some(sealed) = &person.totp_secret else {
        return Ok(false);
    };
    let secret = super::totp::open(web, person.id, sealed)?;
    match secret.step_of(code, web.clock.now()) {
        Some(step) => Ok(people::use_totp_step(&web.pool, person.id, step).await?),
        None => Ok(false),
    }
}

/// Counts a wrong code. A visitor gets to this step with the right password only, so many wrong codes in a day cause a mail to the person,
/// at most one per day.
pub async fn count_wrong_code(web: &Web, person: &Person) -> Result<(), Fault> {
    let (now, id) = (web.clock.now(), person.id.to_string());
    let counted = web.limits.count(limits::WRONG_CODES, &id, now).await?;
    if counted.is_ok()
        || web
            .limits
            .count(limits::CODE_MAILS, &id, now)
            .await?
            .is_err()
    {
        return Ok(());
    }
    let text = format!(
        "Twenty wrong codes of an authenticator app were typed for you today, by somebody who knows your password.\n\nIf this was not you, \
         sign in and set a new password at once: {}/you/password\n",
        web.public_url
    );
    let mut connection = web.pool.acquire().await?;
    let subject = "Somebody tries codes to sign in as you";
    inform(&mut connection, &person.email, subject, &text, now).await?;
    Ok(())
}

fn page(next: &str, errors: Fields) -> SecondFactorPage {
    SecondFactorPage {
        shell: Shell {
            is_plain: true,
            ..Shell::default()
        },
        code: Field::code("code", "Code, or a recovery code").error_in(&errors),
        next: next.to_owned(),
        errors,
    }
}
