//! Audit records of commands.

use kit::audit::{self, Action as _, Entry, Subject};
use serde_json::json;
use sqlx::PgConnection;
use time::OffsetDateTime;

use super::Outcome;
use crate::SCHEMA;
use crate::domain::author::Author;

/// Records the author of a change. The details have the address of a person's call.
pub(super) async fn record(
    connection: &mut PgConnection,
    by: &Author,
    subject: Subject,
    now: OffsetDateTime,
) -> Result<(), sqlx::Error> {
    let mut details = subject.details;
    let (member, role, action) = match by {
        Author::Staff(by) => {
            let subject = Subject { details, ..subject };
            return by.record(connection, SCHEMA, subject, now).await;
        }
        Author::Person(person, action) => {
            details["address"] = json!(person.address);
            (person.id.to_string(), audit::PERSON, action)
        }
    };
    let entry = Entry {
        member: &member,
        role,
        action: action.as_str(),
        entity: subject.entity,
        name: &subject.name,
        refused: false,
        details,
    };
    audit::append(connection, SCHEMA, entry, now).await
}

/// The subject of the audit record.
pub(super) fn subject(outcome: &Outcome) -> Subject {
    let (entity, name, details) = match outcome {
        Outcome::Account(account) => (
            "account",
            account.email.clone(),
            json!({ "account": account.id, "plan": account.plan }),
        ),
        Outcome::Key(key) => (
            "key",
            key.id.to_string(),
            json!({
                "account": key.account,
                "name": key.name,
                "mode": key.mode.as_str(),
                "kind": key.kind.as_str(),
                "may_write": key.may_write,
                "game": key.game,
            }),
        ),
        Outcome::Rotated(new, old, _) => (
            "key",
            old.id.to_string(),
            json!({ "account": old.account, "name": old.name, "new_key": new.id }),
        ),
        Outcome::KeyRequest(request) => (
            "key_request",
            request.id.to_string(),
            json!({
                "account": request.account,
                "name": request.name,
                "state": request.state.as_str(),
                "reason": request.reason,
            }),
        ),
        Outcome::Switch(setting) => (
            "switch",
            setting.switch.as_str().to_owned(),
            json!({ "on": setting.is_on, "reason": setting.reason }),
        ),
    };
    Subject {
        entity,
        name,
        details,
    }
}
