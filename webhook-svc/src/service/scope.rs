//! Whose endpoints a call may touch.

use kit::Fault;
use kit::audit::Subject;
use serde_json::Value;
use sqlx::PgExecutor;
use time::OffsetDateTime;
use uuid::Uuid;

use crate::SCHEMA;
use crate::domain::staff_action::By;

/// Whose endpoints a call may touch.
#[derive(Debug)]
pub(super) struct Scope {
    /// `None`: everybody's.
    pub(super) account: Option<Uuid>,
    /// Who of the staff; `None` when the account itself calls.
    pub(super) by: Option<By>,
}

impl Scope {
    /// The endpoints of an account, by itself.
    pub(super) fn account(account: &str) -> Result<Self, Fault> {
        Ok(Self {
            account: Some(id("account_id", account)?),
            by: None,
        })
    }

    /// Everybody's by staff, or those of an account if one is named.
    pub(super) fn staff(account: &str, by: By) -> Result<Self, Fault> {
        let account = (!account.is_empty()).then(|| id("account_id", account));
        Ok(Self {
            account: account.transpose()?,
            by: Some(by),
        })
    }

    /// Records what staff did to an endpoint; nothing when its account did it itself. `details` hold nothing secret.
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

    /// The account, where a call is about one.
    pub(super) fn one_account(&self) -> Result<Uuid, Fault> {
        self.account
            .ok_or_else(|| Fault::invalid_field("account_id", "Give the id of an account."))
    }
}

pub(super) fn id(field: &str, text: &str) -> Result<Uuid, Fault> {
    text.parse().map_err(|_bad| {
        Fault::invalid_field(
            field,
            "Give its id, a UUID, as the list of accounts or of endpoints has it.",
        )
    })
}
