//! The messages of gateway.v1, and the plans that callers see.

use contracts::common::v1::Ended;
use contracts::gateway::v1 as proto;
use contracts::public::ApiPlan;
use kit::api::bad_fields::BadFields;
use kit::api::timestamp;

use crate::domain::account::Account;
use crate::domain::key::{GameState, Key, KeyKind};
use crate::domain::key_request::{EndedBy, KeyRequest, KeyRequestState};
use crate::domain::plan::{Plan, Plans};
use crate::domain::switch::Setting;

impl From<&Plan> for proto::Plan {
    fn from(plan: &Plan) -> Self {
        Self {
            name: plan.name.clone(),
            title: plan.title.clone(),
            calls_per_minute: plan.calls_per_minute,
            calls_per_month: plan.calls_per_month,
            working_keys: plan.working_keys,
            writes_per_day: plan.writes_per_day,
            webhook_endpoints: plan.webhook_endpoints,
            webhook_events: plan.webhook_events,
            coming: plan.coming,
        }
    }
}

impl From<&Plans> for proto::ListPlansResponse {
    fn from(plans: &Plans) -> Self {
        Self { plans: plans.iter().map(Into::into).collect() }
    }
}

impl From<&Plans> for proto::Plans {
    fn from(plans: &Plans) -> Self {
        Self { plans: plans.iter().map(Into::into).collect(), version: plans.version() }
    }
}

impl From<&Plan> for ApiPlan {
    fn from(plan: &Plan) -> Self {
        Self {
            name: plan.name.clone(),
            title: plan.title.clone(),
            calls_per_minute: plan.calls_per_minute,
            calls_per_month: plan.calls_per_month,
            working_keys: plan.working_keys,
            writes_per_day: plan.writes_per_day,
            webhook_endpoints: plan.webhook_endpoints,
            webhook_events: plan.webhook_events,
            coming: plan.coming,
            lacks: plan.lacks.iter().cloned().collect(),
        }
    }
}

impl From<&Account> for proto::Account {
    fn from(account: &Account) -> Self {
        Self {
            id: account.id.to_string(),
            name: account.name.clone(),
            plan: account.plan.clone(),
            created_at: Some(timestamp::encode(account.created_at)),
        }
    }
}

impl From<&Key> for proto::Key {
    fn from(key: &Key) -> Self {
        Self {
            id: key.id.to_string(),
            account_id: key.account.to_string(),
            name: key.name.clone(),
            mode: key.mode.into(),
            kind: proto::KeyKind::from(key.kind).into(),
            may_write: key.may_write,
            game: key.game.clone(),
            last4: key.last4.clone(),
            created_at: Some(timestamp::encode(key.created_at)),
            last_used_at: key.last_used_at.map(timestamp::encode),
            grace_until: key.grace_until.map(timestamp::encode),
            revoked_at: key.revoked_at.map(timestamp::encode),
            revision: key.revision,
            seen_by: key.seen_by.map_or_else(String::new, |id| id.to_string()),
            game_state: proto::GameState::from(key.game_state).into(),
        }
    }
}

impl From<&KeyRequest> for proto::KeyRequest {
    fn from(request: &KeyRequest) -> Self {
        Self {
            id: request.id.to_string(),
            account_id: request.account.to_string(),
            name: request.name.clone(),
            kind: proto::KeyKind::from(request.kind).into(),
            may_write: request.may_write,
            game: request.game.clone(),
            state: proto::KeyRequestState::from(request.state).into(),
            asked_at: Some(timestamp::encode(request.asked_at)),
            revision: request.revision,
            ended: request.ended.as_ref().map(|ended| Ended {
                by_account: match ended.by {
                    EndedBy::Staff => String::new(),
                    EndedBy::Account => request.account.to_string(),
                },
                at: Some(timestamp::encode(ended.at)),
                reason: ended.reason.clone(),
            }),
        }
    }
}

impl From<&Setting> for proto::Switch {
    fn from(setting: &Setting) -> Self {
        Self {
            name: setting.switch.as_str().to_owned(),
            on: setting.is_on,
            changed_at: setting.changed_at.map(timestamp::encode),
            reason: setting.reason.clone(),
        }
    }
}

impl From<KeyKind> for proto::KeyKind {
    fn from(kind: KeyKind) -> Self {
        match kind {
            KeyKind::Account => Self::Account,
            KeyKind::Secret => Self::Secret,
            KeyKind::Public => Self::Public,
        }
    }
}

impl From<GameState> for proto::GameState {
    fn from(state: GameState) -> Self {
        match state {
            GameState::Usable => Self::Usable,
            GameState::Gone => Self::Gone,
            GameState::NotOwned => Self::NotOwned,
        }
    }
}

impl From<KeyRequestState> for proto::KeyRequestState {
    fn from(state: KeyRequestState) -> Self {
        match state {
            KeyRequestState::Asked => Self::Asked,
            KeyRequestState::Approved => Self::Approved,
            KeyRequestState::Rejected => Self::Rejected,
            KeyRequestState::Revealed => Self::Revealed,
        }
    }
}

/// Reads the kind of a new key.
pub(crate) fn key_kind(bad: &mut BadFields, kind: i32) -> KeyKind {
    match proto::KeyKind::try_from(kind) {
        Ok(proto::KeyKind::Unspecified | proto::KeyKind::Account) => KeyKind::Account,
        Ok(proto::KeyKind::Secret) => KeyKind::Secret,
        Ok(proto::KeyKind::Public) => KeyKind::Public,
        Err(_unknown) => {
            bad.add("kind", "Use one of: account, secret, public.");
            KeyKind::Account
        }
    }
}

/// Reads the state that a list of key requests is filtered by.
pub(crate) fn key_request_state(bad: &mut BadFields, state: i32) -> KeyRequestState {
    match proto::KeyRequestState::try_from(state) {
        Ok(proto::KeyRequestState::Unspecified | proto::KeyRequestState::Asked) => {
            KeyRequestState::Asked
        }
        Ok(proto::KeyRequestState::Approved) => KeyRequestState::Approved,
        Ok(proto::KeyRequestState::Rejected) => KeyRequestState::Rejected,
        Ok(proto::KeyRequestState::Revealed) => KeyRequestState::Revealed,
        Err(_unknown) => {
            bad.add("state", "Use one of: asked, approved, rejected, revealed.");
            KeyRequestState::Asked
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_kind_and_the_state_of_a_request_are_known_values_or_absent() {
        let mut bad = BadFields::default();
        for kind in [KeyKind::Account, KeyKind::Secret, KeyKind::Public] {
            assert_eq!(key_kind(&mut bad, proto::KeyKind::from(kind).into()), kind);
        }
        for state in [
            KeyRequestState::Asked,
            KeyRequestState::Approved,
            KeyRequestState::Rejected,
            KeyRequestState::Revealed,
        ] {
            let number = proto::KeyRequestState::from(state).into();
            assert_eq!(key_request_state(&mut bad, number), state);
        }
        assert_eq!(key_kind(&mut bad, 0), KeyKind::Account);
        assert_eq!(key_request_state(&mut bad, 0), KeyRequestState::Asked);
        assert!(bad.is_empty());
        key_kind(&mut bad, 9);
        key_request_state(&mut bad, 9);
        assert!(bad.contains("kind") && bad.contains("state"));
    }
}
