//! Requests to take down listings, inside the writer's transaction: accounts make them, and staff decline them. To take the listing down
//! is the other decision ([`super::moderate`]).

use kit::Fault;
use kit::audit::{self, Action as _, Entry};
use kit::feed::ApplyError;
use kit::ids;
use kit::rpc::staff::Member;
use serde_json::json;
use sqlx::PgConnection;
use time::OffsetDateTime;
use uuid::Uuid;

use super::limits;
use super::update::not_found;
use crate::SCHEMA;
use crate::domain::audit_action::AuditAction;
use crate::domain::entity::Entity;
use crate::domain::slug;
use crate::domain::state::ListingState;
use crate::store::takedowns::{self as store, TakedownRequest};
use crate::store::{accounts, my_listings};

#[derive(Debug)]
pub enum TakedownChange {
    /// An account asks for the takedown of a listing of its own.
    Make {
        account: Uuid,
        entity: Entity,
        /// The slug or the handle.
        name: String,
        reason: String,
    },
    /// Staff decline the request with this id.
    Decline {
        request: Uuid,
        /// The account reads it.
        reason: String,
        by: Member,
    },
}

/// Returns the request after the change.
pub(super) async fn apply(
    connection: &mut PgConnection,
    change: &TakedownChange,
    now: OffsetDateTime,
) -> Result<TakedownRequest, ApplyError> {
    let id = match change {
        TakedownChange::Make {
            account,
            entity,
            name,
            reason,
        } => make(connection, (*entity, name), (*account, reason), now).await?,
        TakedownChange::Decline {
            request,
            reason,
            by,
        } => {
            decline(connection, *request, (reason, by), now).await?;
            *request
        }
    };
    let request = store::find(connection, id).await?;
    Ok(request.ok_or_else(no_request)?)
}

async fn make(
    connection: &mut PgConnection,
    (entity, name): (Entity, &str),
    (account, reason): (Uuid, &str),
    now: OffsetDateTime,
) -> Result<Uuid, ApplyError> {
    if !slug::is_valid(name) {
        return Err(not_found(entity).into());
    }
    // Locked, so that the requests of the account are counted exactly.
    let locked = accounts::lock(connection, account, now.date(), 0).await?;
    locked.ok_or(ApplyError::Busy)?;
    let found = my_listings::find_with_state(&mut *connection, account, entity, name).await?;
    let (listing, state) = found.ok_or_else(|| not_found(entity))?;
    if state != ListingState::Published {
        let reason = format!(
            "Only a public listing is taken down, and this one {}. A pending one can be withdrawn.",
            state.phrase()
        );
        return Err(Fault::invalid_field("name", reason).into());
    }
    let others = store::count_waiting_of(connection, account, listing).await?;
    limits::check_waiting_takedowns(others)?;
    let id = ids::row_id();
    Ok(store::insert(connection, id, (entity, listing), (account, reason), now).await?)
}

async fn decline(
    connection: &mut PgConnection,
    id: Uuid,
    (reason, by): (&str, &Member),
    now: OffsetDateTime,
) -> Result<(), ApplyError> {
    if !store::lock(connection, id).await? {
        return Err(no_request().into());
    }
    let request = store::find(&mut *connection, id).await?;
    let request = request.ok_or_else(no_request)?;
    match request.state.as_str() {
        "declined" => return Ok(()),
        "waiting" => {}
        _ => {
            let problem = "The listing was taken down: restore it instead.";
            return Err(Fault::invalid_field("id", problem).into());
        }
    }
    store::decline(connection, id, reason, now).await?;
    let entry = Entry {
        member: &by.name,
        role: by.role.as_str(),
        action: AuditAction::DeclineTakedown.as_str(),
        entity: &request.entity,
        name: &request.name,
        refused: false,
        details: json!({"request": id, "account": request.account_id, "reason": reason}),
    };
    Ok(audit::append(connection, SCHEMA, entry, now).await?)
}

fn no_request() -> Fault {
    Fault::not_found("There is no request with this id.")
}
