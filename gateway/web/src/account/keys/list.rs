//! The keys of an account, and its requests for live keys.

use axum::extract::Path;
use pages::keys::{KeyRow, ListPage, RequestRow};
use pages::when;
use uuid::Uuid;

use super::{ShownSecret, rights, row};
use crate::account::member_request::MemberRequest;
use crate::domain::action::Action;
use crate::domain::role::Permission;
use crate::once_form::{NoFields, OnceForm};
use crate::page_error::PageResult;
use crate::render::{FormState, html, ok};
use crate::session::once;
use crate::upstream::time_of;
use crate::viewer::Section;

/// The heading of a revealed key: the key of a text.
const HEADING: &str = "key-secret-live";

pub async fn show(request: MemberRequest) -> PageResult {
    page(&request, FormState::default()).await
}

pub async fn reveal(
    request: MemberRequest,
    Path((_, id)): Path<(Uuid, String)>,
    OnceForm(NoFields {}, sent): OnceForm<NoFields>,
) -> PageResult {
    let work = async {
        let (gateway, account) = (&request.app.gateway, request.scope.id);
        let (key, secret) = gateway.reveal_key(&request.actor(), account, &id).await?;
        request.record(Action::KeyRevealed, &key.name).await;
        Ok(ShownSecret::new(key, secret))
    };
    match request.once(&sent, &request.path("/keys"), work).await? {
        Ok(shown) => Ok(ok(&shown.page(&request, HEADING).await)),
        Err(fault) => {
            let refused = request.language().refused(&fault, &[], &[]);
            page(&request, refused).await
        }
    }
}

async fn page(request: &MemberRequest, state: FormState) -> PageResult {
    let (now, account) = (request.app.clock.now(), request.scope.id);
    let (gateway, language) = (&request.app.gateway, request.language());
    let (listed, requests, shell) = futures::join!(
        gateway.keys(account),
        gateway.key_requests(account),
        request.shell(Section::Keys)
    );
    let listed = listed?;
    let mut keys: Vec<KeyRow> = listed.iter().map(|key| row(language, key, now)).collect();
    // A key does not work without its game either.
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
        form: once::new_id(),
    });
    let page = ListPage {
        shell,
        errors: state.errors,
        account: account.to_string(),
        keys,
        requests: requests.collect(),
        may_change: request.may(Permission::Develop),
    };
    Ok(html(state.status, &page))
}
