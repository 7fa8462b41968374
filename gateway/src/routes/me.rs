//! `GET /me` (§10.1) and `GET /me/listings` (§10.2).

use axum::extract::{RawQuery, State};
use contracts::listings::v1::ListOwnListingsRequest;
use contracts::public::{Me, MeAccount, MeKey, MeMinute, MeMonth, MePlan, Timestamp};

use crate::app::App;
use crate::domain::key::Key;
use crate::domain::plan::Plan;
use crate::domain::quota;
use crate::envelope::Answer;
use crate::errors::Refusal;
use crate::extract::caller::{Caller, Standing};
use crate::extract::query::Query;
use crate::message;

/// About the key that asks.
pub async fn show(
    State(app): State<App>,
    Caller(caller): Caller,
    Standing(standing): Standing,
) -> Result<Answer, Refusal> {
    let plan = app.plans.get_or_cheapest(&caller.plan);
    Answer::written(&Me {
        account: MeAccount {
            id: caller.key.account.to_string(),
            name: caller.account_name.clone(),
            plan: short(plan),
        },
        key: key(&caller.key),
        minute: MeMinute {
            limit: standing.limits.minute,
            remaining: standing.minute_left(),
            resets_at: Timestamp(standing.minute_resets_at()),
        },
        month: month(&standing),
    })
}

/// The caller's own games and events, whether they are public or not.
pub async fn listings(
    State(app): State<App>,
    Caller(caller): Caller,
    RawQuery(query): RawQuery,
) -> Result<Answer, Refusal> {
    let mut query = Query::read(query.as_deref(), &["limit", "cursor"]);
    let request = ListOwnListingsRequest {
        account_id: caller.key.account.to_string(),
        mode: message::mode(caller.key.mode).into(),
        page: Some(query.page()),
    };
    let own = query
        .answered(app.listings.list_own_listings(request))
        .await?;
    Ok(Answer::list(own.json, own.page))
}

fn short(plan: &Plan) -> MePlan {
    MePlan {
        name: plan.name.clone(),
        title: plan.title.clone(),
    }
}

fn key(key: &Key) -> MeKey {
    MeKey {
        id: key.id.to_string(),
        name: key.name.clone(),
        mode: key.mode.as_str().to_owned(),
        kind: key.kind.as_str().to_owned(),
        may_write: key.may_write,
        game: key.game.clone(),
        expires_at: key.ends_at().map(Timestamp),
        last4: key.last4.clone(),
    }
}

fn month(standing: &quota::Standing) -> Option<MeMonth> {
    Some(MeMonth {
        limit: standing.limits.month,
        used: standing.month_used?,
        remaining: standing.month_left(),
        resets_at: Timestamp(standing.month_resets_at()),
    })
}
