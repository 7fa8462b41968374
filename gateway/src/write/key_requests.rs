//! Live keys that are asked for: asked, approved, rejected, revealed.

use contracts::gateway::v1 as proto;
use kit::Fault;
use kit::feed::NewChange;
use prost::Message as _;
use sqlx::PgConnection;
use time::OffsetDateTime;
use uuid::Uuid;

use super::{Done, Fresh, Stop, change, held, keys};
use crate::domain::account::Named;
use crate::domain::key::Wanted;
use crate::domain::key_request::KeyRequest;
use crate::domain::plan::Plans;
use crate::store::{self, key_requests};

pub(super) async fn ask(
    connection: &mut PgConnection,
    plans: &Plans,
    named: &Named,
    (wanted, id): (&Wanted, Uuid),
    now: OffsetDateTime,
) -> Result<(Done, Vec<NewChange>), Stop> {
    let account = keys::lock_account(connection, plans, named, wanted, now).await?;
    let request = KeyRequest::asked(id, account.id, wanted.clone(), now);
    key_requests::insert(connection, &request).await?;
    let change = publish(&request, "asked");
    Ok((Done::KeyRequest(request), vec![change]))
}

pub(super) async fn approve(
    connection: &mut PgConnection,
    id: Uuid,
    now: OffsetDateTime,
) -> Result<(Done, Vec<NewChange>), Stop> {
    let request = lock(connection, id).await?;
    let approved = request.approved(now);
    save(connection, request, approved, "approved").await
}

pub(super) async fn reject(
    connection: &mut PgConnection,
    id: Uuid,
    reason: &str,
    now: OffsetDateTime,
) -> Result<(Done, Vec<NewChange>), Stop> {
    let request = lock(connection, id).await?;
    let rejected = request.rejected(reason, now);
    save(connection, request, rejected, "rejected").await
}

/// Saves what staff have decided, unless that was decided before.
async fn save(
    connection: &mut PgConnection,
    request: KeyRequest,
    decided: Result<Option<KeyRequest>, Fault>,
    event: &'static str,
) -> Result<(Done, Vec<NewChange>), Stop> {
    let Some(decided) = decided? else {
        return Ok((Done::KeyRequest(request), Vec::new()));
    };
    key_requests::save(connection, &decided).await?;
    let change = publish(&decided, event);
    Ok((Done::KeyRequest(decided), vec![change]))
}

/// Makes the key, with the secret that its owner is about to see. Of two at once the second finds it revealed.
pub(super) async fn reveal(
    connection: &mut PgConnection,
    fresh: &Fresh,
    now: OffsetDateTime,
) -> Result<(Done, Vec<NewChange>), Stop> {
    let request = lock(connection, fresh.id).await?;
    let (request, key) = request.revealed(&fresh.last4, now)?;
    store::keys::insert(connection, &key, fresh.hash).await?;
    key_requests::save(connection, &request).await?;
    let changes = vec![
        publish(&request, "revealed"),
        keys::publish(&key, "created"),
    ];
    Ok((Done::Key(key), changes))
}

async fn lock(connection: &mut PgConnection, id: Uuid) -> Result<KeyRequest, Stop> {
    let locked = key_requests::lock(connection, id).await?;
    held(locked, || Fault::not_found("no such key was asked for"))
}

fn publish(request: &KeyRequest, event: &'static str) -> NewChange {
    let (id, state) = (request.id.to_string(), proto::KeyRequest::from(request));
    change(
        "key_request",
        id,
        request.revision,
        event,
        state.encode_to_vec(),
    )
}
