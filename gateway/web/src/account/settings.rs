//! The name of an account, and the address for mails about it.

use axum::Extension;
use axum::extract::State;
use pages::accounts::AccountSettingsPage;
use pages::{Field, Fields};
use serde::Deserialize;

use super::{record_done, shell};
use crate::app::{App, Web};
use crate::domain::email;
use crate::form_body::FormBody;
use crate::page_error::{PageError, PageResult};
use crate::render::{form_errors, html, ok, refused, see_other};
use crate::store::members;
use crate::viewer::{AccountScope, ClientInfo, Section, Viewer};

#[derive(Debug, Deserialize)]
pub struct Input {
    #[serde(default)]
    name: String,
    #[serde(default)]
    email: String,
}

pub async fn show(
    State(app): State<App>,
    Extension(viewer): Extension<Viewer>,
    Extension(scope): Extension<AccountScope>,
) -> PageResult {
    let found = app.gateway.account(scope.id).await?;
    let account = found.account.ok_or_else(PageError::not_found)?;
    let form = Input {
        name: account.name,
        email: account.email,
    };
    Ok(ok(
        &page(&app, &viewer, &scope, &form, Fields::default()).await
    ))
}

pub async fn send(
    State(app): State<App>,
    Extension(viewer): Extension<Viewer>,
    Extension(client): Extension<ClientInfo>,
    Extension(scope): Extension<AccountScope>,
    FormBody(form): FormBody<Input>,
) -> PageResult {
    // Mails about the account go only to a member, who has confirmed the address.
    let members = members::of_account(&app.pool, scope.id).await?;
    let address = email::parse(&form.email).ok();
    let address = address.filter(|email| members.iter().any(|member| member.email == *email));
    let Some(address) = address else {
        let text = "Use the address of a member of the team, who has confirmed it.";
        let errors = Fields::one("email", text);
        return Ok(refused(&page(&app, &viewer, &scope, &form, errors).await));
    };
    let actor = viewer.actor(&client);
    let changed = match app.gateway.admit_change().await {
        Ok(()) => {
            let change = app
                .gateway
                .change_account(&actor, scope.id, &form.name, &address);
            change.await
        }
        Err(closed) => Err(closed),
    };
    if let Err(fault) = changed {
        let (status, errors) = form_errors(&fault, &["name", "email"], &[]);
        return Ok(html(
            status,
            &page(&app, &viewer, &scope, &form, errors).await,
        ));
    }
    let what = ("account_changed", form.name.as_str());
    record_done(&app, (&viewer, &client), &scope, what).await;
    Ok(see_other(&format!("/accounts/{}", scope.id)))
}

async fn page(
    web: &Web,
    viewer: &Viewer,
    scope: &AccountScope,
    form: &Input,
    errors: Fields,
) -> AccountSettingsPage {
    let email = Field::email("email", "Address for mails about the account")
        .autocomplete("email")
        .hint("The address of a member of the team.");
    AccountSettingsPage {
        shell: shell(web, viewer, scope, Section::Overview).await,
        id: scope.id.to_string(),
        name: Field::text("name", "Name")
            .value(&form.name)
            .error_in(&errors),
        email: email.value(&form.email).error_in(&errors),
        errors,
    }
}
