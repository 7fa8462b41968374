//! The live keys whose secrets a removed member has seen: they work until somebody rotates them.

use kit::Fault;
use pages::teams::{RemovedMember, SeenKey};
use time::Duration;
use uuid::Uuid;

use crate::account::member_request::MemberRequest;
use crate::page_error::PageError;
use crate::store::activity::{self, Sight};
use crate::store::members;
use crate::upstream::time_of;

/// A secret is shown when its key is made. The activity says when, by the clock of web, and the key has the time of the gateway.
const APART: Duration = Duration::minutes(1);

/// What the page of the team says after the removal of this person; `None` if the person is a member, or has seen no live key.
pub(super) async fn of_removed(
    request: &MemberRequest,
    person: Uuid,
) -> Result<Option<RemovedMember>, PageError> {
    let (app, account) = (&request.app, request.scope.id);
    let sights = activity::sights_of_keys(&app.pool, account, person).await?;
    let Some(email) = sights.first().map(|sight| sight.email.clone()) else {
        return Ok(None);
    };
    if members::role(&app.pool, account, person).await?.is_some() {
        return Ok(None);
    }
    let keys = seen(request, &sights).await;
    let is_needless = keys.as_ref().is_ok_and(Vec::is_empty);
    Ok((!is_needless).then(|| RemovedMember {
        email,
        keys: keys.ok(),
    }))
}

/// The live keys that work and that were seen.
async fn seen(request: &MemberRequest, sights: &[Sight]) -> Result<Vec<SeenKey>, Fault> {
    let now = request.app.clock.now();
    let mut keys = request.app.gateway.keys(request.scope.id).await?;
    keys.retain(|key| {
        let works = key.revoked_at.is_none() && time_of(key.grace_until).is_none_or(|it| it > now);
        let made = time_of(key.created_at);
        let is_seen = |sight: &Sight| {
            let is_near = made.is_some_and(|made| (sight.at - made).abs() < APART);
            sight.key == key.name && is_near
        };
        works && key.mode == "live" && sights.iter().any(is_seen)
    });
    let keys = keys.into_iter().map(|key| SeenKey {
        href: request.path(&format!("/keys/{}", key.id)),
        name: format!("{} …{}", key.name, key.last4),
        is_rotated: key.grace_until.is_some(),
    });
    Ok(keys.collect())
}
