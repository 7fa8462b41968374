//! A person's own page, with the sessions.

use axum::extract::Path;
use http::HeaderMap;
use pages::people::{SessionRow, YouPage};
use pages::{Choice, Field, Language};

use super::agent;
use crate::domain::action::Action;
use crate::domain::session_token::TokenHash;
use crate::english::{say, texts};
use crate::notice::AfterForm;
use crate::page_error::{PageError, PageResult};
use crate::page_language::PageLanguage;
use crate::render::{ok, see_other};
use crate::request::PersonRequest;
use crate::store::{people, sessions};
use crate::url_query::UrlQuery;

pub async fn show(request: PersonRequest, UrlQuery(done): UrlQuery<AfterForm>) -> PageResult {
    let (app, viewer, person) = (&request.app, &request.viewer, request.person());
    let now = app.clock.now();
    let sessions = sessions::of_person(&app.pool, person.id, app.session_lifetimes, now);
    let current = viewer.token.hash();
    let rows = sessions.await?.into_iter().map(|(hash, session)| SessionRow {
        id: hash.hex(),
        agent: agent::name(texts(), &session.agent),
        address: session.address,
        since: texts().minute(session.since),
        last_seen: texts().minute(session.seen),
        is_current: hash == current,
    });
    let left = people::count_recovery_codes(&app.pool, person.id).await?;
    let mut frame = request.viewer.frame();
    frame.notice = done.notice();
    let languages = Language::ALL.map(|it| Choice {
        value: it.code().to_owned(),
        label: it.name().to_owned(),
        is_chosen: it == person.language(),
    });
    let notices = Choice {
        value: "on".to_owned(),
        label: say("you-notices").to_owned(),
        is_chosen: person.wants_notices,
    };
    Ok(ok(&YouPage {
        frame,
        email: person.email.clone(),
        sessions: rows.collect(),
        has_totp: person.totp_secret.is_some(),
        recovery_codes: u64::try_from(left).unwrap_or_default(),
        language: Field::select("language", say("you-language"), languages.into()),
        notices: Field::checks("notices", say("you-mails"), vec![notices]),
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
    sessions::end_of(&app.pool, viewer.person.id, hash).await?;
    if hash != viewer.token.hash() {
        return Ok(see_other("/you?done=session"));
    }
    let language = PageLanguage::from_person(&viewer.person);
    let mut response = language.redirect_signed_out(&headers, "signed-out");
    app.cookie.clear(response.headers_mut());
    Ok(response)
}

pub async fn end_others(request: PersonRequest) -> PageResult {
    let app = &request.app;
    let mut transaction = kit::pg::begin(&app.pool).await?;
    request.lock(&mut transaction).await?;
    request.record_own(&mut *transaction, Action::SessionsEnded).await?;
    // This session gets another token, so that a copy of its cookie stops working as well.
    let session = request.renew_session(&mut transaction).await?;
    transaction.commit().await?;
    let mut response = see_other("/you?done=sessions");
    session.add_cookies(app, &mut response);
    Ok(response)
}
