//! The staff by name (`listings/v1/staff_member.proto`).

use contracts::listings::v1 as proto;
use contracts::listings::v1::staff_member_service_server::StaffMemberService;
use kit::audit::{self, Action as _, Audit, Entry};
use kit::rpc::staff::{Member, OPERATOR, Role};
use kit::{Clock, Code, Fault, timestamp};
use serde_json::{Value, json};
use sqlx::{PgConnection, PgPool};
use tonic::{Request, Response, Status};

use super::names::Problems;
use crate::SCHEMA;
use crate::domain::deed::Deed;
use crate::domain::fields::read_slug;
use crate::members::{self, Members};
use crate::store::members::{self as store, Row};

/// The longest name of a member.
const NAME: usize = 60;

/// The service.
#[derive(Debug)]
pub struct Service {
    pool: PgPool,
    clock: Clock,
    audit: Audit,
    members: Members,
}

impl Service {
    /// The service that keeps members in `pool`, and has `members` forget whom it changes.
    pub fn new(pool: PgPool, clock: Clock, audit: Audit, members: Members) -> Self {
        Self {
            pool,
            clock,
            audit,
            members,
        }
    }

    async fn create(&self, by: &Member, name: &str, role: Role) -> Result<(Row, String), Fault> {
        let token = members::token();
        let mut transaction = self.pool.begin().await?;
        let (hash, now) = (members::hash(&token), self.clock.now());
        let made = store::create(&mut transaction, (name, role), &hash, &by.name, now);
        if !made.await? {
            return Err(Fault::invalid_field(
                "name",
                "it was given before, and is never given a second time: take another",
            ));
        }
        let details = json!({ "role": role.as_str() });
        self.keep(&mut transaction, by, Deed::CreateMember, name, details)
            .await?;
        let row = held(&mut transaction, by, name).await?.0;
        transaction.commit().await?;
        Ok((row, token))
    }

    /// Changes a member under the lock of all of them.
    async fn change(&self, by: &Member, name: &str, change: Change) -> Result<Row, Fault> {
        let mut transaction = self.pool.begin().await?;
        let (row, others) = held(&mut transaction, by, name).await?;
        let details = match change {
            Change::Role(role) if row.role == role.as_str() => return Ok(row),
            Change::Revoke if row.revoked_at.is_some() => return Ok(row),
            Change::Role(_) if row.revoked_at.is_some() => {
                return Err(Fault::invalid_field(
                    "name",
                    "this member's token has ended: make a new member",
                ));
            }
            Change::Role(role) => json!({ "role": role.as_str(), "before": row.role }),
            Change::Revoke => json!({ "role": row.role }),
        };
        let is_last = !others
            .iter()
            .any(|other| other.role == Role::Admin.as_str() && other.revoked_at.is_none());
        if is_last && by.name == row.name && row.role == Role::Admin.as_str() {
            return Err(Fault::invalid_field(
                "name",
                "you are the last admin: make another first, or have the operator do it",
            ));
        }
        let deed = match change {
            Change::Role(role) => {
                store::set_role(&mut transaction, name, role).await?;
                Deed::SetRole
            }
            Change::Revoke => {
                store::revoke(&mut transaction, name, self.clock.now()).await?;
                Deed::RevokeMember
            }
        };
        self.keep(&mut transaction, by, deed, name, details).await?;
        let row = store::get(&mut transaction, name).await?;
        transaction.commit().await?;
        self.members.forget();
        Ok(row)
    }

    async fn keep(
        &self,
        connection: &mut PgConnection,
        by: &Member,
        deed: Deed,
        name: &str,
        details: Value,
    ) -> Result<(), Fault> {
        let entry = Entry {
            member: by,
            action: deed.as_str(),
            entity: "member",
            name,
            refused: false,
            details,
        };
        audit::append(connection, SCHEMA, entry, self.clock.now())
            .await
            .map_err(Fault::from)
    }
}

/// What becomes of a member.
#[derive(Debug, Clone, Copy)]
enum Change {
    Role(Role),
    Revoke,
}

#[tonic::async_trait]
impl StaffMemberService for Service {
    async fn create_member(
        &self,
        request: Request<proto::CreateMemberRequest>,
    ) -> Result<Response<proto::CreateMemberResponse>, Status> {
        let on = ("member", request.get_ref().name.as_str());
        let by = self
            .audit
            .admit(&request, Deed::CreateMember, on)
            .await?
            .member;
        let request = request.into_inner();
        let mut problems = Problems::new();
        let role = role(request.role(), &mut problems);
        if let Err(reason) = name(&request.name) {
            problems.insert("name".to_owned(), reason);
        }
        let role = super::names::finish(role, problems)?;
        let (row, token) = self.create(&by, &request.name, role).await?;
        Ok(Response::new(proto::CreateMemberResponse {
            member: Some(message(row)),
            token,
        }))
    }

