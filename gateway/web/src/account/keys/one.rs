//! One key: rotation and revocation.

use axum::Extension;
use axum::extract::{Path, State};
use contracts::gateway::v1 as proto;
use http::StatusCode;
use kit::Code;
use pages::keys::{KeyPage, LastCall};
use pages::{ApiCall, Fields, when};
use serde::Deserialize;
use time::OffsetDateTime;
use uuid::Uuid;

use super::{ShownSecret, row, time_of};
use crate::account::{closed, record_done};
use crate::app::{App, Web};
use crate::domain::role::Permission;
use crate::once_form::{self, OnceError, OnceForm};
use crate::page_error::{PageError, PageResult};
use crate::render::{form_errors, html, ok, see_other};
use crate::session::once;
use crate::viewer::{AccountScope, ClientInfo, Section, Viewer};

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

pub async fn show(
    State(app): State<App>,
    Extension(viewer): Extension<Viewer>,
    Extension(scope): Extension<AccountScope>,
    Path((_, key)): Path<(Uuid, String)>,
) -> PageResult {
    page(
        &app,
        &viewer,
        &scope,
        &key,
        (StatusCode::OK, Fields::default()),
    )
    .await
}

pub async fn rotate(
    State(app): State<App>,
    Extension(viewer): Extension<Viewer>,
    Extension(client): Extension<ClientInfo>,
    Extension(scope): Extension<AccountScope>,
    Path((_, key)): Path<(Uuid, String)>,
    OnceForm(form, sent): OnceForm<RotateForm>,
) -> PageResult {
    let list = format!("/accounts/{}/keys", scope.id);
    let Ok(grace) = form.grace.parse() else {
        let errors = Fields::one("grace_seconds", "Choose one of the times.");
        let refused = (StatusCode::UNPROCESSABLE_ENTITY, errors);
        return page(&app, &viewer, &scope, &key, refused).await;
    };
    let work = async {
        let actor = viewer.actor(&client);
        let rotated = app.gateway.rotate_key(&actor, scope.id, &key, grace);
        let (old, secret) = rotated.await?;
        let what = ("key_rotated", old.name.as_str());
        record_done(&app, (&viewer, &client), &scope, what).await;
        Ok(ShownSecret {
            name: old.name,
            secret,
            may_write: old.may_write,
            kind: old.kind,
            mode: old.mode,
            old_ends: time_of(old.grace_until).map(OffsetDateTime::unix_timestamp),
        })
    };
    match once_form::run(&app, &viewer, &sent, &list, work).await {
        Ok(shown) => Ok(ok(&shown.page(&app, &viewer, &scope, HEADING).await)),
        Err(OnceError::Refused(fault)) => {
            let refused = form_errors(&fault, &["grace_seconds"], &[]);
            page(&app, &viewer, &scope, &key, refused).await
        }
        Err(OnceError::Page(error)) => Err(error),
    }
}

pub async fn revoke(
    State(app): State<App>,
    Extension(viewer): Extension<Viewer>,
    Extension(client): Extension<ClientInfo>,
    Extension(scope): Extension<AccountScope>,
    Path((_, key)): Path<(Uuid, String)>,
) -> PageResult {
    let actor = viewer.actor(&client);
    match app.gateway.revoke_key(&actor, scope.id, &key).await {
        Ok(revoked) => {
            let what = ("key_revoked", revoked.name.as_str());
            record_done(&app, (&viewer, &client), &scope, what).await;
            Ok(see_other(&format!("/accounts/{}/keys", scope.id)))
        }
        Err(fault) if fault.code == Code::NotFound => Err(PageError::not_found()),
        Err(fault) => {
            let refused = form_errors(&fault, &[], &[]);
            page(&app, &viewer, &scope, &key, refused).await
        }
    }
}

async fn page(
    web: &Web,
    viewer: &Viewer,
    scope: &AccountScope,
    key: &str,
    (status, errors): (StatusCode, Fields),
) -> PageResult {
    let now = web.clock.now();
    let gateway = &web.gateway;
    let (key, found, last_call, closed) = futures::join!(
        gateway.key(scope.id, key),
        gateway.account(scope.id),
        gateway.last_call(scope.id, key),
        closed(web)
    );
    let (key, found) = (key?, found?);
    let graces = graces(&key, &found);
    let name = found.account.map(|account| account.name);
    let mut shell = scope.shell(viewer, &name.unwrap_or_default(), Section::Keys);
    let call = format!("GET /v1/account/keys/{}", key.id);
    shell.api_call = Some(ApiCall::account(call));
    shell.closed = closed;
    let page = KeyPage {
        shell,
        errors,
        account: scope.id.to_string(),
        form: once::new_id(),
        key: row(&key, now),
        expires: time_of(key.expires_at).map(when::minute),
        game: key.game,
        // Without the log of calls, the page leaves the calls out.
        last_call: last_call.ok().flatten().map(|call| last_call_row(&call)),
        graces,
        may_change: scope.role.may(Permission::Develop),
    };
    Ok(html(status, &page))
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
