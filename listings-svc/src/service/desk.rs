//! Who of the staff may make a call.

use kit::Clock;
use kit::rpc::staff::{self, Member};
use serde_json::json;
use sqlx::PgPool;
use tonic::{Request, Status};

use crate::domain::deed::Deed;
use crate::domain::fields::clip;
use crate::store::audit;

/// Lets staff do what their role allows. Clones share the database.
#[derive(Debug, Clone)]
pub struct Desk {
    pool: PgPool,
    clock: Clock,
}

impl Desk {
    /// A desk that keeps what it refused in `pool`.
    pub fn new(pool: PgPool, clock: Clock) -> Self {
        Self { pool, clock }
    }

    /// Who makes this call, if the member's role allows the deed. `on` is the kind and name of what it would be done to.
    pub async fn admit<T>(
        &self,
        request: &Request<T>,
        deed: Deed,
        on: (&str, &str),
    ) -> Result<Member, Status> {
        let member = Member::of(request)?;
        self.allow(&member, deed, on).await?;
        Ok(member)
    }

    /// Refuses a deed that a member's role does not allow, and keeps that it was tried.
    pub async fn allow(
        &self,
        member: &Member,
        deed: Deed,
        (entity, name): (&str, &str),
    ) -> Result<(), Status> {
        let needed = deed.needs();
        if member.role.covers(needed) {
            return Ok(());
        }
        let (entity, name) = (clip(entity), clip(name));
        let entry = audit::Entry {
            member,
            deed,
            entity: &entity,
            name: &name,
            refused: true,
            details: json!({ "needs": needed.as_str() }),
        };
        if let Err(error) = audit::append(&self.pool, entry, self.clock.now()).await {
            tracing::warn!(%error, member = member.name, deed = deed.as_str(), "a refusal is not in the audit");
        }
        Err(staff::refused(format!(
            "this needs the role {}, and {} has the role {}: ask an admin to do it, or for the role",
            needed.as_str(),
            member.name,
            member.role.as_str()
        )))
    }
}
