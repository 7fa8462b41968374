//! The keys of an account, and its requests for live keys.

use axum::Extension;
use axum::extract::{Path, State};
use http::StatusCode;
use pages::keys::{KeyRow, ListPage, RequestRow};
use pages::{ApiCall, Fields, when};
use uuid::Uuid;

use super::{ShownSecret, rights, row, time_of};
use crate::account::{record_done, shell};
use crate::app::{App, Web};
use crate::domain::role::Permission;
use crate::once_form::{self, NoFields, OnceError, OnceForm};
use crate::page_error::PageResult;
use crate::render::{form_errors, html, ok};
use crate::session::once;
use crate::viewer::{AccountScope, ClientInfo, Section, Viewer};

const HEADING: &str = "Your live key";

pub async fn show(
    State(app): State<App>,
    Extension(viewer): Extension<Viewer>,
    Extension(scope): Extension<AccountScope>,
) -> PageResult {
    page(&app, &viewer, &scope, StatusCode::OK, Fields::default()).await
}

pub async fn reveal(
    State(app): State<App>,
    Extension(viewer): Extension<Viewer>,
    Extension(client): Extension<ClientInfo>,
    Extension(scope): Extension<AccountScope>,
    Path((_, request)): Path<(Uuid, String)>,
    OnceForm(NoFields {}, sent): OnceForm<NoFields>,
) -> PageResult {
    let keys = format!("/accounts/{}/keys", scope.id);
    let work = async {
        let actor = viewer.actor(&client);
        let (key, secret) = app.gateway.reveal_key(&actor, scope.id, &request).await?;
        let what = ("key_revealed", key.name.as_str());
        record_done(&app, (&viewer, &client), &scope, what).await;
        Ok(ShownSecret {
            name: key.name,
            secret,
            may_write: key.may_write,
            kind: key.kind,
            mode: key.mode,
            old_ends: None,
        })
    };
    match once_form::run(&app, &viewer, &sent, &keys, work).await {
        Ok(shown) => Ok(ok(&shown.page(&app, &viewer, &scope, HEADING).await)),
        Err(OnceError::Refused(fault)) => {
            let (status, errors) = form_errors(&fault, &[], &[]);
            page(&app, &viewer, &scope, status, errors).await
        }
        Err(OnceError::Page(error)) => Err(error),
    }
}

async fn page(
    web: &Web,
    viewer: &Viewer,
    scope: &AccountScope,
    status: StatusCode,
    errors: Fields,
) -> PageResult {
    let now = web.clock.now();
    let gateway = &web.gateway;
    let (listed, requests, mut shell) = futures::join!(
        gateway.list_keys(scope.id),
        gateway.key_requests(scope.id),
        shell(web, viewer, scope, Section::Keys)
    );
    let listed = listed?;
    // Newest first; keys that have ended last.
    let mut keys: Vec<KeyRow> = listed.keys.iter().rev().map(|key| row(key, now)).collect();
    keys.sort_by_key(|key| !key.state.works);
    let open = requests?.into_iter().filter(|it| it.state != "revealed");
    let requests = open.map(|request| RequestRow {
        rights: rights(
            "live",
            &request.kind,
            request.may_write,
            request.game.as_deref(),
        ),
        asked: time_of(request.asked_at).map(when::day).unwrap_or_default(),
        id: request.id,
        name: request.name,
        state: request.state,
        reason: request.reason.unwrap_or_default(),
        form: once::new_id(),
    });
    shell.api_call = Some(ApiCall::account("GET /v1/account/keys"));
    let page = ListPage {
        shell,
        errors,
        account: scope.id.to_string(),
        keys,
        has_more: listed.left_out,
        requests: requests.collect(),
        may_change: scope.role.may(Permission::Develop),
    };
    Ok(html(status, &page))
}
