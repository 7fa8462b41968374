//! The keys of an account, and its requests for live keys.

use axum::extract::Path;
use contracts::common::v1::Mode;
use contracts::gateway::v1::{KeyRequest, KeyRequestState};
use pages::keys::{KeyRow, ListPage, RequestRow};
use pages::when;
use uuid::Uuid;

use super::{KeyEffect, is_recent_rejection, is_rejection, rights, row, shown_once};
use crate::account::effect::Effect;
use crate::account::member_request::MemberRequest;
use crate::domain::action::Action;
use crate::domain::role::Permission;
use crate::english::texts;
use crate::notice::AfterForm;
use crate::page_error::PageResult;
use crate::render::{FormState, html, see_other};
use crate::request::Section;
use crate::upstream::time_of;
use crate::url_query::UrlQuery;

pub async fn show(request: MemberRequest, UrlQuery(after): UrlQuery<AfterForm>) -> PageResult {
    page(&request, after.notice(), FormState::default()).await
}

pub async fn reveal(request: MemberRequest, Path((_, id)): Path<(Uuid, String)>) -> PageResult {
    let (gateway, account) = (&request.app.gateway, request.scope.id);
    let work = async {
        let revealed = match gateway.reveal_key(&request.actor(), account, &id).await {
            Ok(revealed) => revealed,
            // The key has the id of its request. Another answer has shown its secret.
            Err(fault) => match gateway.key(account, &id).await {
                Ok(key) => (key, String::new()),
                Err(_no_key) => return Err(fault),
            },
        };
        Ok(shown_once(&request, KeyEffect::Revealed, revealed, None).await)
    };
    let page = async |state| page(&request, None, state).await;
    request.answer(work, &[], page).await
}

/// Withdraws a request for a live key. Staff may have rejected it before.
pub async fn withdraw(request: MemberRequest, Path((_, id)): Path<(Uuid, String)>) -> PageResult {
    let (gateway, actor) = (&request.app.gateway, request.actor());
    let work = async {
        let ended = gateway.withdraw_key_request(&actor, request.scope.id, &id).await?;
        if is_rejection(&ended) {
            let path = request.path("/keys?done=key-request-rejected-before");
            return Ok(Effect::none(see_other(&path)));
        }
        let path = request.path("/keys?done=key-request-withdrawn");
        let effect = Effect::shown_at(Action::KeyRequestWithdrawn, ended.name, &path);
        Ok(effect.once(ended.id.parse().ok()))
    };
    let page = async |state| page(&request, None, state).await;
    request.answer(work, &[], page).await
}

async fn page(
    request: &MemberRequest,
    notice: Option<&'static str>,
    state: FormState,
) -> PageResult {
    let (now, account) = (request.app.clock.now(), request.scope.id);
    let gateway = &request.app.gateway;
    let (listed, requests, mut frame) = futures::join!(
        gateway.keys(account),
        gateway.key_requests(account),
        request.frame(Section::Keys)
    );
    let listed = listed?;
    frame.notice = notice;
    let mut keys: Vec<KeyRow> = listed.iter().map(|key| row(key, now)).collect();
    // The gateway lists keys without their game among those that work.
    keys.sort_by_key(|key| !key.state.works);
    let is_shown = |request: &KeyRequest| match request.state() {
        KeyRequestState::Revealed => false,
        // A withdrawn one is in the activity only, and an old rejection too.
        KeyRequestState::Rejected => is_recent_rejection(request, now),
        _ => true,
    };
    let day = |at| when::day(texts(), at);
    let requests = requests?.into_iter().filter(is_shown).map(|request| RequestRow {
        rights: rights(Mode::Live, request.kind(), request.may_write, request.game.as_deref()),
        asked: time_of(request.asked_at).map(day).unwrap_or_default(),
        state: match request.state() {
            KeyRequestState::Approved => "approved",
            KeyRequestState::Rejected => "rejected",
            _ => "asked",
        },
        id: request.id,
        name: request.name,
        reason: request.ended.map(|ended| ended.reason).unwrap_or_default(),
    });
    let page = ListPage {
        frame,
        errors: state.errors,
        account: account.to_string(),
        keys,
        requests: requests.collect(),
        may_change: request.may(Permission::Develop),
    };
    Ok(html(state.status, &page))
}
