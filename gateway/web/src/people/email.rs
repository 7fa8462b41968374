//! Changes a person's address: a link in a mail to the new address changes it, and both addresses get a mail.

use axum::response::Response;
use pages::Field;
use pages::people::PersonFormPage;
use serde::Deserialize;

use super::confirmation::confirm_password;
use super::link_mail::{LinkMail, record_and_inform, send_link};
use crate::domain::action::Action;
use crate::domain::email;
use crate::form_body::FormBody;
use crate::page_error::PageResult;
use crate::person_request::PersonRequest;
use crate::render::{FormState, html, see_other};
use crate::session::limits;
use crate::store::links::LinkTarget;
use crate::viewer::Viewer;

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub struct Input {
    email: String,
    password: String,
}

pub async fn show(request: PersonRequest) -> PageResult {
    Ok(page(&request.viewer, "", FormState::default()))
}

pub async fn send(request: PersonRequest, FormBody(form): FormBody<Input>) -> PageResult {
    let (app, person) = (&request.app, request.person());
    let now = app.clock.now();
    let mut state = confirm_password(&request, "password", &form.password).await?;
    let address = email::parse(&form.email);
    match &address {
        Err(problem) => state.add("email", *problem),
        Ok(address) if *address == person.email => {
            state.add("email", "This is your address already.");
        }
        Ok(_) => {}
    }
    let address = match address {
        Ok(address) if state.is_accepted() => address,
        _ => return Ok(page(&request.viewer, &form.email, state)),
    };
    let network = request.client.network();
    for (limit, subject) in [(limits::MAILS_FROM, &network), (limits::MAILS_TO, &address)] {
        if let Err(reached) = app.limits.count(limit, subject, now).await? {
            let state = FormState::refused(&reached.too_many("mails"), &[]);
            return Ok(page(&request.viewer, &form.email, state));
        }
    }
    let mut transaction = app.pool.begin().await?;
    let mail = LinkMail {
        address: &address,
        target: LinkTarget::Email { person: person.id },
        next: None,
        subject: "Confirm your new address",
        reason: "Open this page to sign in to Mchezo with this address from now on:",
    };
    send_link(&mut transaction, app, mail).await?;
    let text = format!(
        "Somebody who is signed in as you wants to change your address to {address}. A link that was mailed there does so.\n\nIf this was not you, change your password at once: that also voids the link.\n"
    );
    let subject = "A change of your address";
    record_and_inform(
        &request,
        &mut transaction,
        Action::EmailChangeAsked,
        subject,
        &text,
    )
    .await?;
    transaction.commit().await?;
    Ok(see_other("/you?done=email-sent"))
}

fn page(viewer: &Viewer, typed: &str, state: FormState) -> Response {
    let FormState { status, errors } = state;
    let page = PersonFormPage {
        shell: viewer.shell(),
        heading: "Change e-mail",
        text: vec![
            "We mail a link to the new address. Your address changes when you open it and press its button; the old address is told.".to_owned(),
        ],
        action: "/you/email",
        inputs: vec![
            Field::email("email", "New address").value(typed).error_in(&errors),
            Field::password("password", "Your password").error_in(&errors),
        ],
        button: "Mail the link",
        is_dangerous: false,
        errors,
    };
    html(status, &page)
}
