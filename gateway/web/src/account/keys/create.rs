//! The form for a new key: it makes a test key at once, and requests a live key.

use std::time::Duration;

use contracts::common::v1::PageInfo;
use contracts::gateway::v1::KeyKind;
use kit::Fault;
use pages::form::Part;
use pages::keys::{KeyChoices, NewKeyPage};
use pages::{Choice, Field, Fields};
use serde::Deserialize;
use tokio::time::timeout;

use super::{KeyEffect, shown_once};
use crate::account::effect::Effect;
use crate::account::member_request::MemberRequest;
use crate::domain::action::Action;
use crate::english::say;
use crate::once_form::{self, OnceForm};
use crate::page_error::PageResult;
use crate::render::{FormState, html};
use crate::request::Section;
use crate::upstream::gateway::NewKey;

/// How long the form waits for the account's games.
const WAIT: Duration = Duration::from_secs(3);

const FIELDS: [&str; 5] = ["name", "mode", "kind", "may_write", "game"];

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub struct KeyForm {
    name: String,
    mode: String,
    kind: String,
    may_write: String,
    game: String,
}

pub async fn show(request: MemberRequest) -> PageResult {
    let form = KeyForm { name: say("key-first-name").to_owned(), ..KeyForm::default() };
    page(&request, &form, FormState::default()).await
}

/// Makes a test key, or requests a live one, which has no secret yet.
pub async fn send(request: MemberRequest, OnceForm(form, sent): OnceForm<KeyForm>) -> PageResult {
    let (gateway, account) = (&request.app.gateway, request.scope.id);
    let (keys, actor) = (request.path("/keys"), request.actor());
    let work = async {
        let key = new_key(&form)?;
        if form.mode == "live" {
            let asked = gateway.request_key(&actor, account, key, sent).await?;
            let id = asked.id.parse().ok();
            return Ok(Effect::shown_at(Action::KeyAsked, asked.name, &keys).once(id));
        }
        let made = gateway.create_key(&actor, account, key, sent).await?;
        Ok(shown_once(&request, KeyEffect::Created, made, None).await)
    };
    let page = async |state| page(&request, &form, state).await;
    request.answer(work, &FIELDS, page).await
}

/// The key that a form describes. The gateway checks the rules.
fn new_key(form: &KeyForm) -> Result<NewKey, Fault> {
    let game = Some(form.game.trim()).filter(|game| !game.is_empty());
    let kind = match form.kind.as_str() {
        "" | "account" => KeyKind::Account,
        "secret" => KeyKind::Secret,
        "public" => KeyKind::Public,
        _ => return Err(Fault::invalid_field("kind", say("key-kind-wrong"))),
    };
    Ok(NewKey {
        name: form.name.clone(),
        kind,
        may_write: form.may_write == "yes",
        // The form always has the field of a game. For a key of the account, the field is ignored.
        game: game.filter(|_| form.kind != "account").map(ToOwned::to_owned),
    })
}

/// The game of a key: one of the account's. While listings-svc is unavailable, its slug is typed.
async fn game_field(request: &MemberRequest, typed: &str, errors: &Fields) -> Part {
    let typed = typed.trim();
    let label = say("key-game");
    let listed = request.app.listings.list(request.scope.id, "");
    let listed = timeout(WAIT, listed).await;
    // The first page may lack games of an account with many listings; then the slug is typed.
    let is_whole =
        |page: &Option<PageInfo>| page.as_ref().is_none_or(|page| page.next_cursor.is_none());
    let listed = listed.ok().and_then(Result::ok);
    let Some((listings, _)) = listed.filter(|(_, page)| is_whole(page)) else {
        let field =
            Field::text("game", label).optional().value(typed).hint(say("key-game-slug-hint"));
        return Part::Field(field.error_in(errors));
    };
    let games = listings.into_iter().filter(|it| it.kind == "game");
    let mut values: Vec<(String, String)> = games
        .map(|game| {
            let label = format!("{} ({})", game.title, game.slug);
            (game.slug, label)
        })
        .collect();
    let hint = if values.is_empty() { "key-game-none-hint" } else { "key-game-hint" };
    if !typed.is_empty() && values.iter().all(|(slug, _)| slug != typed) {
        values.push((typed.to_owned(), typed.to_owned()));
    }
    values.insert(0, (String::new(), say("key-game-none").to_owned()));
    let choices =
        values.into_iter().map(|(value, label)| Choice { is_chosen: value == typed, value, label });
    let select = Field::select("game", label, choices.collect()).optional();
    Part::Field(select.hint(say(hint)).error_in(errors))
}

async fn page(request: &MemberRequest, form: &KeyForm, state: FormState) -> PageResult {
    let errors = state.errors;
    let (frame, game) =
        futures::join!(request.frame(Section::Keys), game_field(request, &form.game, &errors));
    let page = NewKeyPage {
        frame,
        account: request.scope.id.to_string(),
        form: once_form::new_id(),
        name: Field::text("name", say("key-name"))
            .hint(say("key-name-hint"))
            .value(&form.name)
            .error_in(&errors),
        choices: KeyChoices {
            mode: form.mode.clone(),
            kind: form.kind.clone(),
            may_write: form.may_write == "yes",
        },
        game,
        errors,
    };
    Ok(html(state.status, &page))
}
