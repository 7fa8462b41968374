//! The name of an account, and its end.

use axum::response::Response;
use contracts::listings::v1::State;
use http::StatusCode;
use kit::Fault;
use pages::accounts::AccountSettingsPage;
use pages::{Field, Fields, Frame};
use serde::Deserialize;
use sqlx::{Postgres, Transaction};
use uuid::Uuid;

use super::team::begin_change;
use crate::account::effect::Effect;
use crate::account::member_request::MemberRequest;
use crate::domain::action::Action;
use crate::domain::role::Permission;
use crate::english::say;
use crate::form_body::FormBody;
use crate::membership;
use crate::page_error::{PageError, PageResult};
use crate::render::{FormState, html, see_other};
use crate::request::Section;
use crate::store::{activity, links, members};
use crate::upstream::Listings;
use crate::upstream::gateway::may_revoke;
use crate::upstream::listings::state_of;

/// The reason why an account with other people is not closed: the key of a text.
const OTHERS: Option<&str> = Some("settings-close-members");

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
    let context = request.context(Section::Today).await;
    let account = context.account()?.account.as_ref();
    let name = account.ok_or_else(PageError::not_found)?.name.clone();
    Ok(page(request, context.frame, &name, state))
}

/// Closes an account that has nothing any more. Its last owner could not leave it otherwise.
pub async fn close(request: MemberRequest) -> PageResult {
    match try_to_close(&request).await {
        Ok(None) => Ok(see_other("/accounts")),
        // The same form, sent twice, has closed the account meanwhile.
        Err(error) if error.status == StatusCode::NOT_FOUND => {
            let (pool, person) = (&request.app.pool, request.person().id);
            let closed = Action::AccountClosed;
            let has_closed = activity::has_done(pool, request.scope.id, person, closed).await?;
            if has_closed { Ok(see_other("/accounts")) } else { Err(error) }
        }
        Err(error) => Err(error),
        Ok(Some(reason)) => {
            let reason = Fields::general(say(reason));
            stored(&request, FormState::invalid(reason)).await
        }
    }
}

/// Returns the reason why an account cannot be closed: the key of a text.
async fn try_to_close(request: &MemberRequest) -> Result<Option<&'static str>, PageError> {
    let (app, account) = (&request.app, request.scope.id);
    if begin_closing(request).await?.is_none() {
        return Ok(OTHERS);
    }
    let (keys, webhooks, has_listing) = futures::join!(
        app.gateway.keys(account),
        app.webhooks.endpoints(account),
        has_open_listing(&app.listings, account),
    );
    let now = app.clock.now();
    if keys?.iter().any(|key| may_revoke(key, now)) {
        return Ok(Some("settings-close-keys"));
    }
    if !webhooks?.endpoints.is_empty() {
        return Ok(Some("settings-close-webhooks"));
    }
    if has_listing? {
        return Ok(Some("settings-close-listings"));
    }
    let Some(mut transaction) = begin_closing(request).await? else {
        return Ok(OTHERS);
    };
    // Nobody may join an account that is about to be closed.
    links::remove_invitations(&mut *transaction, account).await?;
    transaction.commit().await?;
    membership::close_account(request, account).await?;
    let Some(mut transaction) = begin_closing(request).await? else {
        return Ok(OTHERS);
    };
    members::remove(&mut *transaction, account, request.person().id).await?;
    request.record_in(&mut *transaction, Action::AccountClosed, "").await?;
    transaction.commit().await?;
    Ok(None)
}

/// Whether an account has a page, a game or an event that somebody has to care for: it is neither rejected nor taken down.
async fn has_open_listing(listings: &Listings, account: Uuid) -> Result<bool, Fault> {
    // A newer listings-svc may have other states.
    let is_open = |state| !matches!(state, State::Rejected | State::Removed);
    let pages = listings.pages(account).await?.pages;
    if pages.iter().any(|page| is_open(page.state())) {
        return Ok(true);
    }
    let mut cursor = String::new();
    loop {
        let (rows, page) = listings.list(account, &cursor).await?;
        if rows.iter().any(|row| is_open(state_of(&row.status))) {
            return Ok(true);
        }
        let Some(next) = page.and_then(|page| page.next_cursor) else {
            return Ok(false);
        };
        cursor = next;
    }
}

/// Locks the team of an account that has no other people than its owner; `None`: it has others.
async fn begin_closing(
    request: &MemberRequest,
) -> Result<Option<Transaction<'static, Postgres>>, PageError> {
    let mut transaction = begin_change(request, Permission::Manage).await?;
    let members = members::of_account(&mut *transaction, request.scope.id).await?;
    Ok((members.len() == 1).then_some(transaction))
}

pub async fn send(request: MemberRequest, FormBody(form): FormBody<Input>) -> PageResult {
    let (gateway, actor) = (&request.app.gateway, request.actor());
    let work = async {
        gateway.rename_account(&actor, request.scope.id, &form.name).await?;
        let (action, start) = (Action::AccountChanged, request.path(""));
        Ok(Effect::shown_at(action, &form.name, &start))
    };
    let page = async |state| {
        let frame = request.frame(Section::Today).await;
        Ok(page(&request, frame, &form.name, state))
    };
    request.answer(work, &["name"], page).await
}

fn page(request: &MemberRequest, frame: Frame, name: &str, state: FormState) -> Response {
    let FormState { status, errors } = state;
    let page = AccountSettingsPage {
        frame,
        id: request.scope.id.to_string(),
        name: Field::text("name", say("settings-name")).value(name).error_in(&errors),
        errors,
    };
    html(status, &page)
}
