//! Which endpoints a call may access.

use contracts::gateway::v1::Actor;
use kit::Fault;
use kit::audit::{self, Action as _, Subject};
use serde_json::{Value, json};
use sqlx::PgExecutor;
use time::OffsetDateTime;
use uuid::Uuid;

use crate::SCHEMA;
use crate::domain::staff_action::{Action, AuthorizedAction};
use crate::store::endpoints::Endpoint;

#[derive(Debug)]
pub(super) struct Scope {
    /// `None`: all accounts.
    pub(super) account: Option<Uuid>,
    pub(super) caller: Caller,
}

/// Who calls, for the audit.
#[derive(Debug)]
pub(super) enum Caller {
    Staff(AuthorizedAction),
    /// A program with an account token that calls for its account.
    Token(Actor, Action),
    /// The account itself.
    Account,
}

impl Scope {
    /// A call of an account about its own endpoints.
    pub(super) fn account(account: &str, caller: Caller) -> Result<Self, Fault> {
        Ok(Self {
            account: Some(parse_id("account_id", account)?),
            caller,
        })
    }

    /// A call of staff about all endpoints, or those of one account.
    pub(super) fn staff(account: &str, by: AuthorizedAction) -> Result<Self, Fault> {
        let account = (!account.is_empty()).then(|| parse_id("account_id", account));
        Ok(Self {
            account: account.transpose()?,
            caller: Caller::Staff(by),
        })
    }

    /// Whether staff call.
    pub(super) fn is_staff(&self) -> bool {
        matches!(self.caller, Caller::Staff(_))
    }

    /// Records an action of staff or of a token on an endpoint in the audit; calls of people are not recorded. `details` must hold no secret.
    pub(super) async fn record(
        &self,
        executor: impl PgExecutor<'_>,
        endpoint: &Endpoint,
        mut details: Value,
        now: OffsetDateTime,
    ) -> Result<(), sqlx::Error> {
        let name = endpoint.id.to_string();
        let entity = "endpoint";
        match &self.caller {
            Caller::Account => Ok(()),
            Caller::Staff(by) => {
                let subject = Subject {
                    entity,
                    name,
                    details,
                };
                by.record(executor, SCHEMA, subject, now).await
            }
            Caller::Token(actor, action) => {
                let token = actor.token.clone().unwrap_or_default();
                details["account"] = json!(endpoint.account_id);
                details["url"] = json!(endpoint.url);
                details["token"] = json!(token.id);
                details["address"] = json!(actor.address);
                details["change"] = json!(action.in_account_api());
                let entry = audit::Entry {
                    member: &token.name,
                    role: audit::TOKEN,
                    // The list of an account's token changes has one action for endpoints; `change` tells what was done.
                    action: Action::ChangeEndpoint.as_str(),
                    entity,
                    name: &name,
                    refused: false,
                    details,
                };
                audit::append(executor, SCHEMA, entry, now).await
            }
        }
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
