//! Members of the staff (`listings/v1/staff_member.proto`).

use contracts::listings::v1 as proto;
use contracts::listings::v1::staff_member_service_server::StaffMemberService;
use kit::audit::{self, Action as _, Audit, Entry};
use kit::rpc::staff::{Member, OPERATOR, Role};
use kit::{Clock, Code, Fault, timestamp};
use serde_json::{Value, json};
use sqlx::{PgConnection, PgPool};
use time::Duration;
use tonic::{Request, Response, Status};

use super::listing_name::Problems;
use crate::SCHEMA;
use crate::domain::audit_action::AuditAction;
use crate::domain::fields::parse_slug;
use crate::members::{self, Members};
use crate::store::members::{self as store, MemberRow, NewToken};

const MAX_NAME: usize = 60;
const REVOKED: &str = "This member is revoked: create a new member.";

#[derive(Debug)]
pub struct Service {
    pool: PgPool,
    clock: Clock,
    audit: Audit,
    members: Members,
    token_lifetime: Duration,
}

impl Service {
    /// Stores members in `pool`, and clears the cache of `members` after each change.
    pub fn new(
        pool: PgPool,
        clock: Clock,
        audit: Audit,
        members: Members,
        token_lifetime: Duration,
    ) -> Self {
        Self {
            pool,
            clock,
            audit,
            members,
            token_lifetime,
        }
    }

    async fn create(
        &self,
        by: &Member,
        name: &str,
        role: Role,
    ) -> Result<(MemberRow, String), Fault> {
        let token = members::token();
        let mut transaction = self.pool.begin().await?;
        let (hash, now) = (members::hash(&token), self.clock.now());
        let new_token = self.new_token(&hash);
        let made = store::create(&mut transaction, (name, role), new_token, &by.name, now);
        if !made.await? {
            return Err(Fault::invalid_field(
                "name",
                "This name was used before, and names are never reused: choose another.",
            ));
        }
        let details = json!({ "role": role.as_str() });
        self.record(
            &mut transaction,
            by,
            AuditAction::CreateMember,
            name,
            details,
        )
        .await?;
        let row = lock_member(&mut transaction, by, name).await?.0;
        transaction.commit().await?;
        Ok((row, token))
    }

    /// Gives a member a new token, for the member or an admin.
    async fn renew(&self, by: &Member, name: &str) -> Result<(MemberRow, String), Fault> {
        let token = members::token();
        let mut transaction = self.pool.begin().await?;
        let rows = store::lock(&mut transaction).await?;
        let row = find_member(rows, name)?.0;
        if row.revoked_at.is_some() {
            return Err(Fault::invalid_field("name", REVOKED));
        }
        let hash = members::hash(&token);
        store::set_token(&mut transaction, name, self.new_token(&hash)).await?;
        let action = AuditAction::RenewToken;
        self.record(&mut transaction, by, action, name, json!({}))
            .await?;
        let row = store::get(&mut transaction, name).await?;
        transaction.commit().await?;
        self.members.clear_cache();
        Ok((row, token))
    }

