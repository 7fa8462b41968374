//! Webhooks of an account. Every page is an RPC of webhook-svc, with the account as scope.

pub mod curl;
pub mod deliveries;
pub mod delivery;
pub mod form;
mod json_text;
pub mod list;
pub mod one;
pub mod recover;
mod signing_secret;
mod words;

use axum::extract::{FromRequestParts, RawPathParams};
use http::request::Parts;
use uuid::Uuid;

use crate::account::member_request::MemberRequest;
use crate::app::App;
use crate::domain::role::Permission;
use crate::page_error::PageError;
use crate::upstream::webhook::SentForm;

impl MemberRequest {
    /// The path of the account's webhooks.
    fn webhooks(&self) -> String {
        self.path("/webhooks")
    }

    /// The path of an endpoint.
    fn webhook(&self, endpoint: Uuid) -> String {
        format!("{}/{endpoint}", self.webhooks())
    }

    /// A form of the person, for a call that takes effect once.
    fn sent_form(&self, id: Uuid) -> SentForm {
        let person = self.person().id;
        SentForm { id, person }
    }

    fn may_change_webhooks(&self) -> bool {
        self.may(Permission::Develop)
    }
}

/// The endpoint that a path names.
pub struct EndpointId(Uuid);

impl FromRequestParts<App> for EndpointId {
    type Rejection = PageError;

    async fn from_request_parts(parts: &mut Parts, app: &App) -> Result<Self, PageError> {
        let names = RawPathParams::from_request_parts(parts, app)
            .await
            .map_err(|_no_path| PageError::not_found())?;
        let id = names.iter().find(|(name, _)| *name == "endpoint");
        let id = id.and_then(|(_, id)| id.parse().ok());
        id.map(Self).ok_or_else(PageError::not_found)
    }
}
