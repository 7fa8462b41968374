//! A request of a person, whose session the access layer has found.

use axum::extract::FromRequestParts;
use axum::response::Response;
use http::request::Parts;
use kit::Fault;
use sqlx::PgExecutor;
use uuid::Uuid;

use crate::app::App;
use crate::client_info::ClientInfo;
use crate::domain::action::Action;
use crate::page_error::PageError;
use crate::page_language::PageLanguage;
use crate::render::FormState;
use crate::store::activity::{self, NewEntry};
use crate::store::people::Person;
use crate::upstream::gateway::Actor;
use crate::viewer::{NewSession, Viewer, begin_session};

/// The person and the client's address.
pub struct PersonRequest {
    pub app: App,
    pub viewer: Viewer,
    pub client: ClientInfo,
}

impl FromRequestParts<App> for PersonRequest {
    type Rejection = PageError;

    async fn from_request_parts(parts: &mut Parts, app: &App) -> Result<Self, PageError> {
        let viewer = parts.extensions.get::<Viewer>();
        let client = parts.extensions.get::<ClientInfo>();
        let (Some(viewer), Some(client)) = (viewer, client) else {
            tracing::error!("a page of a person is not behind the access layer");
            return Err(PageError::internal());
        };
        Ok(Self {
            app: App::clone(app),
            viewer: viewer.clone(),
            client: client.clone(),
        })
    }
}

impl PersonRequest {
    pub fn person(&self) -> &Person {
        &self.viewer.person
    }

    /// The language of the dashboard: English.
    #[expect(clippy::unused_self, reason = "pages ask their request for it")]
    pub fn language(&self) -> PageLanguage {
        PageLanguage::default()
    }

    /// A form with these fields that a service refused (see [`PageLanguage::refused`]).
    pub fn refused(&self, fault: Fault, fields: &[&str]) -> Result<FormState, PageError> {
        self.language().refused(fault, fields, &[])
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
        let entry = NewEntry::new(person.id, &person.email, &self.client, action);
        let entry = entry.in_account(account, subject);
        activity::insert(executor, entry, self.app.clock.now()).await
    }

    /// Records an action in an account that was completed. A failure to record it is therefore only logged.
    pub async fn record_done(&self, account: Uuid, action: Action, subject: &str) {
        let recorded = self.record_in_account(&self.app.pool, account, action, subject);
        if let Err(error) = recorded.await {
            let action = action.name();
            tracing::warn!(%error, action, "an activity is not recorded");
        }
    }

    /// Begins a new session for a person whose sessions have all been ended. The change that ended them is done, so a failure is only
    /// logged: the response is still sent, and the person signs in again.
    pub async fn renew_session(&self, version: i32, mut response: Response) -> Response {
        let session = NewSession {
            person: self.person().id,
            version,
            stage: self.viewer.session.stage,
        };
        let renewed = async {
            begin_session(&self.app, session, &self.client, &mut response).await?;
            let old = self.viewer.token.hash();
            self.app.sessions.end_of(session.person, old).await
        };
        if let Err(fault) = renewed.await {
            tracing::warn!(%fault, "a person must sign in again after a change of credentials");
        }
        response
    }
}
