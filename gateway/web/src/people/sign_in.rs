//! Sign-in with address and password, and sign-out.

use axum::Extension;
use axum::extract::{Query, State};
use http::HeaderMap;
use http::header::SET_COOKIE;
use kit::{Code, Fault};
use pages::people::SignInPage;
use pages::{Field, Shell};
use serde::Deserialize;
use uuid::Uuid;

use super::link;
use crate::app::{App, Web};
use crate::client_info::ClientInfo;
use crate::domain::action::Action;
use crate::domain::email;
use crate::domain::next_page::{self, NextPage};
use crate::domain::percent::encoded;
use crate::form_body::FormBody;
use crate::page_error::PageResult;
use crate::render::{FormState, html, see_other};
use crate::session::limits::{self, LimitReached};
use crate::session::sessions::Stage;
use crate::store::activity::{self, NewEntry};
use crate::store::people;
use crate::viewer::{NewSession, Viewer, begin_session};

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub struct Input {
    email: String,
    password: String,
    next: String,
}

pub async fn show(
    State(app): State<App>,
    Extension(viewer): Extension<Option<Viewer>>,
    Query(next): Query<NextPage>,
) -> PageResult {
    let next = next_page::path(&next.next);
    if viewer.is_some() {
        return Ok(see_other(next));
    }
    page(&app, None, next, FormState::default()).await
}

pub async fn send(
    State(app): State<App>,
    Extension(client): Extension<ClientInfo>,
    headers: HeaderMap,
    FormBody(form): FormBody<Input>,
) -> PageResult {
    let (now, next) = (app.clock.now(), next_page::path(&form.next));
    let refuse = async |fault: Fault| {
        let refused = FormState::refused(&fault, &[]);
        page(&app, Some(&form.email), next, refused).await
    };
    // A text that is not an address gets the same steps as an unknown address, so that both take the same time.
    let address = email::parse(&form.email).unwrap_or_default();
    if let Err(reached) = count(&app, &address, &client).await? {
        let mut fault = reached.too_many("tries");
        fault.message = format!("{} You can also set a new password.", fault.message).into();
        return refuse(fault).await;
    }
    let person = people::by_email(&app.pool, &address).await?;
    let stored = person.as_ref().map(|person| person.password_hash.as_str());
    let checked = match app.passwords.check(&form.password, stored).await {
        Ok(checked) => checked,
        Err(fault) => return refuse(fault).await,
    };
    let Some(person) = person.filter(|_| checked.is_right) else {
        let text = "The address or the password is wrong.";
        return refuse(Fault::new(Code::Invalid, text)).await;
    };
    if checked.is_outdated {
        let hash = app.passwords.hash(&form.password).await?;
        people::upgrade_hash(&app.pool, person.id, &person.password_hash, &hash).await?;
    }
    let (stage, path) = if person.totp_secret.is_some() {
        let next = encoded(next);
        (Stage::SecondFactor, format!("/sign-in/code?next={next}"))
    } else {
        let entry = NewEntry::new(person.id, &person.email, &client, Action::SignedIn);
        activity::insert(&app.pool, entry, now).await?;
        (Stage::SignedIn, next.to_owned())
    };
    end_session(&app, &headers).await?;
    let session = NewSession {
        person: person.id,
        version: person.credential_version,
        stage,
    };
    let mut response = see_other(&path);
    begin_session(&app, session, &client, &mut response).await?;
    Ok(response)
}

/// Counts a try per person and network, per network, and per person.
async fn count(
    web: &Web,
    address: &str,
    client: &ClientInfo,
) -> Result<Result<(), LimitReached>, Fault> {
    let (now, network) = (web.clock.now(), client.network());
    let both = format!("{address} {network}");
    for (limit, subject) in [
        (limits::SIGN_IN, both.as_str()),
        (limits::SIGN_IN_FROM, network.as_str()),
    ] {
        let counted = web.limits.count(limit, subject, now).await?;
        if counted.is_err() {
            return Ok(counted);
        }
    }
    let of_person = web.limits.count(limits::SIGN_IN_OF_PERSON, address, now);
    let of_person = of_person.await?;
    // Wrong passwords from other networks do not lock the person out of a network with an earlier sign-in.
    if of_person.is_err() && has_signed_in_from(web, address, &network).await? {
        return Ok(Ok(()));
    }
    Ok(of_person)
}

/// Whether the person with this address has signed in from a network before. For an unknown address, the steps are the same.
async fn has_signed_in_from(web: &Web, address: &str, network: &str) -> Result<bool, Fault> {
    let person = people::by_email(&web.pool, address).await?;
    let id = person.map_or(Uuid::nil(), |person| person.id);
    let now = web.clock.now();
    web.sessions.knows_network(id, network, now).await
}

/// Ends the session of a request's cookie, if there is one.
async fn end_session(web: &Web, headers: &HeaderMap) -> Result<(), Fault> {
    let Some(token) = web.cookie.token(headers) else {
        return Ok(());
    };
    let hash = token.hash();
    if let Some(session) = web.sessions.find(hash, web.clock.now()).await? {
        web.sessions.end_of(session.person, hash).await?;
    }
    Ok(())
}

/// Ends the session, and redirects to the next page if the request names one.
pub async fn sign_out(
    State(app): State<App>,
    headers: HeaderMap,
    Query(next): Query<NextPage>,
) -> PageResult {
    end_session(&app, &headers).await?;
    let mut response = see_other(if next.next.is_empty() {
        "/?done=signed-out"
    } else {
        next_page::path(&next.next)
    });
    if let Some(cookie) = app.cookie.clear() {
        response.headers_mut().insert(SET_COOKIE, cookie);
    }
    Ok(response)
}

/// The page, with the typed address. Before anything is typed, it has the address of the invitation that it leads to.
async fn page(web: &Web, typed: Option<&str>, next: &str, state: FormState) -> PageResult {
    let FormState { status, errors } = state;
    let invitation = link::invitation(web, next).await?.unwrap_or_default();
    let page = SignInPage {
        shell: Shell::default(),
        reason: invitation.text,
        email: Field::email("email", "E-mail").value(typed.unwrap_or(&invitation.email)),
        password: Field::password("password", "Password"),
        next: next.to_owned(),
        sign_up: match next_page::after_sign_up(next) {
            Some(next) => {
                let next = encoded(next);
                format!("/sign-up?next={next}")
            }
            None => "/sign-up".to_owned(),
        },
        errors,
    };
    Ok(html(status, &page))
}