    async fn list_members(
        &self,
        request: Request<proto::ListMembersRequest>,
    ) -> Result<Response<proto::ListMembersResponse>, Status> {
        self.audit
            .admit(&request, Deed::ListMembers, ("member", ""))
            .await?;
        let rows = store::list(&self.pool).await.map_err(Fault::from)?;
        Ok(Response::new(proto::ListMembersResponse {
            members: rows.into_iter().map(message).collect(),
        }))
    }

    async fn set_role(
        &self,
        request: Request<proto::SetRoleRequest>,
    ) -> Result<Response<proto::SetRoleResponse>, Status> {
        let on = ("member", request.get_ref().name.as_str());
        let by = self.audit.admit(&request, Deed::SetRole, on).await?.member;
        let request = request.into_inner();
        let mut problems = Problems::new();
        let role = role(request.role(), &mut problems);
        let role = super::names::finish(role, problems)?;
        let row = self.change(&by, &request.name, Change::Role(role)).await?;
        Ok(Response::new(proto::SetRoleResponse {
            member: Some(message(row)),
        }))
    }

    async fn revoke_member(
        &self,
        request: Request<proto::RevokeMemberRequest>,
    ) -> Result<Response<proto::RevokeMemberResponse>, Status> {
        let on = ("member", request.get_ref().name.as_str());
        let by = self
            .audit
            .admit(&request, Deed::RevokeMember, on)
            .await?
            .member;
        let name = request.into_inner().name;
        let row = self.change(&by, &name, Change::Revoke).await?;
        Ok(Response::new(proto::RevokeMemberResponse {
            member: Some(message(row)),
        }))
    }

    async fn who_am_i(
        &self,
        request: Request<proto::WhoAmIRequest>,
    ) -> Result<Response<proto::WhoAmIResponse>, Status> {
        let member = Member::of(&request)?;
        let role = match member.role {
            Role::Reviewer => proto::Role::Reviewer,
            Role::Admin => proto::Role::Admin,
        };
        Ok(Response::new(proto::WhoAmIResponse {
            name: member.name,
            role: role.into(),
        }))
    }
}

/// The member of that name, and the others; all are locked. `by` was let through before, and may have been revoked meanwhile: of two
/// admins who revoke each other at once only the first does.
async fn held(
    connection: &mut PgConnection,
    by: &Member,
    name: &str,
) -> Result<(Row, Vec<Row>), Fault> {
    let mut rows = store::lock(connection).await?;
    let is_admin = |row: &Row| row.role == Role::Admin.as_str() && row.revoked_at.is_none();
    if by.name != OPERATOR && !rows.iter().any(|row| row.name == by.name && is_admin(row)) {
        return Err(Fault::new(
            Code::InvalidKey,
            "your own token was revoked meanwhile, or your role changed: another admin was faster",
        ));
    }
    let place = rows.iter().position(|row| row.name == name);
    let place = place.ok_or_else(|| {
        Fault::not_found("there is no member of this name; `staff member list` names all")
    })?;
    Ok((rows.remove(place), rows))
}

fn name(raw: &str) -> Result<(), String> {
    read_slug(raw)?;
    if raw == OPERATOR {
        return Err("This is what the holder of the fleet's staff token is called.".to_owned());
    }
    if raw.len() > NAME {
        return Err(format!("Shorten it: {NAME} characters are the most."));
    }
    Ok(())
}

fn role(role: proto::Role, problems: &mut Problems) -> Option<Role> {
    match role {
        proto::Role::Reviewer => Some(Role::Reviewer),
        proto::Role::Admin => Some(Role::Admin),
        proto::Role::Unspecified => {
            problems.insert("role".to_owned(), "reviewer or admin".to_owned());
            None
        }
    }
}

fn message(row: Row) -> proto::Member {
    let role = match Role::parse(&row.role) {
        Some(Role::Reviewer) => proto::Role::Reviewer,
        Some(Role::Admin) => proto::Role::Admin,
        None => proto::Role::Unspecified,
    };
    proto::Member {
        name: row.name,
        role: role.into(),
        created_at: Some(timestamp::encode(row.created_at)),
        created_by: row.created_by,
        revoked_at: row.revoked_at.map(timestamp::encode),
    }
}
