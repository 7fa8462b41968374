//! One key: rotation and revocation.

use axum::Extension;
use axum::extract::{Path, State};
use contracts::gateway::v1 as proto;
use http::StatusCode;
use kit::Code;
use pages::keys::KeyPage;
use pages::{ApiCall, Fields, when};
use serde::Deserialize;
use uuid::Uuid;

use super::{SELF, ShownSecret, row, time_of};
use crate::account::{closed, record};
use crate::app::{App, Web};
use crate::domain::role::Permission;
use crate::form_body::FormBody;
use crate::page_error::{PageError, PageResult};
use crate::render::{form_errors, html, ok, see_other};
use crate::session::once::{self, Claim};
use crate::viewer::{AccountScope, ClientInfo, Section, Viewer};

const HEADING: &str = "The new secret";

/// Grace periods to choose from, in seconds; those that the gateway allows are shown.
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
    form: String,
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
    FormBody(form): FormBody<RotateForm>,
) -> PageResult {
    let list = format!("/accounts/{}/keys", scope.id);
    let Ok(grace) = form.grace.parse() else {
        let errors = Fields::one("grace_seconds", "Choose one of the times.");
        let refused = (StatusCode::UNPROCESSABLE_ENTITY, errors);
        return page(&app, &viewer, &scope, &key, refused).await;
    };
    let id = match app.forms.claim(&viewer.token, &form.form).await? {
        Claim::First(id) => id,
        Claim::Done(text) => {
            let shown = ShownSecret::parse(&text);
            let shown = shown.ok_or_else(|| PageError::outcome_unknown(&list))?;
            return Ok(ok(&shown.page(&app, &viewer, &scope, HEADING).await));
        }
        Claim::Unknown => return Err(PageError::outcome_unknown(&list)),
    };
    let actor = viewer.actor(&client);
    match app.gateway.rotate_key(&actor, scope.id, &key, grace).await {
        Ok((old, secret)) => {
            let shown = ShownSecret {
                name: old.name,
                secret,
                may_write: old.may_write,
                kind: old.kind,
                mode: old.mode,
                old_until: time_of(old.grace_until).map(when::minute),
            };
            // The secret exists and must be shown, whatever happens to the rest.
            if let Err(fault) = app.forms.store(&viewer.token, &id, &shown.text()).await {
                tracing::warn!(%fault, "a form that is sent twice will not show its key again");
            }
            let what = ("key_rotated", shown.name.as_str());
            let now = app.clock.now();
            if let Err(fault) = record(&app.pool, (&viewer, &client), &scope, what, now).await {
                tracing::warn!(%fault, "the activity of a rotation is not recorded");
            }
            Ok(ok(&shown.page(&app, &viewer, &scope, HEADING).await))
        }
        Err(fault) => {
            if fault.code != Code::OutcomeUnknown {
                app.forms.release(&viewer.token, &id).await?;
            }
            let refused = form_errors(&fault, &["grace_seconds"], &[]);
            page(&app, &viewer, &scope, &key, refused).await
        }
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
            record(&app.pool, (&viewer, &client), &scope, what, app.clock.now()).await?;
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
    let (key, found, closed) = futures::join!(
        gateway.key(scope.id, key),
        gateway.account(scope.id),
        closed(web)
    );
    let (key, found) = (key?, found?);
    let graces = graces(&key, &found);
    let name = found.account.map(|account| account.name);
    let mut shell = scope.shell(viewer, &name.unwrap_or_default(), Section::Keys);
    shell.api_call = Some(ApiCall::new(SELF, "GET /v1/me"));
    shell.closed = closed;
    let page = KeyPage {
        shell,
        errors,
        account: scope.id.to_string(),
        form: once::new_id(),
        key: row(&key, now),
        expires: time_of(key.expires_at).map(when::minute),
        game: key.game,
        graces,
        may_change: scope.role.may(Permission::Develop),
    };
    Ok(html(status, &page))
}

/// The grace periods that a rotation of this key may have, longest first; none if it was rotated.
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
