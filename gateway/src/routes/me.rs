//! `GET /me` (§10.1) and `GET /me/listings` (§10.2).

use contracts::listings::v1::ListOwnListingsRequest;
use contracts::public::{Me, MeAccount, MeKey, MeMinute, MeMonth, MePlan, Timestamp};

use crate::domain::key::{Key, KeyKind};
use crate::domain::plan::Plan;
use crate::domain::quota::RateLimitStatus;
use crate::envelope::ApiResponse;
use crate::errors::ApiError;
use crate::extract::call::Call;
use crate::openapi::operation::{Operation, Success, Tag};
use crate::openapi::parameters as p;

/// The operations of this file (§10.16).
#[rustfmt::skip]
pub(super) fn operations() -> [Operation; 2] {
    [
        Operation::new("/me", "getMe", Tag::Account, "Describes the key of the call and what is left of its limits.", Success::Object("Me"), &[]),
        Operation::new("/me/listings", "listOwnListings", Tag::Account, "Lists the account's own games and events, the newest first.",
            Success::List("OwnListing"), p::PAGE)
            .about("Each row has its status, and the reason if it was rejected. For a test key, the samples count as the account's own."),
    ]
}

pub async fn get(call: Call) -> Result<ApiResponse, ApiError> {
    let Call { app, caller, rate_limit: status, .. } = call;
    // Anybody may know a public key.
    let account = (caller.key.kind != KeyKind::Public).then(|| MeAccount {
        id: caller.key.account.to_string(),
        name: caller.account_name.clone(),
        plan: short(app.plans.get_or_cheapest(&caller.plan)),
    });
    ApiResponse::json(&Me {
        account,
        key: key(&caller.key),
        minute: MeMinute {
            limit: status.limits.minute,
            remaining: status.minute_left(),
            resets_at: Timestamp(status.minute_resets_at()),
        },
        month: month(&status),
    })
}

pub async fn listings(call: Call) -> Result<ApiResponse, ApiError> {
    let mut query = call.params();
    let request = ListOwnListingsRequest {
        account_id: call.account_id(),
        mode: call.mode(),
        page: Some(query.page()),
    };
    let own = call.read(&call.app.listings, query, &request).await?;
    Ok(ApiResponse::list(own.json, own.page))
}

fn short(plan: &Plan) -> MePlan {
    MePlan { name: plan.name.clone(), title: plan.title.clone() }
}

fn key(key: &Key) -> MeKey {
    MeKey {
        id: key.id.to_string(),
        name: key.name.clone(),
        mode: key.mode.as_str().to_owned(),
        kind: key.kind.as_str().to_owned(),
        may_write: key.may_write,
        game: key.game.clone(),
        expires_at: key.grace_until.map(Timestamp),
        last4: key.last4.clone(),
    }
}

fn month(status: &RateLimitStatus) -> Option<MeMonth> {
    Some(MeMonth {
        limit: status.month_limit(),
        used: status.month_count()?,
        remaining: status.month_left(),
        resets_at: Timestamp(status.month_resets_at()),
    })
}
