//! One key: rotation and revocation.

use axum::extract::Path;
use contracts::gateway::v1 as proto;
use kit::Code;
use pages::keys::{KeyPage, LastCall};
use pages::{ApiCall, Fields, when};
use serde::Deserialize;
use uuid::Uuid;

use super::{ShownSecret, row};
use crate::account::member_request::MemberRequest;
use crate::domain::action::Action;
use crate::domain::role::Permission;
use crate::once_form::OnceForm;
use crate::page_error::{PageError, PageResult};
use crate::render::{FormState, html, ok, see_other};
use crate::session::once;
use crate::upstream::time_of;
use crate::viewer::Section;

const HEADING: &str = "The new secret";

/// Grace periods to choose from, in seconds. The page shows those that the gateway allows.
const GRACES: [(u32, &str); 6] = [
    (0, "not at all"),
    (3_600, "an hour"),
    (21_600, "6 hours"),
    (86_400, "a day"),
    (259_200, "3 days"),
    (604_800, "a week"),
];

#[derive(Debug, Deserialize)]
pub struct RotateForm {
    #[serde(default)]
    grace: String,
}

pub async fn show(request: MemberRequest, Path((_, key)): Path<(Uuid, String)>) -> PageResult {
    page(&request, &key, FormState::default()).await
}

pub async fn rotate(
    request: MemberRequest,
    Path((_, key)): Path<(Uuid, String)>,
    OnceForm(form, sent): OnceForm<RotateForm>,
) -> PageResult {
    let Ok(grace) = form.grace.parse() else {
        let errors = Fields::one("grace_seconds", "Choose one of the times.");
        return page(&request, &key, FormState::invalid(errors)).await;
    };
    let work = async {
        let (gateway, actor) = (&request.app.gateway, request.actor());
        let rotated = gateway.rotate_key(&actor, request.scope.id, &key, grace);
        let (old, secret) = rotated.await?;
        request.record(Action::KeyRotated, &old.name).await;
        Ok(ShownSecret::new(old, secret))
    };
    match request.once(&sent, &request.path("/keys"), work).await? {
        Ok(shown) => Ok(ok(&shown.page(&request, HEADING).await)),
        Err(fault) => {
            let refused = FormState::refused(&fault, &["grace_seconds"]);
            page(&request, &key, refused).await
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
        Err(fault) => page(&request, &key, FormState::refused(&fault, &[])).await,
    }
}

async fn page(request: &MemberRequest, key: &str, state: FormState) -> PageResult {
    let (now, account) = (request.app.clock.now(), request.scope.id);
    let gateway = &request.app.gateway;
    let (key, frame, last_call) = futures::join!(
        gateway.key(account, key),
        request.frame(Section::Keys),
        gateway.last_call(account, key),
    );
    let key = key?;
    let graces = graces(&key, frame.account()?);
    let mut shell = frame.closed_shell();
    let call = format!("GET /v1/account/keys/{}", key.id);
    shell.api_call = Some(ApiCall::account(call));
    let page = KeyPage {
        shell,
        errors: state.errors,
        account: account.to_string(),
        form: once::new_id(),
        key: row(&key, now),
        expires: time_of(key.expires_at).map(when::minute),
        game: key.game,
        // Without the log of calls, the page leaves the calls out.
        last_call: last_call.ok().flatten().map(|call| last_call_row(&call)),
        graces,
        may_change: request.may(Permission::Develop),
    };
    Ok(html(state.status, &page))
}

fn last_call_row(call: &proto::Call) -> LastCall {
    LastCall {
        at: time_of(call.at).map(when::minute).unwrap_or_default(),
        route: format!("{} {}", call.method, call.route),
        status: call.status.to_string(),
    }
}

/// The grace periods that a rotation of this key may have, longest first. Empty if the key was rotated already.
fn graces(
    key: &proto::Key,
    account: &proto::AccountsServiceGetAccountResponse,
) -> Vec<(u32, String)> {
    if key.grace_until.is_some() {
        return Vec::new();
    }
    let range = account.least_grace_seconds..=account.most_grace_seconds;
    let allowed = GRACES.iter().rev();
    let allowed = allowed.filter(|(seconds, _)| *seconds == 0 || range.contains(seconds));
    allowed
        .map(|(seconds, words)| (*seconds, (*words).to_owned()))
        .collect()
}
