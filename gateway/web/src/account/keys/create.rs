//! The form for a new key: it makes a test key at once, and requests a live key.

use axum::Extension;
use axum::extract::State;
use http::StatusCode;
use kit::timestamp;
use pages::keys::{KeyChoices, NewKeyPage};
use pages::{ApiCall, Field, Fields};
use serde::Deserialize;
use time::Date;
use time::macros::format_description;

use super::ShownSecret;
use crate::account::{record_done, shell};
use crate::app::{App, Web};
use crate::once_form::{self, OnceError, OnceForm};
use crate::page_error::PageResult;
use crate::render::{form_errors, html, ok, see_other};
use crate::session::once;
use crate::upstream::gateway::NewKey;
use crate::viewer::{AccountScope, ClientInfo, Section, Viewer};

const HEADING: &str = "Your test key";

#[derive(Debug, Default, Deserialize)]
pub struct KeyForm {
    #[serde(default)]
    name: String,
    #[serde(default)]
    mode: String,
    #[serde(default)]
    kind: String,
    #[serde(default)]
    may_write: String,
    #[serde(default)]
    game: String,
    #[serde(default)]
    expires: String,
}

pub async fn show(
    State(app): State<App>,
    Extension(viewer): Extension<Viewer>,
    Extension(scope): Extension<AccountScope>,
) -> PageResult {
    let form = KeyForm {
        name: "My first key".to_owned(),
        ..KeyForm::default()
    };
    page(
        &app,
        &viewer,
        &scope,
        (StatusCode::OK, &form, Fields::default()),
    )
    .await
}

pub async fn send(
    State(app): State<App>,
    Extension(viewer): Extension<Viewer>,
    Extension(client): Extension<ClientInfo>,
    Extension(scope): Extension<AccountScope>,
    OnceForm(form, sent): OnceForm<KeyForm>,
) -> PageResult {
    let keys = format!("/accounts/{}/keys", scope.id);
    let key = match new_key(&form) {
        Ok(key) => key,
        Err(errors) => {
            let refused = (StatusCode::UNPROCESSABLE_ENTITY, &form, errors);
            return page(&app, &viewer, &scope, refused).await;
        }
    };
    let made = make(&app, (&viewer, &client), &scope, &form, key);
    match once_form::run(&app, &viewer, &sent, &keys, made).await {
        Ok(Some(shown)) => Ok(ok(&shown.page(&app, &viewer, &scope, HEADING).await)),
        // A live key was requested.
        Ok(None) => Ok(see_other(&keys)),
        Err(OnceError::Refused(fault)) => {
            let fields = ["name", "mode", "kind", "may_write", "game", "expires"];
            let (status, errors) = form_errors(&fault, &fields, &[("expires_at", "expires")]);
            page(&app, &viewer, &scope, (status, &form, errors)).await
        }
        Err(OnceError::Page(error)) => Err(error),
    }
}

/// Makes a test key, or requests a live one, which has no secret yet.
async fn make(
    web: &Web,
    (viewer, client): (&Viewer, &ClientInfo),
    scope: &AccountScope,
    form: &KeyForm,
    key: NewKey,
) -> Result<Option<ShownSecret>, OnceError> {
    web.gateway.admit_change().await?;
    let actor = viewer.actor(client);
    let mut shown = ShownSecret {
        name: key.name.clone(),
        secret: String::new(),
        may_write: key.may_write,
        kind: key.kind.clone(),
        mode: super::TEST.to_owned(),
        old_ends: None,
    };
    if form.mode == "live" {
        web.gateway.request_key(&actor, scope.id, key).await?;
        let what = ("key_asked", shown.name.as_str());
        record_done(web, (viewer, client), scope, what).await;
        return Ok(None);
    }
    shown.secret = web.gateway.create_key(&actor, scope.id, key).await?;
    let what = ("key_created", shown.name.as_str());
    record_done(web, (viewer, client), scope, what).await;
    Ok(Some(shown))
}

/// The key that a form describes. The gateway checks the rules; this function refuses only a value that cannot be sent to the gateway.
fn new_key(form: &KeyForm) -> Result<NewKey, Fields> {
    let format = format_description!("[year]-[month]-[day]");
    let expires_at = match form.expires.trim() {
        "" => None,
        text => {
            let date = Date::parse(text, &format);
            let date =
                date.map_err(|_format| Fields::one("expires", "Write the day as 2027-03-31."))?;
            // The key works to the end of that day.
            let end = date.next_day().unwrap_or(date).midnight().assume_utc();
            Some(timestamp::encode(end))
        }
    };
    let game = Some(form.game.trim()).filter(|game| !game.is_empty());
    Ok(NewKey {
        name: form.name.clone(),
        kind: form.kind.clone(),
        may_write: form.may_write == "yes",
        // The form always has the field of a game. For a key of the account, the field is ignored.
        game: game
            .filter(|_| form.kind != "account")
            .map(ToOwned::to_owned),
        expires_at,
    })
}

async fn page(
    web: &Web,
    viewer: &Viewer,
    scope: &AccountScope,
    (status, form, errors): (StatusCode, &KeyForm, Fields),
) -> PageResult {
    let game = Field::text("game", "Game")
        .optional()
        .hint("Its slug, for a key of a game: the end of its address.");
    let expires = Field::date("expires", "Last day")
        .optional()
        .hint("In UTC. A mail comes a week before; without a day, the key does not expire.");
    let mut shell = shell(web, viewer, scope, Section::Keys).await;
    shell.api_call = Some(ApiCall::account("POST /v1/account/keys"));
    let page = NewKeyPage {
        shell,
        account: scope.id.to_string(),
        form: once::new_id(),
        name: Field::text("name", "Name")
            .hint("What the key is for, for example the server that uses it.")
            .value(&form.name)
            .error_in(&errors),
        choices: KeyChoices {
            mode: form.mode.clone(),
            kind: form.kind.clone(),
            may_write: form.may_write == "yes",
        },
        game: game.value(&form.game).error_in(&errors),
        expires: expires.value(&form.expires).error_in(&errors),
        errors,
    };
    Ok(html(status, &page))
}