    fn new_token<'a>(&self, sha256: &'a [u8]) -> NewToken<'a> {
        NewToken {
            sha256,
            expires_at: self.clock.now() + self.token_lifetime,
        }
    }

    /// Changes a member, under a lock of all members.
    async fn change(
        &self,
        by: &Member,
        name: &str,
        change: MemberChange,
    ) -> Result<MemberRow, Fault> {
        let mut transaction = self.pool.begin().await?;
        let (row, others) = lock_member(&mut transaction, by, name).await?;
        let details = match change {
            MemberChange::Role(role) if row.role == role.as_str() => return Ok(row),
            MemberChange::Revoke if row.revoked_at.is_some() => return Ok(row),
            MemberChange::Role(_) if row.revoked_at.is_some() => {
                return Err(Fault::invalid_field("name", REVOKED));
            }
            MemberChange::Role(role) => json!({ "role": role.as_str(), "before": row.role }),
            MemberChange::Revoke => json!({ "role": row.role }),
        };
        let is_last = !others
            .iter()
            .any(|other| other.role == Role::Admin.as_str() && other.revoked_at.is_none());
        if is_last && by.name == row.name && row.role == Role::Admin.as_str() {
            return Err(Fault::invalid_field(
                "name",
                "You are the last admin: make another member an admin first, or ask the operator.",
            ));
        }
        let action = match change {
            MemberChange::Role(role) => {
                store::set_role(&mut transaction, name, role).await?;
                AuditAction::SetRole
            }
            MemberChange::Revoke => {
                store::revoke(&mut transaction, name, self.clock.now()).await?;
                AuditAction::RevokeMember
            }
        };
        self.record(&mut transaction, by, action, name, details)
            .await?;
        let row = store::get(&mut transaction, name).await?;
        transaction.commit().await?;
        self.members.clear_cache();
        Ok(row)
    }

    async fn record(
        &self,
        connection: &mut PgConnection,
        by: &Member,
        action: AuditAction,
        name: &str,
        details: Value,
    ) -> Result<(), Fault> {
        let entry = Entry {
            member: &by.name,
            role: by.role.as_str(),
            action: action.as_str(),
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

#[derive(Debug, Clone, Copy)]
enum MemberChange {
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
            .admit(&request, AuditAction::CreateMember, on)
            .await?
            .member;
        let request = request.into_inner();
        let mut problems = Problems::new();
        let role = read_role(request.role(), &mut problems);
        if let Err(reason) = check_name(&request.name) {
            problems.insert("name".to_owned(), reason);
        }
        let role = super::listing_name::finish(role, problems)?;
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
            .admit(&request, AuditAction::ListMembers, ("member", ""))
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
        let by = self
            .audit
            .admit(&request, AuditAction::SetRole, on)
            .await?
            .member;
        let request = request.into_inner();
        let mut problems = Problems::new();
        let role = read_role(request.role(), &mut problems);
        let role = super::listing_name::finish(role, problems)?;
        let row = self
            .change(&by, &request.name, MemberChange::Role(role))
            .await?;
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
            .admit(&request, AuditAction::RevokeMember, on)
            .await?
            .member;
        let name = request.into_inner().name;
        let row = self.change(&by, &name, MemberChange::Revoke).await?;
        Ok(Response::new(proto::RevokeMemberResponse {
            member: Some(message(row)),
        }))
    }

    async fn renew_token(
        &self,
        request: Request<proto::RenewTokenRequest>,
    ) -> Result<Response<proto::RenewTokenResponse>, Status> {
        let by = Member::of(&request)?;
        let name = request.into_inner().name;
        let name = if name.is_empty() { &by.name } else { &name };
        if name == OPERATOR {
            let reason = "The staff token of the fleet does not expire: its operator sets it.";
            return Err(Fault::invalid_field("name", reason).into());
        }
        if *name != by.name {
            let action = AuditAction::RenewToken;
            self.audit.allow(&by, action, ("member", name)).await?;
        }
        let (row, token) = self.renew(&by, name).await?;
        Ok(Response::new(proto::RenewTokenResponse {
            member: Some(message(row)),
            token,
        }))
    }

    async fn who_am_i(
        &self,
        request: Request<proto::WhoAmIRequest>,
    ) -> Result<Response<proto::WhoAmIResponse>, Status> {
        let member = Member::of(&request)?;
        let row = store::find_by_name(&self.pool, &member.name).await;
        let expires_at = row.map_err(Fault::from)?.map(|row| row.expires_at);
        let role = match member.role {
            Role::Reviewer => proto::Role::Reviewer,
            Role::Admin => proto::Role::Admin,
        };
        Ok(Response::new(proto::WhoAmIResponse {
            name: member.name,
            role: role.into(),
            expires_at: expires_at.map(timestamp::encode),
        }))
    }
}

/// Locks all members; returns the named member and the others. `by` was admitted before the lock, and may have been revoked since: of two
/// admins who revoke each other at once, only the first succeeds.
async fn lock_member(
    connection: &mut PgConnection,
    by: &Member,
    name: &str,
) -> Result<(MemberRow, Vec<MemberRow>), Fault> {
    let rows = store::lock(connection).await?;
    let is_admin = |row: &MemberRow| row.role == Role::Admin.as_str() && row.revoked_at.is_none();
    if by.name != OPERATOR && !rows.iter().any(|row| row.name == by.name && is_admin(row)) {
        return Err(Fault::new(
            Code::InvalidKey,
            "Another admin has just revoked your token or changed your role.",
        ));
    }
    find_member(rows, name)
}

/// The member with this name, and the others.
fn find_member(mut rows: Vec<MemberRow>, name: &str) -> Result<(MemberRow, Vec<MemberRow>), Fault> {
    let index = rows.iter().position(|row| row.name == name);
    let index = index.ok_or_else(|| {
        Fault::not_found(
            "There is no member with this name. `staff member list` lists all members.",
        )
    })?;
    Ok((rows.remove(index), rows))
}

fn check_name(raw: &str) -> Result<(), String> {
    parse_slug(raw)?;
    if raw == OPERATOR {
        return Err("This name is reserved for the holder of the fleet's staff token.".to_owned());
    }
    if raw.len() > MAX_NAME {
        return Err(format!("Shorten it to at most {MAX_NAME} characters."));
    }
    Ok(())
}

fn read_role(role: proto::Role, problems: &mut Problems) -> Option<Role> {
    match role {
        proto::Role::Reviewer => Some(Role::Reviewer),
        proto::Role::Admin => Some(Role::Admin),
        proto::Role::Unspecified => {
            problems.insert("role".to_owned(), "Give reviewer or admin.".to_owned());
            None
        }
    }
}

fn message(row: MemberRow) -> proto::Member {
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
        expires_at: Some(timestamp::encode(row.expires_at)),
    }
}
