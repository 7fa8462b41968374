//! Audit records of commands.

use kit::audit::{self, Action as _, Entry, Subject};
use serde_json::json;
use sqlx::PgConnection;
use time::OffsetDateTime;

use crate::SCHEMA;
use crate::domain::account::Account;
use crate::domain::author::Author;
use crate::domain::key::Key;
use crate::domain::key_request::KeyRequest;
use crate::domain::switch::Setting;

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

pub(super) fn account(account: &Account) -> Subject {
    Subject {
        entity: "account",
        name: account.id.to_string(),
        details: json!({ "account": account.id, "plan": account.plan }),
    }
}

pub(super) fn key(key: &Key) -> Subject {
    let details = json!({
        "account": key.account,
        "name": key.name,
        "mode": key.mode.as_str(),
        "kind": key.kind.as_str(),
        "may_write": key.may_write,
        "game": key.game,
    });
    Subject { entity: "key", name: key.id.to_string(), details }
}

pub(super) fn rotation(old: &Key, new: &Key) -> Subject {
    Subject {
        entity: "key",
        name: old.id.to_string(),
        details: json!({ "account": old.account, "name": old.name, "new_key": new.id }),
    }
}

pub(super) fn key_request(request: &KeyRequest) -> Subject {
    let ended = request.ended.as_ref();
    let details = json!({
        "account": request.account,
        "name": request.name,
        "state": request.state.as_str(),
        "ended_by": ended.map(|ended| ended.by.as_str()),
        "reason": ended.map(|ended| &ended.reason),
    });
    Subject { entity: "key_request", name: request.id.to_string(), details }
}

pub(super) fn switch(setting: &Setting) -> Subject {
    Subject {
        entity: "switch",
        name: setting.switch.as_str().to_owned(),
        details: json!({ "on": setting.is_on, "reason": setting.reason }),
    }
}
