//! The name of an account, and its end.

use pages::accounts::AccountSettingsPage;
use pages::{Field, Fields};
use serde::Deserialize;

use super::keys::may_revoke;
use crate::account::effect::Effect;
use crate::account::member_request::MemberRequest;
use crate::domain::action::Action;
use crate::english::say;
use crate::form_body::FormBody;
use crate::page_error::{PageError, PageResult};
use crate::render::{FormState, html, see_other};
use crate::request::Section;
use crate::store::{links, members};

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub struct Input {
    name: String,
}

pub async fn show(request: MemberRequest) -> PageResult {
    stored(&request, FormState::default()).await
}

/// The page with the stored name.
async fn stored(request: &MemberRequest, state: FormState) -> PageResult {
    let found = request.app.gateway.account(request.scope.id).await?;
    let account = found.account.ok_or_else(PageError::not_found)?;
    let form = Input { name: account.name };
    page(request, &form, state).await
}

/// Closes an account that has nothing any more. Its last owner could not leave it otherwise.
pub async fn close(request: MemberRequest) -> PageResult {
    match try_to_close(&request).await? {
        None => Ok(see_other("/accounts")),
        Some(reason) => {
            let reason = Fields::general(say(reason));
            stored(&request, FormState::invalid(reason)).await
        }
    }
}

/// Returns the reason why an account cannot be closed: the key of a text.
async fn try_to_close(request: &MemberRequest) -> Result<Option<&'static str>, PageError> {
    const OTHERS: Option<&str> = Some("settings-close-members");
    let (app, account, person) = (&request.app, request.scope.id, request.person().id);
    if members::of_account(&app.pool, account).await?.len() > 1 {
        return Ok(OTHERS);
    }
    let (keys, webhooks, pages, listings) = futures::join!(
        app.gateway.keys(account),
        app.webhooks.endpoints(account),
        app.listings.pages(account),
        app.listings.list(account, ""),
    );
    let now = app.clock.now();
    if keys?.iter().any(|key| may_revoke(key, now)) {
        return Ok(Some("settings-close-keys"));
    }
    if !webhooks?.endpoints.is_empty() {
        return Ok(Some("settings-close-webhooks"));
    }
    if !pages?.pages.is_empty() || !listings?.0.is_empty() {
        return Ok(Some("settings-close-listings"));
    }
    app.gateway.close_account(&request.actor(), account).await?;
    let mut transaction = kit::pg::begin(&app.pool).await?;
    members::lock(&mut transaction, account).await?;
    if members::of_account(&mut *transaction, account).await?.len() > 1 {
        return Ok(OTHERS);
    }
    links::remove_invitations(&mut *transaction, account).await?;
    members::remove(&mut *transaction, account, person).await?;
    request
        .record_in(&mut *transaction, Action::AccountClosed, "")
        .await?;
    transaction.commit().await?;
    Ok(None)
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
    let FormState { status, errors } = state;
    let page = AccountSettingsPage {
        frame: request.frame(Section::Today).await,
        id: request.scope.id.to_string(),
        name: Field::name("name", say("settings-name"))
            .value(&form.name)
            .error_in(&errors),
        errors,
    };
    Ok(html(status, &page))
}
