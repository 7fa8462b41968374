//! Changes a person's address: a link in a mail to the new address changes it, and both addresses get a mail.

use axum::response::Response;
use kit::ids;
use pages::mails::MailText;
use pages::people::PersonFormPage;
use pages::{Field, Language};
use serde::Deserialize;

use super::confirmation::confirm_password;
use super::link_mail::{LinkMail, record_and_inform, send_link};
use crate::domain::action::Action;
use crate::domain::email;
use crate::domain::link::Purpose;
use crate::english::say;
use crate::form_body::FormBody;
use crate::page_error::PageResult;
use crate::render::{FormState, html, see_other};
use crate::request::PersonRequest;
use crate::store::links::LinkTarget;

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub struct Input {
    email: String,
    password: String,
}

pub async fn show(request: PersonRequest) -> PageResult {
    Ok(page(&request, "", FormState::default()))
}

pub async fn send(request: PersonRequest, FormBody(form): FormBody<Input>) -> PageResult {
    let (app, person) = (&request.app, request.person());
    let now = app.clock.now();
    let mut state = confirm_password(&request, "password", &form.password).await?;
    let address = email::parse(&form.email);
    match &address {
        Err(_) => state.add("email", say("email-invalid")),
        Ok(address) if *address == person.email => {
            state.add("email", say("email-own"));
        }
        Ok(_) => {}
    }
    let address = match address {
        Ok(address) if state.is_accepted() => address,
        _ => return Ok(page(&request, &form.email, state)),
    };
    let mail = (Purpose::Email, address.as_str());
    let counted = app.admission.mail_of_person(&request.client, person.id, mail, now);
    if let Err(reached) = counted.await? {
        let fault = reached.too_many_in(Language::English, "limit-mails");
        let state = FormState::refused_here(&fault);
        return Ok(page(&request, &form.email, state));
    }
    let mut transaction = kit::pg::begin(&app.pool).await?;
    let mail = LinkMail {
        id: ids::row_id(),
        address: &address,
        target: LinkTarget::Email { person: person.id },
        requested_from: None,
        next: None,
        language: person.language(),
        text: MailText::new("new-address"),
    };
    send_link(&mut transaction, app, mail).await?;
    let text = MailText::new("email-asked").with("address", address.as_str());
    record_and_inform(&request, &mut transaction, Action::EmailChangeAsked, &text).await?;
    transaction.commit().await?;
    Ok(see_other("/you?done=email-sent"))
}

fn page(request: &PersonRequest, typed: &str, state: FormState) -> Response {
    let FormState { status, errors } = state;
    let email = Field::email("email", say("email-new")).value(typed);
    let page = PersonFormPage {
        frame: request.viewer.frame(),
        heading: say("you-change-email"),
        text: vec![say("email-change-text")],
        action: "/you/email",
        form: None,
        inputs: vec![
            email.error_in(&errors),
            Field::password("password", say("password-own")).error_in(&errors),
        ],
        button: say("email-change-button"),
        is_dangerous: false,
        errors,
    };
    html(status, &page)
}
