//! A person's own page, with the sessions.

use axum::extract::{Path, Query};
use http::HeaderMap;
use pages::input::{Checks, Choice, Select};
use pages::people::{SessionRow, YouPage};
use pages::site::Language;
use pages::when;

use super::sign_in_again;
use crate::domain::action::Action;
use crate::domain::agent;
use crate::domain::session_token::TokenHash;
use crate::notice::AfterForm;
use crate::page_error::{PageError, PageResult};
use crate::page_language::PageLanguage;
use crate::person_request::PersonRequest;
use crate::render::{ok, see_other};
use crate::store::people;

pub async fn show(request: PersonRequest, Query(done): Query<AfterForm>) -> PageResult {
    let (app, viewer, person) = (&request.app, &request.viewer, request.person());
    let language = request.language();
    let texts = language.texts();
    let now = app.clock.now();
    let sessions = app
        .sessions
        .of_person(person.id, person.credential_version, now);
    let current = viewer.token.hash();
    let rows = sessions
        .await?
        .into_iter()
        .map(|(hash, session)| SessionRow {
            id: hash.hex(),
            agent: agent::name(texts, &session.agent),
            address: session.address,
            since: when::minute(texts, session.since),
            last_seen: when::minute(texts, session.seen),
            is_current: hash == current,
        });
    let left = people::count_recovery_codes(&app.pool, person.id).await?;
    let mut shell = request.viewer.shell();
    shell.notice = done.notice();
    let languages = Language::ALL.map(|it| Choice {
        value: it.code().to_owned(),
        label: it.name().to_owned(),
        is_chosen: it == person.language(),
    });
    let notices = Choice {
        value: "on".to_owned(),
        label: language.say("you-notices").to_owned(),
        is_chosen: person.wants_notices,
    };
    Ok(ok(&YouPage {
        shell,
        email: person.email.clone(),
        sessions: rows.collect(),
        has_totp: person.totp_secret.is_some(),
        recovery_codes: u64::try_from(left).unwrap_or_default(),
        language: Select::new("language", language.say("you-language"), languages.into()),
        notices: Checks::new("notices", language.say("you-mails"), vec![notices]),
    }))
}

/// Ends one session. The end of the current one signs the person out.
pub async fn end(
    request: PersonRequest,
    headers: HeaderMap,
    Path(session): Path<String>,
) -> PageResult {
    let (app, viewer) = (&request.app, &request.viewer);
    let hash = TokenHash::from_hex(&session).ok_or_else(PageError::not_found)?;
    app.sessions.end_of(viewer.person.id, hash).await?;
    if hash != viewer.token.hash() {
        return Ok(see_other("/you?done=session"));
    }
    let language = PageLanguage::of_person(&viewer.person);
    let mut response = language.goodbye(&headers, "signed-out");
    app.cookie.clear(response.headers_mut());
    Ok(response)
}

pub async fn end_others(request: PersonRequest) -> PageResult {
    let (app, person) = (&request.app, request.person());
    // The version in PostgreSQL ends all sessions, also those that Redis does not list.
    let ended = people::end_sessions(&app.pool, person).await?;
    let version = ended.ok_or_else(sign_in_again)?;
    request.record_own(&app.pool, Action::SessionsEnded).await?;
    let response = see_other("/you?done=sessions");
    Ok(request.renew_session(version, response).await)
}
