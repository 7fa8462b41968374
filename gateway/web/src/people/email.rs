//! Changes a person's address: a link in a mail to the new address changes it, and both addresses get a mail.

use axum::Extension;
use axum::extract::State;
use pages::people::PersonFormPage;
use pages::{Field, Fields};
use serde::Deserialize;

use super::confirmation::confirm_password;
use super::link_mail::{inform, send_link};
use super::record;
use crate::app::App;
use crate::domain::email;
use crate::form_body::FormBody;
use crate::page_error::PageResult;
use crate::render::{ok, refused, see_other};
use crate::session::limits;
use crate::store::links::LinkTarget;
use crate::viewer::{ClientInfo, Viewer};

#[derive(Debug, Deserialize)]
pub struct Input {
    #[serde(default)]
    email: String,
    #[serde(default)]
    password: String,
}

pub async fn show(Extension(viewer): Extension<Viewer>) -> PageResult {
    Ok(ok(&page(&viewer, "", Fields::default())))
}

pub async fn send(
    State(app): State<App>,
    Extension(viewer): Extension<Viewer>,
    Extension(client): Extension<ClientInfo>,
    FormBody(form): FormBody<Input>,
) -> PageResult {
    let (now, person) = (app.clock.now(), &viewer.person);
    let mut errors = Fields::default();
    let address = email::parse(&form.email);
    match &address {
        Err(problem) => errors.add("email", *problem),
        Ok(address) if *address == person.email => {
            errors.add("email", "This is your address already.");
        }
        Ok(_) => {}
    }
    if let Err(text) = confirm_password(&app, &viewer, &form.password).await? {
        errors.add("password", text);
    }
    let address = match address {
        Ok(address) if errors.is_empty() => address,
        _ => return Ok(refused(&page(&viewer, &form.email, errors))),
    };
    if app
        .limits
        .count(limits::MAILS_TO, &address, now)
        .await?
        .is_ok()
    {
        let mut transaction = app.pool.begin().await?;
        let target = LinkTarget::Email { person: person.id };
        let reason = "Open this page to sign in to Mchezo with this address from now on:";
        let words = ("Confirm your new address", reason);
        send_link(&mut transaction, &app, &address, &target, words).await?;
        let text = format!(
            "Somebody who is signed in as you wants to change your address to {address}. A link that was mailed there does so.\n\nIf this was not you, change your password at once: that also voids the link.\n"
        );
        inform(
            &mut transaction,
            &person.email,
            "A change of your address",
            &text,
            now,
        )
        .await?;
        record(
            &mut *transaction,
            person,
            &client,
            "email_change_asked",
            now,
        )
        .await?;
        transaction.commit().await?;
    }
    Ok(see_other("/you?done=email-sent"))
}

fn page(viewer: &Viewer, typed: &str, errors: Fields) -> PersonFormPage {
    PersonFormPage {
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
    }
}
