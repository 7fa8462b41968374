//! Conversions from the gateway's types to protobuf messages.

use contracts::gateway::v1 as proto;
use contracts::public::ApiPlan;
use kit::api::timestamp;

use crate::domain::account::Account;
use crate::domain::key::{GameState, Key};
use crate::domain::key_request::KeyRequest;
use crate::domain::plan::{Plan, Plans};
use crate::domain::switch::Setting;
use crate::service::operations::Rotation;

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
        Self {
            plans: plans.iter().map(Into::into).collect(),
        }
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
            mode: key.mode.as_str().to_owned(),
            kind: key.kind.as_str().to_owned(),
            may_write: key.may_write,
            game: key.game.clone(),
            last4: key.last4.clone(),
            created_at: Some(timestamp::encode(key.created_at)),
            last_used_at: key.last_used_at.map(timestamp::encode),
            grace_until: key.grace_until.map(timestamp::encode),
            revoked_at: key.revoked_at.map(timestamp::encode),
            revision: key.revision,
            game_state: match key.game_state {
                GameState::Usable => String::new(),
                state => state.to_string(),
            },
        }
    }
}

impl From<&KeyRequest> for proto::KeyRequest {
    fn from(request: &KeyRequest) -> Self {
        Self {
            id: request.id.to_string(),
            account_id: request.account.to_string(),
            name: request.name.clone(),
            kind: request.kind.as_str().to_owned(),
            may_write: request.may_write,
            game: request.game.clone(),
            state: request.state.as_str().to_owned(),
            asked_at: Some(timestamp::encode(request.asked_at)),
            decided_at: request.decided_at.map(timestamp::encode),
            reason: request.reason.clone(),
            revision: request.revision,
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

impl From<Rotation> for proto::RotateKeyResponse {
    fn from(rotation: Rotation) -> Self {
        Self {
            key: Some((&rotation.key).into()),
            secret: rotation.secret.expose().to_owned(),
            old_key: Some((&rotation.old_key).into()),
        }
    }
}
