//! A request of a member of an account, which the access layer has authorized.

use std::ops::Deref;

use axum::extract::FromRequestParts;
use contracts::common::v1::PageInfo;
use http::request::Parts;
use pages::Frame;
use sqlx::PgExecutor;
use uuid::Uuid;

use super::page_context::AccountContext;
use crate::app::App;
use crate::domain::action::Action;
use crate::domain::percent::encoded;
use crate::domain::role::Permission;
use crate::page_error::PageError;
use crate::request::{AccountScope, PersonRequest, Section, added};
use crate::store::activity::{self, NewEntry};

/// The request of the person, and the account.
pub struct MemberRequest {
    request: PersonRequest,
    pub scope: AccountScope,
}

impl Deref for MemberRequest {
    type Target = PersonRequest;

    fn deref(&self) -> &PersonRequest {
        &self.request
    }
}

impl FromRequestParts<App> for MemberRequest {
    type Rejection = PageError;

    async fn from_request_parts(parts: &mut Parts, app: &App) -> Result<Self, PageError> {
        let request = PersonRequest::from_request_parts(parts, app).await?;
        let scope = added(&parts.extensions)?;
        Ok(Self { request, scope })
    }
}

impl MemberRequest {
    pub fn may(&self, permission: Permission) -> bool {
        self.scope.role.may(permission)
    }

    /// A path of the account. `rest` begins with a slash, or is empty.
    pub fn path(&self, rest: &str) -> String {
        format!("/accounts/{}{rest}", self.scope.id)
    }

    /// The path of the next page of a list, if it has one.
    pub fn next_page(&self, rest: &str, page: Option<PageInfo>) -> Option<String> {
        let cursor = page?.next_cursor?;
        Some(format!("{}?cursor={}", self.path(rest), encoded(&cursor)))
    }

    /// The frame of a page, with the answers of the gateway.
    pub async fn context(&self, section: Section) -> AccountContext {
        AccountContext::load(&self.request, &self.scope, section).await
    }

    /// The frame of a page.
    pub async fn frame(&self, section: Section) -> Frame {
        self.context(section).await.frame
    }

    /// Records an action in the account that another service has completed. A failure to record it is therefore only logged.
    pub async fn record(&self, action: Action, subject: &str) {
        self.record_once(action, subject, None).await;
    }

    /// Records an action that may have made the thing with this id; if so, once.
    pub async fn record_once(&self, action: Action, subject: &str, effect: Option<Uuid>) {
        let (person, now) = (self.person(), self.app.clock.now());
        let entry = NewEntry::new(person.id, &person.email, &self.client, action)
            .in_account(self.scope.id, subject);
        if let Err(error) = activity::insert_once(&self.app.pool, entry, effect, now).await {
            let action = action.name();
            tracing::warn!(%error, action, "an activity is not recorded");
        }
    }

    /// Records an action in the transaction of the change.
    pub async fn record_in(
        &self,
        executor: impl PgExecutor<'_>,
        action: Action,
        subject: &str,
    ) -> Result<(), sqlx::Error> {
        let account = self.scope.id;
        self.record_in_account(executor, account, action, subject).await
    }
}
