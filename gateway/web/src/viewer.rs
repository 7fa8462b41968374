//! The person of a request.

use axum::response::Response;
use http::HeaderMap;
use kit::Fault;
use pages::Shell;
use pages::shell::{AccountNav, NavLink};
use time::OffsetDateTime;
use uuid::Uuid;

use crate::app::Web;
use crate::client_info::ClientInfo;
use crate::domain::role::{Permission, Role};
use crate::domain::session_token::Token;
use crate::session::sessions::{Session, Stage};
use crate::store::people::{self, Person};
use crate::upstream::gateway::Actor;

/// A person with a session. It may still wait for the second factor.
#[derive(Debug, Clone)]
pub struct Viewer {
    pub person: Person,
    pub session: Session,
    pub token: Token,
}

impl Viewer {
    /// Finds the person of a request's cookie.
    pub async fn find(
        app: &Web,
        headers: &HeaderMap,
        now: OffsetDateTime,
    ) -> Result<Option<Self>, Fault> {
        let Some(token) = app.cookie.token(headers) else {
            return Ok(None);
        };
        let Some(session) = app.sessions.find(token.hash(), now).await? else {
            return Ok(None);
        };
        let person = people::by_id(&app.pool, session.person).await?;
        // A change of the credentials raises the version.
        let person = person.filter(|person| person.credential_version == session.version);
        let Some(person) = person else {
            return Ok(None);
        };
        // A Redis that only reads, for example because it is full, signs nobody out.
        if let Err(fault) = app.sessions.touch(token.hash(), &session, now).await {
            tracing::warn!(%fault, "a session was seen, and ends as if it was not");
        }
        Ok(Some(Self {
            person,
            session,
            token,
        }))
    }

    pub fn is_signed_in(&self) -> bool {
        self.session.stage == Stage::SignedIn
    }

    /// The frame of a page of the dashboard.
    pub fn shell(&self) -> Shell {
        Shell {
            person: Some(self.person.email.clone()),
            ..Shell::default()
        }
    }

    pub fn actor(&self, client: &ClientInfo) -> Actor {
        Actor {
            person: self.person.id,
            address: client.address(),
        }
    }
}

/// A session to begin.
#[derive(Debug, Clone, Copy)]
pub struct NewSession {
    pub person: Uuid,
    /// The version of the person's credentials.
    pub version: i32,
    pub stage: Stage,
}

/// Stores a new session, and adds its cookies to the response. A session has a new token at each sign-in, so that nobody can prepare one.
pub async fn begin_session(
    app: &Web,
    new: NewSession,
    client: &ClientInfo,
    response: &mut Response,
) -> Result<(), Fault> {
    let now = app.clock.now();
    let session = Session {
        person: new.person,
        version: new.version,
        stage: new.stage,
        since: now,
        seen: now,
        address: client.address(),
        agent: client.agent.clone(),
    };
    let token = app.sessions.create(&session).await?;
    let (most, headers) = (app.sessions.lifetimes.most, response.headers_mut());
    let is_signed_in = new.stage == Stage::SignedIn;
    app.cookie.store(&token, is_signed_in, most, headers);
    if is_signed_in {
        let network = client.network();
        (app.sessions)
            .remember_network(new.person, &network, now)
            .await?;
    }
    Ok(())
}

/// An account that a page is about, and the role of its viewer.
#[derive(Debug, Clone, Copy)]
pub struct AccountScope {
    pub id: Uuid,
    pub role: Role,
}

/// The parts of an account's pages.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Section {
    Today,
    Keys,
    Usage,
    Requests,
    Webhooks,
    Listings,
    Economy,
    Team,
    Activity,
}

impl AccountScope {
    /// The frame of a page of this account. `name` is the account's.
    pub fn shell(&self, viewer: &Viewer, name: &str, section: Section) -> Shell {
        let link = |target: Section, path: &str, label| NavLink {
            href: format!("/accounts/{}{path}", self.id),
            label,
            is_current: target == section,
        };
        let mut links = vec![
            link(Section::Today, "", "account-nav-today"),
            link(Section::Keys, "/keys", "account-nav-keys"),
            link(Section::Usage, "/usage", "account-nav-usage"),
            link(Section::Requests, "/requests", "account-nav-requests"),
            link(Section::Webhooks, "/webhooks", "account-nav-webhooks"),
            link(Section::Listings, "/listings", "account-nav-listings"),
            link(Section::Economy, "/economy", "account-nav-economy"),
            link(Section::Team, "/team", "account-nav-team"),
        ];
        if self.role.may(Permission::Manage) {
            let activity = link(Section::Activity, "/activity", "account-nav-activity");
            links.push(activity);
        }
        Shell {
            account: Some(AccountNav {
                id: self.id.to_string(),
                name: name.to_owned(),
                links,
            }),
            ..viewer.shell()
        }
    }
}
