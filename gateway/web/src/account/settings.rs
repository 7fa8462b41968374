//! The name of an account.

use pages::Field;
use pages::accounts::AccountSettingsPage;
use serde::Deserialize;

use crate::account::effect::Effect;
use crate::account::member_request::MemberRequest;
use crate::domain::action::Action;
use crate::form_body::FormBody;
use crate::page_error::{PageError, PageResult};
use crate::render::{FormState, html};
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
    let (gateway, actor) = (&request.app.gateway, request.actor());
    let work = async {
        gateway
            .rename_account(&actor, request.scope.id, &form.name)
            .await?;
        let (action, start) = (Action::AccountChanged, request.path(""));
        Ok(Effect::shown_at(action, &form.name, &start))
    };
    let page = async |state| page(&request, &form, state).await;
    request.answer(work, &["name"], page).await
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
