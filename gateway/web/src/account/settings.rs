//! The name of an account.

use pages::Field;
use pages::accounts::AccountSettingsPage;
use serde::Deserialize;

use crate::account::member_request::MemberRequest;
use crate::domain::action::Action;
use crate::form_body::FormBody;
use crate::page_error::{PageError, PageResult};
use crate::render::{FormState, html, see_other};
use crate::request::Section;

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub struct Input {
    name: String,
}

pub async fn show(request: MemberRequest) -> PageResult {
    let found = request.app.gateway.account(request.scope.id).await?;
    let account = found.account.ok_or_else(PageError::not_found)?;
    let form = Input { name: account.name };
    page(&request, &form, FormState::default()).await
}

pub async fn send(request: MemberRequest, FormBody(form): FormBody<Input>) -> PageResult {
    let (app, account) = (&request.app, request.scope.id);
    let actor = request.actor();
    let change = app.gateway.rename_account(&actor, account, &form.name);
    if let Err(fault) = change.await {
        return page(&request, &form, request.refused(fault, &["name"])?).await;
    }
    request.record(Action::AccountChanged, &form.name).await;
    Ok(see_other(&request.path("")))
}

async fn page(request: &MemberRequest, form: &Input, state: FormState) -> PageResult {
    let language = request.language();
    let FormState { status, errors } = state;
    let page = AccountSettingsPage {
        frame: request.frame(Section::Today).await,
        id: request.scope.id.to_string(),
        name: Field::name("name", language.say("settings-name"))
            .value(&form.name)
            .error_in(&errors),
        errors,
    };
    Ok(html(status, &page))
}
