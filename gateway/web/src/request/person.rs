//! A request of a person, whose session the access layer has found.

use axum::extract::FromRequestParts;
use http::request::Parts;
use sqlx::{PgConnection, PgExecutor};
use uuid::Uuid;

use super::{NewSession, Viewer, added, begin_session, begin_session_with};
use crate::app::App;
use crate::client_info::ClientInfo;
use crate::domain::action::Action;
use crate::page_error::PageError;
use crate::store::activity::{self, NewEntry};
use crate::store::people::{self, Person};
use crate::store::sessions::{self, Stage};
use crate::upstream::gateway::Actor;

/// The person and the client's address.
pub struct PersonRequest {
    pub app: App,
    pub viewer: Viewer,
    pub client: ClientInfo,
}

impl FromRequestParts<App> for PersonRequest {
    type Rejection = PageError;

    async fn from_request_parts(parts: &mut Parts, app: &App) -> Result<Self, PageError> {
        let (viewer, client) = (added(&parts.extensions)?, added(&parts.extensions)?);
        Ok(Self { app: App::clone(app), viewer, client })
    }
}

impl PersonRequest {
    pub fn person(&self) -> &Person {
        &self.viewer.person
    }

    /// The person, for the audit of the gateway.
    pub fn actor(&self) -> Actor {
        self.viewer.actor(&self.client)
    }

    /// Records an action that concerns the person only, in the transaction of the change.
    pub async fn record_own(
        &self,
        executor: impl PgExecutor<'_>,
        action: Action,
    ) -> Result<(), sqlx::Error> {
        let person = self.person();
        let entry = NewEntry::new(person.id, &person.email, &self.client, action);
        activity::insert(executor, entry, self.app.clock.now()).await
    }

    /// Records an action in an account.
    pub async fn record_in_account(
        &self,
        executor: impl PgExecutor<'_>,
        account: Uuid,
        action: Action,
        subject: &str,
    ) -> Result<(), sqlx::Error> {
        let person = self.person();
        let entry = NewEntry::new(person.id, &person.email, &self.client, action)
            .in_account(account, subject);
        activity::insert(executor, entry, self.app.clock.now()).await
    }

    /// Locks the person until the transaction ends, and reads the person again. Every change of the password, the address or the second factor
    /// ends all sessions: while that of this request goes on, the password and the code that the request has checked are right.
    pub async fn lock(&self, connection: &mut PgConnection) -> Result<Person, PageError> {
        let person = people::lock(&mut *connection, self.person().id).await?;
        let goes_on = sessions::exists(connection, self.viewer.token.hash()).await?;
        let person = person.filter(|_| goes_on);
        person.ok_or_else(PageError::sign_in_again)
    }

    /// Ends all sessions of the person, whom the caller has locked, and begins one with another token for this browser.
    pub async fn renew_session(
        &self,
        connection: &mut PgConnection,
    ) -> Result<NewSession, sqlx::Error> {
        let person = self.person().id;
        sessions::end_all(&mut *connection, person).await?;
        begin_session(&self.app, connection, person, Stage::SignedIn, &self.client).await
    }

    /// The same by a form that may be sent twice: its second answer has the cookie too ([`NewSession::after`]).
    pub async fn renew_session_by(
        &self,
        connection: &mut PgConnection,
        form: &str,
    ) -> Result<NewSession, sqlx::Error> {
        let person = self.person().id;
        sessions::end_all(&mut *connection, person).await?;
        let (app, token) = (&self.app, self.viewer.token.successor(form));
        let begun = (person, Stage::SignedIn);
        begin_session_with(app, connection, token, begun, &self.client).await
    }
}
