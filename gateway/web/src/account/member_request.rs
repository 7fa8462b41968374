//! A request of a member of an account, which the access layer has authorized.

use axum::extract::FromRequestParts;
use http::request::Parts;
use pages::Shell;
use serde::Serialize;
use serde::de::DeserializeOwned;

use super::{record_done, shell};
use crate::app::App;
use crate::domain::role::Permission;
use crate::once_form::{self, OnceError};
use crate::page_error::PageError;
use crate::session::once::SentForm;
use crate::viewer::{AccountScope, ClientInfo, Section, Viewer};

/// The member, the client's address, and the account.
pub struct MemberRequest {
    pub app: App,
    pub viewer: Viewer,
    pub client: ClientInfo,
    pub scope: AccountScope,
}

impl FromRequestParts<App> for MemberRequest {
    type Rejection = PageError;

    async fn from_request_parts(parts: &mut Parts, app: &App) -> Result<Self, PageError> {
        let extensions = &parts.extensions;
        let found = (
            extensions.get::<Viewer>(),
            extensions.get::<ClientInfo>(),
            extensions.get::<AccountScope>(),
        );
        let (Some(viewer), Some(client), Some(scope)) = found else {
            tracing::error!("a page of an account is not behind the access layer");
            return Err(PageError::internal());
        };
        Ok(Self {
            app: App::clone(app),
            viewer: viewer.clone(),
            client: client.clone(),
            scope: scope.clone(),
        })
    }
}

impl MemberRequest {
    pub fn may(&self, permission: Permission) -> bool {
        self.scope.role.may(permission)
    }

    pub async fn shell(&self, section: Section) -> Shell {
        shell(&self.app, &self.viewer, &self.scope, section).await
    }

    /// Does the work of a form once (see [`once_form::run`]).
    pub async fn once<T: Serialize + DeserializeOwned>(
        &self,
        form: &SentForm,
        look_at: &str,
        work: impl Future<Output = Result<T, OnceError>>,
    ) -> Result<T, OnceError> {
        once_form::run(&self.app, &self.viewer, form, look_at, work).await
    }

    /// Records an action that was completed. A failure to record it is therefore only logged.
    pub async fn record(&self, action: &'static str, subject: &str) {
        let by = (&self.viewer, &self.client);
        record_done(&self.app, by, &self.scope, (action, subject)).await;
    }
}
