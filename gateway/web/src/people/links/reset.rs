//! The link that sets a new password.

use axum::response::Response;
use pages::Fields;
use pages::mails::MailText;
use uuid::Uuid;

use super::{Input, LinkRequest, PasswordForm};
use crate::domain::action::Action;
use crate::domain::password;
use crate::domain::percent::encoded;
use crate::page_error::{PageError, PageResult};
use crate::people::password_problem;
use crate::person_mail::{self, Reader};
use crate::render::FormState;
use crate::store::activity::{self, NewEntry};
use crate::store::links;
use crate::store::people::{self, Person};
use crate::store::sessions::{self, Stage};

pub(super) async fn show(request: &LinkRequest, person: Uuid) -> PageResult {
    let person = find(request, person).await?;
    Ok(page(request, &person, FormState::default()))
}

/// Sets the password, which ends all sessions, and signs the person in.
pub(super) async fn send(request: &LinkRequest, person: Uuid, input: &Input) -> PageResult {
    let person = find(request, person).await?;
    let permit = match request.admit().await? {
        Ok(permit) => permit,
        Err(refused) => return Ok(page(request, &person, refused)),
    };
    if let Err(problem) = password::check(&input.password, &[&person.email]) {
        let errors = Fields::one("password", password_problem(problem, request.language));
        return Ok(page(request, &person, FormState::invalid(errors)));
    }
    let hash = permit.hash(&input.password).await?;
    let (app, now) = (&request.app, request.app.clock.now());
    let mut transaction = kit::pg::begin(&app.pool).await?;
    // The second factor may have changed while the password was hashed. A change of the address removes the link.
    let person =
        people::lock(&mut *transaction, person.id).await?.ok_or_else(PageError::link_gone)?;
    request.consume(&mut transaction).await?;
    request.record_use(&mut transaction, person.id, None).await?;
    // Invalidate the person's other reset and e-mail links as well.
    links::remove_of_person(&mut *transaction, person.id).await?;
    people::set_password(&mut *transaction, person.id, &hash).await?;
    sessions::end_all(&mut *transaction, person.id).await?;
    let text = MailText::new("password-reset");
    person_mail::queue(&mut transaction, Reader::from_person(&person), &text, now).await?;
    let action = Action::PasswordReset;
    let entry = NewEntry::new(person.id, &person.email, &request.client, action);
    activity::insert(&mut *transaction, entry, now).await?;
    // The link replaces the password, not the second factor.
    let (stage, path) = if person.totp_secret.is_some() {
        let next = request.next();
        let next = next.map(|next| format!("?next={}", encoded(next)));
        let path = format!("/sign-in/code{}", next.unwrap_or_default());
        (Stage::SecondFactor, path)
    } else {
        let path = request.next().unwrap_or("/accounts");
        (Stage::SignedIn, path.to_owned())
    };
    request.sign_in(transaction, (person.id, stage), &path).await
}

/// The person who gets the password. The holder of an earlier address of the person must not set it.
async fn find(request: &LinkRequest, person: Uuid) -> Result<Person, PageError> {
    let person = people::by_id(&request.app.pool, person).await?;
    let person = person.filter(|person| person.email == request.link.email);
    person.ok_or_else(PageError::link_gone)
}

fn page(request: &LinkRequest, person: &Person, state: FormState) -> Response {
    let texts = request.language.texts();
    let form = PasswordForm {
        frame: request.language.frame(),
        heading: texts.say("set-password-title").to_owned(),
        text: texts.say("set-password-text").to_owned(),
        button: texts.say("set-password-button"),
        account_name: None,
        person: Some(person.id),
    };
    request.password_page(form, state)
}
