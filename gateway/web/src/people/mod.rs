//! People: sign-up, sign-in, links in mails, and what a person may change.

pub mod activity;
mod confirmation;
pub mod delete;
pub mod email;
pub mod link;
mod link_actions;
pub mod link_mail;
pub mod password;
pub mod reset;
pub mod second_factor;
pub mod sessions;
pub mod sign_in;
pub mod sign_up;
pub mod totp;

use axum::response::Response;
use http::StatusCode;
use sqlx::PgExecutor;
use time::OffsetDateTime;

use crate::app::Web;
use crate::page_error::PageError;
use crate::store::activity::{self as store, NewEntry};
use crate::store::people::Person;
use crate::viewer::{ClientInfo, Viewer, begin_session};

/// Records a person's action that concerns no account.
async fn record(
    executor: impl PgExecutor<'_>,
    person: &Person,
    client: &ClientInfo,
    action: &'static str,
    now: OffsetDateTime,
) -> Result<(), sqlx::Error> {
    let entry = NewEntry {
        account: None,
        person: person.id,
        email: &person.email,
        action,
        subject: "",
        address: &client.address(),
        agent: &client.agent,
    };
    store::insert(executor, entry, now).await
}

/// The error if a person's credentials have changed after the access layer has checked the session. The session has ended, and the request
/// has done nothing.
fn sign_in_again() -> PageError {
    let text = "Your password, address or second factor was changed meanwhile, or your sessions were ended, so nothing was done. Sign in again.";
    PageError::new(StatusCode::UNAUTHORIZED, "Sign in again", text).way_out("/sign-in", "Sign in")
}

/// Begins a new session for a person whose sessions have all been ended. The change that ended them is done, so a failure is only logged:
/// the response is still sent, and the person signs in again.
async fn renew_session(
    web: &Web,
    viewer: &Viewer,
    version: i32,
    client: &ClientInfo,
    mut response: Response,
) -> Response {
    let (person, stage) = (viewer.person.id, viewer.session.stage);
    let renewed = async {
        begin_session(web, person, version, stage, client, &mut response).await?;
        web.sessions.end_of(person, viewer.token.hash()).await
    };
    if let Err(fault) = renewed.await {
        tracing::warn!(%fault, "a person must sign in again after a change of credentials");
    }
    response
}
