//! The keys of an account, and its requests for live keys.

use axum::extract::{Path, Query};
use pages::keys::{KeyRow, ListPage, RequestRow};
use pages::when;
use uuid::Uuid;

use super::{rights, row, shown_once};
use crate::account::member_request::MemberRequest;
use crate::domain::action::Action;
use crate::domain::role::Permission;
use crate::notice::AfterForm;
use crate::once_form::{self, NoFields, OnceForm};
use crate::page_error::PageResult;
use crate::render::{FormState, html};
use crate::request::Section;
use crate::upstream::time_of;

/// The heading of a revealed key: the key of a text.
const HEADING: &str = "key-secret-live";

pub async fn show(request: MemberRequest, Query(after): Query<AfterForm>) -> PageResult {
    page(&request, after.notice(), FormState::default()).await
}

pub async fn reveal(
    request: MemberRequest,
    Path((_, id)): Path<(Uuid, String)>,
    OnceForm(NoFields {}, sent): OnceForm<NoFields>,
) -> PageResult {
    let (gateway, actor) = (&request.app.gateway, request.actor());
    let work = async {
        let revealed = gateway.reveal_key(&actor, request.scope.id, &id);
        let revealed = request.once(sent, &request.path("/keys"), revealed).await?;
        let effect = (Action::KeyRevealed, HEADING);
        Ok(shown_once(&request, effect, revealed, None).await)
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
    let (gateway, language) = (&request.app.gateway, request.language());
    let (listed, requests, mut frame) = futures::join!(
        gateway.keys(account),
        gateway.key_requests(account),
        request.frame(Section::Keys)
    );
    let listed = listed?;
    frame.notice = notice;
    let mut keys: Vec<KeyRow> = listed.iter().map(|key| row(language, key, now)).collect();
    // The gateway lists keys without their game among those that work.
    keys.sort_by_key(|key| !key.state.works);
    let open = requests?.into_iter().filter(|it| it.state != "revealed");
    let day = |at| when::day(language.texts(), at);
    let requests = open.map(|request| RequestRow {
        rights: rights(
            language,
            "live",
            &request.kind,
            request.may_write,
            request.game.as_deref(),
        ),
        asked: time_of(request.asked_at).map(day).unwrap_or_default(),
        id: request.id,
        name: request.name,
        state: request.state,
        reason: request.reason.unwrap_or_default(),
        form: once_form::new_id(),
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
