//! Live keys that are asked for: asked, approved, rejected, revealed.

use contracts::gateway::v1 as proto;
use kit::Fault;
use kit::feed::{Applied, NewChange};
use prost::Message as _;
use sqlx::PgConnection;
use time::OffsetDateTime;
use uuid::Uuid;

use super::{Done, Fresh, Outcome, keys};
use crate::domain::account::Named;
use crate::domain::key::Wanted;
use crate::domain::key_request::KeyRequest;
use crate::domain::plan::Plans;
use crate::store::{self, Locked, key_requests};

pub(super) async fn ask(
    connection: &mut PgConnection,
    plans: &Plans,
    named: &Named,
    (wanted, id): (&Wanted, Uuid),
    now: OffsetDateTime,
) -> Outcome {
    let account = match keys::admit(connection, plans, named, wanted, now).await? {
        Ok(account) => account,
        Err(applied) => return Ok(applied),
    };
    let request = KeyRequest::asked(id, account.id, wanted.clone(), now);
    key_requests::insert(connection, &request).await?;
    let changes = vec![change(&request, "asked")];
    Ok(Applied::Done(Done::KeyRequest(request), changes))
}

pub(super) async fn approve(
    connection: &mut PgConnection,
    id: Uuid,
    now: OffsetDateTime,
) -> Outcome {
    let step = |request: &KeyRequest| request.approved(now);
    decide(connection, id, "approved", step).await
}

pub(super) async fn reject(
    connection: &mut PgConnection,
    id: Uuid,
    reason: &str,
    now: OffsetDateTime,
) -> Outcome {
    let step = |request: &KeyRequest| request.rejected(reason, now);
    decide(connection, id, "rejected", step).await
}

/// Takes a step that staff decide on.
async fn decide(
    connection: &mut PgConnection,
    id: Uuid,
    event: &'static str,
    step: impl Fn(&KeyRequest) -> Result<Option<KeyRequest>, Fault>,
) -> Outcome {
    let request = match key_requests::lock(connection, id).await? {
        Locked::Held(request) => request,
        Locked::Busy => return Ok(Applied::Busy),
        Locked::Absent => return Ok(Applied::Refused(none())),
    };
    match step(&request) {
        Ok(Some(decided)) => {
            key_requests::save(connection, &decided).await?;
            let changes = vec![change(&decided, event)];
            Ok(Applied::Done(Done::KeyRequest(decided), changes))
        }
        Ok(None) => Ok(Applied::Done(Done::KeyRequest(request), Vec::new())),
        Err(fault) => Ok(Applied::Refused(fault)),
    }
}

/// The key comes to be here, with the secret that its owner is about to see. Of two at once the second finds it revealed.
pub(super) async fn reveal(
    connection: &mut PgConnection,
    fresh: &Fresh,
    now: OffsetDateTime,
) -> Outcome {
    let request = match key_requests::lock(connection, fresh.id).await? {
        Locked::Held(request) => request,
        Locked::Busy => return Ok(Applied::Busy),
        Locked::Absent => return Ok(Applied::Refused(none())),
    };
    let (request, key) = match request.revealed(&fresh.last4, now) {
        Ok(revealed) => revealed,
        Err(fault) => return Ok(Applied::Refused(fault)),
    };
    store::keys::insert(connection, &key, fresh.hash).await?;
    key_requests::save(connection, &request).await?;
    let changes = vec![change(&request, "revealed"), keys::change(&key, "created")];
    Ok(Applied::Done(Done::Key(key), changes))
}

fn none() -> Fault {
    Fault::not_found("no such key was asked for")
}

fn change(request: &KeyRequest, event: &'static str) -> NewChange {
    NewChange {
        entity: "key_request",
        id: request.id.to_string(),
        revision: request.revision,
        event,
        announced: false,
        happening: false,
        state: proto::KeyRequest::from(request).encode_to_vec(),
    }
}
