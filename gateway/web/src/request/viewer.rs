//! The person of a request.

use axum::response::Response;
use http::HeaderMap;
use http::header::SET_COOKIE;
use pages::{AccountNav, Frame, Language, Link, Tab, Texts};
use sqlx::{PgConnection, PgExecutor};
use time::OffsetDateTime;
use uuid::Uuid;

use crate::app::Web;
use crate::client_info::ClientInfo;
use crate::domain::device;
use crate::domain::role::{Permission, Role};
use crate::domain::session_token::Token;
use crate::domain::subject::Subject;
use crate::store::people::Person;
use crate::store::sessions::{self, Session, Stage};
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
    ) -> Result<Option<Self>, sqlx::Error> {
        let found = Self::find_with_role(app, headers, None, now).await?;
        Ok(found.map(|(viewer, _)| viewer))
    }

    /// Finds the person of a request's cookie, and the role in this account. The request is counted before: the cookie may be made up.
    pub async fn find_with_role(
        app: &Web,
        headers: &HeaderMap,
        account: Option<Uuid>,
        now: OffsetDateTime,
    ) -> Result<Option<(Self, Option<Role>)>, sqlx::Error> {
        let Some(token) = app.cookie.token(headers) else {
            return Ok(None);
        };
        let hash = token.hash();
        let found = sessions::find(&app.pool, hash, account, app.session_lifetimes, now).await?;
        let Some((person, session, role)) = found else {
            return Ok(None);
        };
        // While PostgreSQL only reads, sessions go on.
        if let Err(error) = sessions::touch(&app.pool, hash, &session, now).await {
            tracing::warn!(%error, "a session is not prolonged");
        }
        let viewer = Self { person, session, token };
        Ok(Some((viewer, role)))
    }

    pub fn is_signed_in(&self) -> bool {
        self.session.stage == Stage::SignedIn
    }

    /// The subject of limits. Before the second factor it is the session, because a thief may
    /// know the password.
    pub fn subject(&self) -> Subject {
        match self.session.stage {
            Stage::SignedIn => Subject::Person(self.person.id),
            Stage::SecondFactor => Subject::Session(self.token.hash()),
        }
    }

    /// The frame of a page of the dashboard.
    pub fn frame(&self) -> Frame {
        Frame { person: Some(self.person.email.clone()), ..Frame::default() }
    }

    pub fn actor(&self, client: &ClientInfo) -> Actor {
        Actor { person: self.person.id, address: client.address() }
    }
}

/// A session that was begun.
pub struct NewSession {
    token: Token,
    stage: Stage,
    /// The value of the device cookie, if somebody is signed in now.
    device: Option<String>,
}

/// Stores a new session, in the transaction of the sign-in or of the change that ended the earlier ones. The caller has locked the person.
///
/// Each sign-in has a new token, which nobody can plant in a browser before.
pub async fn begin_session(
    app: &Web,
    connection: &mut PgConnection,
    person: Uuid,
    stage: Stage,
    client: &ClientInfo,
) -> Result<NewSession, sqlx::Error> {
    begin_session_with(app, connection, Token::generate(), (person, stage), client).await
}

/// The same with this token.
pub async fn begin_session_with(
    app: &Web,
    connection: &mut PgConnection,
    token: Token,
    (person, stage): (Uuid, Stage),
    client: &ClientInfo,
) -> Result<NewSession, sqlx::Error> {
    let now = app.clock.now();
    let session = Session {
        stage,
        since: now,
        seen: now,
        address: client.address(),
        agent: client.agent.clone(),
    };
    sessions::insert(connection, token.hash(), person, &session).await?;
    let is_signed_in = stage == Stage::SignedIn;
    let device = is_signed_in.then(|| client.devices.signed_in(&app.key_ring, person, now));
    Ok(NewSession { token, stage, device })
}

impl NewSession {
    /// The session that this form has begun in place of the session with this token, if the form was sent before.
    pub async fn after(
        executor: impl PgExecutor<'_>,
        token: &Token,
        form: &str,
    ) -> Result<Option<Self>, sqlx::Error> {
        let (token, stage) = (token.successor(form), Stage::SignedIn);
        let has_begun = sessions::exists(executor, token.hash()).await?;
        // The browser has the device cookie of the session before.
        Ok(has_begun.then_some(Self { token, stage, device: None }))
    }

    /// The session with this token, if it goes on, for a browser that has not got its cookies.
    pub async fn reopen(
        app: &Web,
        token: Token,
        client: &ClientInfo,
    ) -> Result<Option<Self>, sqlx::Error> {
        let now = app.clock.now();
        let hash = token.hash();
        let found = sessions::find(&app.pool, hash, None, app.session_lifetimes, now).await?;
        Ok(found.map(|(person, Session { stage, .. }, _)| {
            let is_signed_in = stage == Stage::SignedIn;
            let device = client.devices.signed_in(&app.key_ring, person.id, now);
            Self { token, stage, device: is_signed_in.then_some(device) }
        }))
    }

    /// Adds the cookies of the session, whose transaction is committed.
    pub fn add_cookies(&self, app: &Web, response: &mut Response) {
        let is_signed_in = self.stage == Stage::SignedIn;
        let most = app.session_lifetimes.most;
        app.cookie.store(&self.token, is_signed_in, most, response.headers_mut());
        let set = |value: &String| app.cookie.set_value(device::COOKIE, value, device::LIFETIME);
        if let Some(cookie) = self.device.as_ref().and_then(set) {
            response.headers_mut().append(SET_COOKIE, cookie);
        }
    }
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
    pub fn frame(&self, viewer: &Viewer, name: &str, section: Section) -> Frame {
        // The dashboard is in English.
        let texts = Texts::of(Language::English);
        let link = |target: Section, path: &str, label| Tab {
            link: Link {
                href: format!("/accounts/{}{path}", self.id),
                label: texts.say(label).to_owned(),
            },
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
        Frame {
            account: Some(AccountNav { id: self.id.to_string(), name: name.to_owned(), links }),
            ..viewer.frame()
        }
    }
}
