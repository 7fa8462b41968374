//! Audit records of commands.

use kit::audit::Subject;
use serde_json::json;

use super::Outcome;

/// The subject of the audit record; `None` if staff did not make the change.
pub(super) fn subject(outcome: &Outcome) -> Option<Subject> {
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
        Outcome::Rotated(new, old) => (
            "key",
            old.id.to_string(),
            json!({ "account": old.account, "name": old.name, "new_key": new.id }),
        ),
        Outcome::KeyRequest(request) => (
            "key_request",
            request.id.to_string(),
            json!({
                "account": request.account,
                "name": request.spec.name,
                "state": request.state.as_str(),
                "reason": request.reason,
            }),
        ),
        Outcome::Switch(setting) => (
            "switch",
            setting.switch.as_str().to_owned(),
            json!({ "on": setting.is_on, "reason": setting.reason }),
        ),
        Outcome::PlansPublished | Outcome::LargeMonthsAnnounced => return None,
    };
    Some(Subject {
        entity,
        name,
        details,
    })
}
