//! The page of a person: address, sessions, second factor, language and mails.

use pages::people::{SessionRow, YouPage};
use pages::{Choice, Field, Language};

use super::agent;
use crate::english::{say, texts};
use crate::notice::AfterForm;
use crate::page_error::PageResult;
use crate::render::ok;
use crate::request::PersonRequest;
use crate::store::{people, sessions};
use crate::url_query::UrlQuery;

pub async fn show(request: PersonRequest, UrlQuery(after): UrlQuery<AfterForm>) -> PageResult {
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
    frame.notice = after.notice();
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
        notices: Field::checks("notices", say("you-mails"), vec![notices], 0),
    }))
}
