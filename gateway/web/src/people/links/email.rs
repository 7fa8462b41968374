//! The link that changes a person's address to the one that got the mail.

use axum::response::Response;
use http::StatusCode;
use pages::mails::MailText;
use pages::people::ConfirmLinkPage;
use uuid::Uuid;

use super::LinkRequest;
use crate::domain::action::Action;
use crate::page_error::{PageError, PageResult};
use crate::person_mail::{self, Reader};
use crate::render::{ok, see_other};
use crate::store::{is_taken, links, people};

/// The text for another person. The mail to a new address does not name the person's present address, and neither does this.
const OTHER_PERSON: &str = "other-person-email";

pub(super) fn show(request: &LinkRequest, person: Uuid) -> Response {
    if let Err(elsewhere) = request.for_person(person, OTHER_PERSON) {
        return *elsewhere;
    }
    let texts = request.language.texts();
    ok(&ConfirmLinkPage {
        frame: request.language.frame(),
        heading: texts.say("change-address-title").to_owned(),
        text: texts.say_of("change-address-text", &request.link.email),
        action: request.path(),
        button: texts.say("change-address-button"),
    })
}

/// Changes the address, which ends all other sessions.
pub(super) async fn send(request: &LinkRequest, person: Uuid) -> PageResult {
    let own = match request.for_person(person, OTHER_PERSON) {
        Ok(own) => own,
        Err(elsewhere) => return Ok(*elsewhere),
    };
    let (app, person, new) = (&request.app, own.person(), &request.link.email);
    let mut transaction = kit::pg::begin(&app.pool).await?;
    own.lock(&mut transaction).await?;
    request.consume(&mut transaction).await?;
    request.record_use(&mut transaction, person.id, None).await?;
    links::remove_of_person(&mut *transaction, person.id).await?;
    links::bind_invitations(&mut *transaction, &person.email, person.id).await?;
    if let Err(error) = people::set_email(&mut *transaction, person.id, new).await {
        if is_taken(&error) {
            let keys = &("error-address-taken-title", "error-address-taken");
            return Err(PageError::translated(StatusCode::CONFLICT, keys));
        }
        return Err(error.into());
    }
    let contact = app.staff_mail.as_ref().unwrap_or(&app.public_url);
    let text = MailText::new("email-changed")
        .with("old", person.email.as_str())
        .with("new", new.as_str())
        .with("contact", contact.as_str());
    for address in [&person.email, new] {
        let reader = Reader { address, language: person.language() };
        person_mail::queue(&mut transaction, reader, &text, app.clock.now()).await?;
    }
    own.record_own(&mut *transaction, Action::EmailChanged).await?;
    let session = own.renew_session_by(&mut transaction, &request.token.text()).await?;
    transaction.commit().await?;
    let mut response = see_other("/you?done=email");
    session.add_cookies(app, &mut response);
    Ok(response)
}
