//! Which endpoints a call may access.

use kit::Fault;
use kit::audit::Subject;
use serde_json::Value;
use sqlx::PgExecutor;
use time::OffsetDateTime;
use uuid::Uuid;

use crate::SCHEMA;
use crate::domain::staff_action::AuthorizedAction;
use crate::store::endpoints::Endpoint;

#[derive(Debug)]
pub(super) struct Scope {
    /// `None`: all accounts.
    pub(super) account: Option<Uuid>,
    /// The member of staff who calls, for the audit; `None` for the account itself.
    staff: Option<AuthorizedAction>,
}

impl Scope {
    /// A call of an account about its own endpoints.
    pub(super) fn account(account: &str) -> Result<Self, Fault> {
        Ok(Self {
            account: Some(parse_id("account_id", account)?),
            staff: None,
        })
    }

    /// A call of staff about all endpoints, or those of one account.
    pub(super) fn staff(account: &str, by: AuthorizedAction) -> Result<Self, Fault> {
        let account = (!account.is_empty()).then(|| parse_id("account_id", account));
        Ok(Self {
            account: account.transpose()?,
            staff: Some(by),
        })
    }

    /// Whether staff call.
    pub(super) fn is_staff(&self) -> bool {
        self.staff.is_some()
    }

    /// Records an action of staff on an endpoint in the audit; calls of accounts are not recorded. `details` must hold no secret.
    pub(super) async fn record(
        &self,
        executor: impl PgExecutor<'_>,
        endpoint: &Endpoint,
        details: Value,
        now: OffsetDateTime,
    ) -> Result<(), sqlx::Error> {
        let Some(by) = &self.staff else {
            return Ok(());
        };
        let subject = Subject {
            entity: "endpoint",
            name: endpoint.id.to_string(),
            details,
        };
        by.record(executor, SCHEMA, subject, now).await
    }

    /// # Errors
    /// `invalid`: the call names no account.
    pub(super) fn require_account(&self) -> Result<Uuid, Fault> {
        self.account
            .ok_or_else(|| Fault::invalid_field("account_id", "Give the id of an account."))
    }
}

pub(super) fn parse_id(field: &str, text: &str) -> Result<Uuid, Fault> {
    text.parse().map_err(|_bad| {
        Fault::invalid_field(
            field,
            "Give an id, a UUID, from the list of accounts or of endpoints.",
        )
    })
}
