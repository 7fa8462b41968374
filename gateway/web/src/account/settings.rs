//! The name of an account, and its contact address.

use pages::accounts::AccountSettingsPage;
use pages::{Field, Fields};
use serde::Deserialize;

use super::member_request::MemberRequest;
use crate::domain::action::Action;
use crate::domain::email;
use crate::form_body::FormBody;
use crate::page_error::{PageError, PageResult};
use crate::render::{FormState, html, see_other};
use crate::store::members;
use crate::viewer::Section;

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub struct Input {
    name: String,
    email: String,
}

pub async fn show(request: MemberRequest) -> PageResult {
    let found = request.app.gateway.account(request.scope.id).await?;
    let account = found.account.ok_or_else(PageError::not_found)?;
    let form = Input {
        name: account.name,
        email: account.email,
    };
    page(&request, &form, FormState::default()).await
}

pub async fn send(request: MemberRequest, FormBody(form): FormBody<Input>) -> PageResult {
    let (app, account) = (&request.app, request.scope.id);
    // It is the address of a member, who has confirmed it.
    let members = members::of_account(&app.pool, account).await?;
    let address = email::parse(&form.email).ok();
    let address = address.filter(|email| members.iter().any(|member| member.email == *email));
    let Some(address) = address else {
        let text = request.language().say("settings-email-invalid");
        let refused = FormState::invalid(Fields::one("email", text));
        return page(&request, &form, refused).await;
    };
    let actor = request.actor();
    let change = app
        .gateway
        .change_account(&actor, account, Some(&form.name), &address);
    if let Err(fault) = change.await {
        return page(&request, &form, request.refused(fault, &["name", "email"])?).await;
    }
    request.record(Action::AccountChanged, &form.name).await;
    Ok(see_other(&request.path("")))
}

async fn page(request: &MemberRequest, form: &Input, state: FormState) -> PageResult {
    let language = request.language();
    let FormState { status, errors } = state;
    let email = Field::email("email", language.say("settings-email"))
        .autocomplete("email")
        .hint(language.say("settings-email-hint"));
    let page = AccountSettingsPage {
        shell: request.shell(Section::Today).await,
        id: request.scope.id.to_string(),
        name: Field::name("name", language.say("settings-name"))
            .value(&form.name)
            .error_in(&errors),
        email: email.value(&form.email).error_in(&errors),
        errors,
    };
    Ok(html(status, &page))
}
