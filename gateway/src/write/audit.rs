//! Audit records of commands.

use kit::audit::Subject;
use serde_json::json;

use super::Done;

/// The subject of the audit record; `None` if staff did not make the change.
pub(super) fn subject(done: &Done) -> Option<Subject> {
    let (entity, name, details) = match done {
        Done::Account(account) => (
            "account",
            account.email.clone(),
            json!({ "account": account.id, "plan": account.plan }),
        ),
        Done::Key(key) => (
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
        Done::Rotated(new, old) => (
            "key",
            old.id.to_string(),
            json!({ "account": old.account, "name": old.name, "new_key": new.id }),
        ),
        Done::KeyRequest(request) => (
            "key_request",
            request.id.to_string(),
            json!({
                "account": request.account,
                "name": request.spec.name,
                "state": request.state.as_str(),
                "reason": request.reason,
            }),
        ),
        Done::Switch(setting) => (
            "switch",
            setting.switch.as_str().to_owned(),
            json!({ "on": setting.is_on, "reason": setting.reason }),
        ),
        Done::PlansPublished => return None,
    };
    Some(Subject {
        entity,
        name,
        details,
    })
}
