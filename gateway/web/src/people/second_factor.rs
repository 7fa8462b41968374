//! The second step of sign-in: a code of the authenticator app, or a recovery code.

use kit::Fault;
use pages::mails::MailText;
use pages::people::SecondFactorPage;
use pages::{Field, Fields, Frame};
use serde::Deserialize;
use sqlx::PgExecutor;
use uuid::Uuid;

use super::new_browser;
use crate::app::Web;
use crate::domain::action::Action;
use crate::domain::next_page::{self, NextPage};
use crate::domain::totp::SharedSecret;
use crate::domain::typed_code::TypedCode;
use crate::form_body::FormBody;
use crate::page_error::PageResult;
use crate::page_language::PageLanguage;
use crate::person_mail::{self, Reader};
use crate::render::{FormState, html, ok, refused, see_other};
use crate::request::{PersonRequest, begin_session};
use crate::store::people::{self, Person};
use crate::store::sessions::{self, Stage};
use crate::url_query::UrlQuery;

/// The error of a text that is no code, which does not count as a try: the key of a text.
pub(super) const NO_CODE: &str = "code-invalid";

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub struct CodeForm {
    code: String,
    next: String,
}

pub async fn show(request: PersonRequest, UrlQuery(next): UrlQuery<NextPage>) -> PageResult {
    let next = next_page::path(&next.next);
    Ok(ok(&page(&request, next, Fields::default())))
}

pub async fn send(request: PersonRequest, FormBody(form): FormBody<CodeForm>) -> PageResult {
    let (app, person) = (&request.app, request.person());
    let (now, next) = (app.clock.now(), next_page::path(&form.next));
    let language = PageLanguage::from_person(person);
    let Some(code) = TypedCode::parse(&form.code) else {
        let errors = Fields::one("code", language.say(NO_CODE));
        return Ok(refused(&page(&request, next, errors)));
    };
    if let Err(reached) = app.admission.code(&request.client, person.id, now).await? {
        let fault = reached.too_many_in(language.language, "limit-codes");
        let FormState { status, errors } = FormState::refused_here(&fault);
        return Ok(html(status, &page(&request, next, errors)));
    }
    if !use_code(app, &app.pool, person, &code).await? {
        count_wrong_code(app, person).await?;
        let errors = Fields::one("code", language.say("code-wrong-wait"));
        return Ok(refused(&page(&request, next, errors)));
    }
    new_browser::mail(app, person, &request.client).await?;
    let mut transaction = kit::pg::begin(&app.pool).await?;
    request.lock(&mut transaction).await?;
    request.record_own(&mut *transaction, Action::SignedIn).await?;
    sessions::end(&mut *transaction, request.viewer.token.hash()).await?;
    let (stage, client) = (Stage::SignedIn, &request.client);
    let session = begin_session(app, &mut transaction, person.id, stage, client).await?;
    transaction.commit().await?;
    let mut response = see_other(next);
    session.add_cookies(app, &mut response);
    Ok(response)
}

/// Decrypts the secret of a person.
fn open(app: &Web, person: Uuid, sealed: &[u8]) -> Result<SharedSecret, Fault> {
    let opened =
        app.key_ring.open(person.as_bytes(), sealed).map_err(|error| Fault::internal(&error))?;
    let damaged = || std::io::Error::other("the secret of an authenticator app has another length");
    let secret = opened.try_into().ok().map(SharedSecret);
    secret.ok_or_else(|| Fault::internal(&damaged()))
}

/// Uses a code: each works once.
pub async fn use_code(
    app: &Web,
    executor: impl PgExecutor<'_>,
    person: &Person,
    code: &TypedCode,
) -> Result<bool, Fault> {
    let code = match code {
        TypedCode::App(code) => code,
        TypedCode::Recovery(hash) => {
            return Ok(people::use_recovery_code(executor, person.id, hash).await?);
        }
    };
    let Some(sealed) = &person.totp_secret else {
        return Ok(false);
    };
    let secret = open(app, person.id, sealed)?;
    match secret.step_of(code, app.clock.now()) {
        Some(step) => Ok(people::use_totp_step(executor, person.id, step).await?),
        None => Ok(false),
    }
}

/// Counts a wrong code. Only the right password leads to this step: many wrong codes in a day are mailed to the person, at most once a day.
pub async fn count_wrong_code(app: &Web, person: &Person) -> Result<(), Fault> {
    let now = app.clock.now();
    if !app.admission.wrong_code(person.id, now).await? {
        return Ok(());
    }
    let page = format!("{}/you/password", app.public_url);
    let text = MailText::new("wrong-codes").with("page", page);
    let mut connection = app.pool.acquire().await?;
    person_mail::queue(&mut connection, Reader::from_person(person), &text, now).await?;
    Ok(())
}

fn page(request: &PersonRequest, next: &str, errors: Fields) -> SecondFactorPage {
    let language = PageLanguage::from_person(request.person());
    let errors = errors.in_language(language.language);
    SecondFactorPage {
        frame: Frame { is_plain: true, ..language.frame() },
        code: Field::code("code", language.say("code-label")).error_in(&errors),
        next: next.to_owned(),
        contact: request.app.staff_mail.clone(),
        errors,
    }
}
