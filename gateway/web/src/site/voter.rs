//! Who votes: an account of the person who is signed in, or a cookie.

use axum::response::Response;
use contracts::catalogue::v1 as proto;
use http::HeaderMap;
use http::header::SET_COOKIE;
use kit::Fault;
use time::Duration;
use uuid::Uuid;

use crate::app::Web;
use crate::domain::voter_cookie;
use crate::store::members;
use crate::viewer::{ClientInfo, Viewer};

const COOKIE: &str = "voter";
const YEAR: Duration = Duration::days(365);

/// A voter.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Voter {
    /// The account in which the person has been for longest.
    Account(Uuid),
    Cookie(Uuid),
}

impl Voter {
    /// The voter of a request. Without Redis or PostgreSQL nobody is signed in, and people vote by cookie.
    pub(super) async fn find(web: &Web, headers: &HeaderMap) -> Option<Self> {
        if let Some(account) = account(web, headers).await {
            return Some(Self::Account(account));
        }
        let value = web.cookie.value(headers, COOKIE)?;
        voter_cookie::voter(&web.key_ring, value).map(Self::Cookie)
    }

    /// A new voter, with the value of the cookie.
    pub(super) fn issue(web: &Web) -> Result<(Self, String), Fault> {
        let issued = voter_cookie::issue(&web.key_ring);
        let (id, value) = issued.map_err(|error| Fault::internal(&error))?;
        Ok((Self::Cookie(id), value))
    }

    pub(super) fn message(&self, client: &ClientInfo) -> proto::Voter {
        let voter = match self {
            Self::Account(account) => proto::voter::Voter::AccountId(account.to_string()),
            Self::Cookie(id) => proto::voter::Voter::Cookie(proto::CookieVoter {
                id: id.to_string(),
                address: client.address(),
            }),
        };
        proto::Voter { voter: Some(voter) }
    }
}

async fn account(web: &Web, headers: &HeaderMap) -> Option<Uuid> {
    let viewer = Viewer::find(web, headers, web.clock.now()).await;
    let viewer = viewer.ok().flatten().filter(Viewer::is_signed_in)?;
    let memberships = members::of_person(&web.pool, viewer.person.id).await;
    Some(memberships.ok()?.first()?.account)
}

/// Sets the cookie of a voter.
pub(super) fn remember(web: &Web, value: &str, response: &mut Response) {
    set(web, COOKIE, value, YEAR, response);
}

/// Sets a cookie of the page where people vote.
pub(super) fn set(web: &Web, name: &str, value: &str, age: Duration, response: &mut Response) {
    if let Some(cookie) = web.cookie.set_value(name, value, age) {
        response.headers_mut().append(SET_COOKIE, cookie);
    }
}
