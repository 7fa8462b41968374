//! One key: rotation and revocation.

use axum::extract::Path;
use contracts::gateway::v1 as proto;
use kit::Code;
use pages::keys::{KeyPage, LastCall};
use serde::Deserialize;
use uuid::Uuid;

use super::words::refusal;
use super::{ShownSecret, row};
use crate::account::member_request::MemberRequest;
use crate::domain::action::Action;
use crate::domain::role::Permission;
use crate::once_form::OnceForm;
use crate::page_error::{PageError, PageResult};
use crate::page_language::PageLanguage;
use crate::render::{FormState, html, ok, see_other};
use crate::session::once;
use crate::upstream::minute_of;
use crate::viewer::Section;

/// The heading of a rotated key: the key of a text.
const HEADING: &str = "key-secret-new";

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub struct RotateForm {
    /// Whether the old secret stops at once.
    revoke: String,
}

pub async fn show(request: MemberRequest, Path((_, key)): Path<(Uuid, String)>) -> PageResult {
    page(&request, &key, false, FormState::default()).await
}

pub async fn rotate(
    request: MemberRequest,
    Path((_, key)): Path<(Uuid, String)>,
    OnceForm(form, sent): OnceForm<RotateForm>,
) -> PageResult {
    let revoke_old = !form.revoke.is_empty();
    let work = async {
        let (gateway, actor) = (&request.app.gateway, request.actor());
        let rotated = gateway.rotate_key(&actor, request.scope.id, &key, revoke_old);
        let rotated = rotated.await?;
        request.record(Action::KeyRotated, &rotated.key.name).await;
        Ok(ShownSecret::rotated(rotated))
    };
    match request.once(&sent, &request.path("/keys"), work).await? {
        Ok(shown) => Ok(ok(&shown.page(&request, HEADING).await)),
        Err(fault) => {
            let refused = request.language().refused(&fault, &[], &[]);
            page(&request, &key, revoke_old, refused).await
        }
    }
}

pub async fn revoke(request: MemberRequest, Path((_, key)): Path<(Uuid, String)>) -> PageResult {
    let (gateway, actor) = (&request.app.gateway, request.actor());
    match gateway.revoke_key(&actor, request.scope.id, &key).await {
        Ok(revoked) => {
            request.record(Action::KeyRevoked, &revoked.name).await;
            Ok(see_other(&request.path("/keys")))
        }
        Err(fault) if fault.code == Code::NotFound => Err(PageError::not_found()),
        Err(fault) => {
            let refused = request.language().refused(&fault, &[], &[]);
            page(&request, &key, false, refused).await
        }
    }
}

async fn page(
    request: &MemberRequest,
    key: &str,
    revoke_old: bool,
    state: FormState,
) -> PageResult {
    let (now, account) = (request.app.clock.now(), request.scope.id);
    let (gateway, language) = (&request.app.gateway, request.language());
    let (key, frame, last_call) = futures::join!(
        gateway.key(account, key),
        request.frame(Section::Keys),
        gateway.last_call(account, key),
    );
    let key = key?;
    let found = frame.account()?;
    let errors = state.errors;
    let refusal = refusal(language, &key, found.month.as_ref(), now);
    let page = KeyPage {
        shell: frame.closed_shell(),
        errors,
        account: account.to_string(),
        form: once::new_id(),
        key: row(language, &key, now),
        game: key.game,
        // Without the log of calls, the page leaves the calls out.
        last_call: last_call
            .ok()
            .flatten()
            .map(|call| last_call_row(language, &call)),
        revoke_old,
        may_rotate: key.grace_until.is_none(),
        refusal,
        may_change: request.may(Permission::Develop),
    };
    Ok(html(state.status, &page))
}

fn last_call_row(language: PageLanguage, call: &proto::Call) -> LastCall {
    LastCall {
        at: minute_of(language.texts(), call.at),
        route: format!("{} {}", call.method, call.route),
        status: call.status.to_string(),
    }
}
