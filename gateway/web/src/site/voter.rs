//! The voter of a request: an account of the signed-in person, or a cookie.

use axum::response::Response;
use contracts::catalogue::v1 as proto;
use http::HeaderMap;
use http::header::SET_COOKIE;
use time::Duration;
use uuid::Uuid;

use super::voter_cookie;
use crate::app::Web;
use crate::client_info::ClientInfo;
use crate::request::Viewer;
use crate::store::members;

const COOKIE: &str = "voter";
/// The most other accounts of a person that catalogue-svc accepts.
const MOST_OTHERS: usize = 1_000;
const YEAR: Duration = Duration::days(365);

/// A voter.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Voter {
    /// The account that the person joined first, and the person's other accounts.
    Account(Uuid, Vec<Uuid>),
    Cookie(Uuid),
}

impl Voter {
    /// The voter of a request. Without PostgreSQL nobody is signed in, and people vote by cookie.
    pub(super) async fn find(app: &Web, headers: &HeaderMap) -> Option<Self> {
        if let Some((account, others)) = accounts(app, headers).await {
            return Some(Self::Account(account, others));
        }
        let value = app.cookie.value(headers, COOKIE)?;
        voter_cookie::voter(&app.key_ring, value).map(Self::Cookie)
    }

    /// A new voter, with the value of the cookie.
    pub(super) fn issue(app: &Web) -> (Self, String) {
        let (id, value) = voter_cookie::issue(&app.key_ring);
        (Self::Cookie(id), value)
    }

    pub(super) fn message(&self, client: &ClientInfo) -> proto::Voter {
        let (voter, others) = match self {
            Self::Account(account, others) => {
                (proto::voter::Voter::AccountId(account.to_string()), others.as_slice())
            }
            Self::Cookie(id) => (proto::voter::Voter::CookieId(id.to_string()), [].as_slice()),
        };
        proto::Voter {
            voter: Some(voter),
            other_account_ids: others.iter().map(Uuid::to_string).collect(),
            address: client.address(),
        }
    }
}

async fn accounts(app: &Web, headers: &HeaderMap) -> Option<(Uuid, Vec<Uuid>)> {
    let viewer = Viewer::find(app, headers, app.clock.now())
        .await
        .ok()
        .flatten()
        .filter(Viewer::is_signed_in)?;
    let memberships = members::of_person(&app.pool, viewer.person.id).await;
    let mut accounts = memberships.ok()?.into_iter().map(|it| it.account);
    Some((accounts.next()?, accounts.take(MOST_OTHERS).collect()))
}

/// Sets the cookie of a voter.
pub(super) fn remember(app: &Web, value: &str, response: &mut Response) {
    if let Some(cookie) = app.cookie.set_value(COOKIE, value, YEAR) {
        response.headers_mut().append(SET_COOKIE, cookie);
    }
}
