//! Which endpoints a call may access.

use kit::Fault;
use kit::audit::Subject;
use serde_json::Value;
use sqlx::PgExecutor;
use time::OffsetDateTime;
use uuid::Uuid;

use crate::SCHEMA;
use crate::domain::staff_action::By;

#[derive(Debug)]
pub(super) struct Scope {
    /// `None`: all accounts.
    pub(super) account: Option<Uuid>,
    /// The member of staff; `None`: the account itself calls.
    pub(super) by: Option<By>,
}

impl Scope {
    /// A call of an account about its own endpoints.
    pub(super) fn account(account: &str) -> Result<Self, Fault> {
        Ok(Self {
            account: Some(id("account_id", account)?),
            by: None,
        })
    }

    /// A call of staff about all endpoints, or those of one account.
    pub(super) fn staff(account: &str, by: By) -> Result<Self, Fault> {
        let account = (!account.is_empty()).then(|| id("account_id", account));
        Ok(Self {
            account: account.transpose()?,
            by: Some(by),
        })
    }

    /// Records an action of staff on an endpoint in the audit; calls of the account itself are not recorded. `details` must hold no secret.
    pub(super) async fn record(
        &self,
        executor: impl PgExecutor<'_>,
        endpoint: Uuid,
        details: Value,
        now: OffsetDateTime,
    ) -> Result<(), sqlx::Error> {
        let Some(by) = &self.by else {
            return Ok(());
        };
        let subject = Subject {
            entity: "endpoint",
            name: endpoint.to_string(),
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

pub(super) fn id(field: &str, text: &str) -> Result<Uuid, Fault> {
    text.parse().map_err(|_bad| {
        Fault::invalid_field(
            field,
            "Give an id, a UUID, from the list of accounts or of endpoints.",
        )
    })
}
